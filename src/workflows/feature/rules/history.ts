import type { GateResult } from './gate.ts';
import type { ReviewAnswer, ReviewIssue } from './review-answer.ts';

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

/** T-081, T-083, T-085, lean/C-20: one review of one iteration, as it is appended to `.review-history.md`. */
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
    // lean/C-21: what the gate let pass, and who could take that back.
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
  /** Reviewers in order; `skippedSince` for those that sat out because they had passed. */
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
    ...differing(reviewers),
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

/** lean/C-20: said where the reviewer and the gate do not agree, and where no issue says why the gate did not pass. */
export function needsReason({ reviewer, gate }: GateResult, issues: readonly unknown[]): boolean {
  return (reviewer === 'approved') !== (gate === 'pass') || (gate !== 'pass' && issues.length === 0);
}

function differing(reviewers: ImplementEntry['reviewers']): string[] {
  return reviewers.flatMap(({ role, result, issues }) => {
    if (result === undefined || !needsReason(result, issues)) return [];
    return [`**Reviewer verdict:** ${role} ${result.reviewer} (${oneLine(result.reason)})`];
  });
}

/** Text by agents stays on its line: it can neither start a heading nor a marker. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 2_000).toWellFormed();
}
