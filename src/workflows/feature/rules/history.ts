import path from 'node:path';
import { appendOwnLine } from '../../../base/files/atomic.ts';
import { readTextFile } from '../../../base/files/bounded.ts';
import { isRecord, readJson } from '../../../base/safe-json.ts';
import { archiveDirectory } from '../../../prompts/feature/archive.ts';
import type { GateResult } from './gate.ts';
import { type ReviewAnswer, type ReviewIssue, severityOf } from './review-answer.ts';
import { fingerprint } from './waivers.ts';

/** T-082: how the entries of each review begin. */
export const stageMarkers: Readonly<Record<string, string>> = {
  'specify/spec-reviewer': 'Step 1: Spec-Reviewer Review',
  'specify/phase-reviewer': 'Step 2: Phase Review',
  'design/design-reviewer': 'Design Review',
  'design/phase-reviewer': 'Stage 4: Handoff Review',
  'plan/plan-reviewer': 'Stage 1: Plan Review',
  'plan/phase-reviewer': 'Stage 2: Chain Review',
  'tasks/task-reviewer': 'Stage 1: Task Review',
  'tasks/phase-reviewer': 'Stage 2: Chain Review',
};

export type HistoryEntry = {
  command: string;
  role: string;
  iteration: number;
  /** ISO 8601. */
  time: string;
  result: GateResult;
  issues: readonly ReviewIssue[];
  changes?: string;
  /** T-085: LAZY-LOAD-WARNING and RESUME-FALLBACK lines of this iteration. */
  markers?: readonly string[];
};

/** T-081, T-083, T-085, lean/C-20: one review of one iteration; appended to `.review-history.md`. */
export function renderHistoryEntry(entry: HistoryEntry): string {
  const { command, role, iteration, time, result, issues, changes, markers = [] } = entry;
  const marker = stageMarkers[`${command}/${role}`] ?? role;
  const decision = result.gate === 'pass' ? 'Approved' : 'Needs Revision';
  return [
    `## ${marker} - Iteration ${iteration} - ${time}`,
    '',
    `**Reviewer:** ${role}`,
    `**Decision:** ${decision}`,
    ...(needsReason(result, issues)
      ? [`**Reviewer verdict:** ${result.reviewer} (${oneLine(result.reason)})`]
      : []),
    '',
    ...markers.flatMap((line) => [oneLine(line), '']),
    '**Issues:**',
    ...(issues.length === 0 ? ['- none'] : issues.flatMap((issue) => issueLines(role, issue))),
    '',
    // lean/C-21: what the gate let pass.
    ...result.waived.flatMap((issue) => [
      `**Waived:** ${fingerprint(issue)} ${oneLine(issue.description)}`,
      '',
    ]),
    '**Changes Made:**',
    changes === undefined || changes.trim() === '' ? 'None' : changes.trim(),
    '',
    '---',
    '',
  ].join('\n');
}

function issueLines(role: string, issue: ReviewIssue): string[] {
  const { severity, category, description, location, suggestion } = issue;
  if (role === 'task-reviewer') {
    const fix = suggestion === undefined ? '' : ` -> ${oneLine(suggestion)}`;
    return [`- [${severity}] ${oneLine(location ?? 'Task')}: ${oneLine(description)}${fix}`];
  }
  const kind = category === undefined ? '' : ` [${oneLine(category)}]`;
  const at = location === undefined ? '' : ` (at: ${oneLine(location)})`;
  return [
    `- [${severity}]${kind} ${oneLine(description)}${at}`,
    ...(suggestion === undefined ? [] : [`  Suggestion: ${oneLine(suggestion)}`]),
  ];
}

export type ImplementEntry = {
  iteration: number;
  time: string;
  finalValidation: boolean;
  /** In order; `skippedSince` for those that were skipped because they had passed. */
  reviewers: readonly {
    role: string;
    result?: GateResult;
    skippedSince?: number;
    issues: readonly ReviewIssue[];
  }[];
  levels?: NonNullable<ReviewAnswer['levels']>;
  markers?: readonly string[];
};

const levelNames = {
  tasks: 'Task Completeness',
  spec: 'Spec Compliance',
  design: 'Design Alignment',
  prd: 'PRD Delivery',
} as const;

/** T-084: one round of the implementation review. */
export function renderImplementEntry(entry: ImplementEntry): string {
  const { iteration, time, finalValidation, reviewers, levels = {}, markers = [] } = entry;
  const issues = reviewers.flatMap(({ role, issues: found }) =>
    found.map(({ level, severity, description, location, suggestion }) =>
      [
        `- [${level ?? severity}] ${role}: ${oneLine(description)}`,
        location === undefined ? '' : ` (at: ${oneLine(location)})`,
        suggestion === undefined ? '' : ` -> ${oneLine(suggestion)}`,
      ].join(''),
    ),
  );
  return [
    `## Iteration ${iteration} - ${time}${finalValidation ? ' [FINAL VALIDATION]' : ''}`,
    '',
    ...reviewers.map(({ role, result, skippedSince }) => `**${role}:** ${verdict(result, skippedSince)}`),
    ...reviewers.flatMap(({ role, result, issues }) =>
      result !== undefined && needsReason(result, issues)
        ? [`**Reviewer verdict:** ${role} ${result.reviewer} (${oneLine(result.reason)})`]
        : [],
    ),
    '',
    ...(Object.keys(levelNames) as (keyof typeof levelNames)[])
      .filter((level) => levels[level] !== undefined)
      .map((level) => `- ${levelNames[level]}: ${levels[level] === true ? 'PASS' : 'FAIL'}`),
    ...markers.flatMap((line) => ['', oneLine(line)]),
    '',
    '**Issues:**',
    ...(issues.length === 0 ? ['- none'] : issues),
    '',
    '---',
    '',
  ].join('\n');
}

function verdict(result: GateResult | undefined, skippedSince: number | undefined): string {
  if (skippedSince !== undefined) return `Skipped (passed iter ${skippedSince})`;
  if (result === undefined) return 'No answer';
  return result.gate === 'pass' ? 'Approved' : 'Needs Revision';
}

/** lean/C-20: where reviewer and gate disagree, and where no issue explains why the gate did not pass. */
export function needsReason({ reviewer, gate }: GateResult, issues: readonly unknown[]): boolean {
  return (reviewer === 'approved') !== (gate === 'pass') || (gate !== 'pass' && issues.length === 0);
}

/** Keeps agents' text on one line: it can start neither a heading nor a marker. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 2_000).toWellFormed();
}

/** One review as data; the history has the same for readers. */
export type ReviewRecord = {
  v: 1;
  time: string;
  command: string;
  role: string;
  iteration: number;
  /** lean/C-20: both verdicts. */
  reviewer: GateResult['reviewer'];
  gate: GateResult['gate'];
  /** Where issues do not say why, such as an answer that could not be read. */
  reason?: string | undefined;
  issues: readonly (ReviewIssue & { fingerprint: string; waived?: boolean | undefined })[];
};

const logName = 'reviews.jsonl';
const maxBytes = 64 * 1024 * 1024;

export function reviewRecord(entry: HistoryEntry): ReviewRecord {
  const { time, command, role, iteration, result, issues } = entry;
  const { reviewer, gate, waived } = result;
  return {
    v: 1,
    ...{ time, command, role, iteration, reviewer, gate },
    reason: needsReason(result, issues) ? oneLine(result.reason) : undefined,
    issues: issues.map((issue) => ({
      ...issue,
      fingerprint: fingerprint(issue),
      waived: waived.includes(issue) || undefined,
    })),
  };
}

/** lean/C-06: kept outside the feature directory. An existing record is not added again. */
export async function appendReview(root: string, feature: string, record: ReviewRecord): Promise<void> {
  const file = path.join(archiveDirectory(root, feature), logName);
  await appendOwnLine(path.join(root, '.charrette'), file, JSON.stringify(record), maxBytes);
}

/** Every review that can be read; a line cut by a crash is skipped. */
export async function readReviews(root: string, feature: string): Promise<ReviewRecord[]> {
  const text = (await readTextFile(path.join(archiveDirectory(root, feature), logName), maxBytes)) ?? '';
  return text.split('\n').flatMap((line) => {
    const reading = line.trim() === '' ? undefined : readJson(line, 16 * 1024 * 1024);
    return reading?.ok === true && isReview(reading.value) ? [reading.value] : [];
  });
}

function isReview(value: unknown): value is ReviewRecord {
  return (
    isRecord(value) &&
    value['v'] === 1 &&
    typeof value['command'] === 'string' &&
    typeof value['role'] === 'string' &&
    typeof value['iteration'] === 'number' &&
    Array.isArray(value['issues']) &&
    value['issues'].every((issue) => isRecord(issue) && typeof issue['fingerprint'] === 'string')
  );
}

/** The last review of every role of every command. */
export function latestReviews(reviews: readonly ReviewRecord[]): ReviewRecord[] {
  const latest = new Map<string, ReviewRecord>();
  for (const review of reviews) {
    const key = `${review.command}/${review.role}`;
    latest.delete(key);
    latest.set(key, review);
  }
  return [...latest.values()];
}

/** True if an issue can keep a gate from passing. */
export function isSerious({ severity }: { severity: string }): boolean {
  return severityOf(severity) !== 'suggestion';
}
