import { readJsonAnswer } from '../../../agents/extract-json.ts';
import { isRecord } from '../../../base/safe-json.ts';
import { type BackwardRequest, readBackwardRequest } from '../../../prompts/feature/archive.ts';

export const severities = ['blocker', 'warning', 'suggestion'] as const;
export type Severity = (typeof severities)[number];

/** lean/C-27: an issue of any reviewer. */
export type ReviewIssue = {
  severity: Severity;
  description: string;
  category?: string;
  /** Where in the artifact or the code; for task reviewers the task. */
  location?: string;
  suggestion?: string;
  /** Of the implementation reviewer: which document the code was held against. */
  level?: string;
};

export const reviewLevels = ['tasks', 'spec', 'design', 'prd'] as const;
export type ReviewLevel = (typeof reviewLevels)[number];

/** The answer of any reviewer; the gate has its own verdict (lean/C-20). */
export type ReviewAnswer = {
  approved: boolean;
  issues: readonly ReviewIssue[];
  summary: string;
  /** Of the implementation reviewer: which documents the code lives up to. */
  levels?: Readonly<Partial<Record<ReviewLevel, boolean>>>;
  /** Whether an earlier phase is at fault. */
  backward?: BackwardRequest;
};

export type AnswerReading = { ok: true; answer: ReviewAnswer } | { ok: false; problem: string };

/** More issues than this are not useful. */
const maxIssues = 500;
const maxCharacters = 8_000;

/**
 * §2D, T-118: reads the answer of any reviewer: JSON alone, in prose, in a fence; old and new names of its fields. In prose, a
 * verdict that appears in one of the texts it was shown is not its own.
 */
export function readReviewAnswer(text: string, shown: readonly string[] = []): AnswerReading {
  const reading = readJsonAnswer(text, {
    shape: 'object',
    keys: ['approved', 'pass', 'passed', 'checks'],
    fits: (value) => readValue(value).ok,
    shown,
  });
  if (reading.kind === 'repeated')
    return { ok: false, problem: 'the JSON in the answer only repeats what was shown' };
  return readValue('value' in reading ? reading.value : undefined);
}

function readValue(value: unknown): AnswerReading {
  if (!isRecord(value)) return { ok: false, problem: 'the answer has no JSON object' };
  if (Array.isArray(value['checks'])) return readRelevance(value);
  const approved = booleanOf(value['approved'] ?? value['pass'] ?? value['passed']);
  if (approved === undefined) return { ok: false, problem: 'the answer has no `approved`' };
  const list = value['issues'] ?? value['findings'] ?? [];
  if (!Array.isArray(list)) return { ok: false, problem: '`issues` is not a list' };
  const backward = readBackwardRequest(value);
  return {
    ok: true,
    answer: {
      approved,
      issues: list.slice(0, maxIssues).flatMap(readIssue),
      summary: textOf(value['summary']) ?? '',
      levels: isRecord(value['levels']) ? readLevels(value['levels']) : undefined,
      backward,
    },
  };
}

function readLevels(value: Readonly<Record<string, unknown>>): NonNullable<ReviewAnswer['levels']> {
  return Object.fromEntries(
    reviewLevels.flatMap((level) => {
      const row = value[level];
      const passed = isRecord(row) ? booleanOf(row['passed']) : booleanOf(row);
      return passed === undefined ? [] : [[level, passed]];
    }),
  );
}

/** T-130: passes only when it says so and no check has a gap; every gap is a blocker. */
function readRelevance(value: Readonly<Record<string, unknown>>): AnswerReading {
  const checks = Array.isArray(value['checks']) ? value['checks'].filter(isRecord) : [];
  const issues = checks.flatMap((check): ReviewIssue[] => {
    const name = textOf(check['name']) ?? 'check';
    const gaps = Array.isArray(check['gaps'])
      ? check['gaps'].map(textOf).filter((gap) => gap !== undefined)
      : [];
    if (gaps.length === 0 && booleanOf(check['pass']) === false)
      gaps.push(textOf(check['details']) ?? 'did not pass');
    return gaps.map((gap) => ({ severity: 'blocker', category: name, description: gap }));
  });
  const backward = readBackwardRequest(value);
  return {
    ok: true,
    answer: {
      approved: booleanOf(value['pass']) === true && issues.length === 0 && checks.length > 0,
      issues: issues.slice(0, maxIssues),
      summary: textOf(value['summary']) ?? '',
      backward,
    },
  };
}

function readIssue(raw: unknown): ReviewIssue[] {
  if (typeof raw === 'string')
    return raw.trim() === '' ? [] : [{ severity: 'warning', description: raw.trim() }];
  if (!isRecord(raw)) return [];
  const description =
    textOf(raw['description']) ?? textOf(raw['challenge']) ?? textOf(raw['issue']) ?? textOf(raw['title']);
  if (description === undefined) return [];
  const optional = {
    category: textOf(raw['category']),
    location: textOf(raw['location']) ?? textOf(raw['task']) ?? textOf(raw['file']),
    suggestion: textOf(raw['suggestion']) ?? textOf(raw['suggested_fix']),
    level: textOf(raw['level']),
  };
  return [
    {
      severity: severityOf(raw['severity'] ?? raw['securitySeverity']),
      description,
      ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    },
  ];
}

/** Names that reviewers used for the three severities; an unknown one is a warning. */
const severityNames: Readonly<Record<string, Severity>> = {
  blocker: 'blocker',
  blocking: 'blocker',
  critical: 'blocker',
  high: 'blocker',
  error: 'blocker',
  major: 'blocker',
  warning: 'warning',
  warn: 'warning',
  medium: 'warning',
  minor: 'suggestion',
  suggestion: 'suggestion',
  note: 'suggestion',
  info: 'suggestion',
  low: 'suggestion',
  nit: 'suggestion',
};

export function severityOf(value: unknown): Severity {
  const name = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return Object.hasOwn(severityNames, name) ? (severityNames[name] ?? 'warning') : 'warning';
}

function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  if (['true', 'yes', 'approved', 'pass', 'passed'].includes(word)) return true;
  return ['false', 'no', 'rejected', 'fail', 'failed', 'needs revision'].includes(word) ? false : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.trim().slice(0, maxCharacters).toWellFormed();
}
