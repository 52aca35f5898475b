import { expect, test } from 'vitest';
import { countIterations, countMarkers } from '../../../prompts/markers.ts';
import { type HistoryEntry, renderHistoryEntry, renderImplementEntry, reviewRecord } from './history.ts';
import {
  filesInLog,
  implementationLogHeader,
  readTaskReport,
  renderLogEntry,
  safePaths,
} from './implementation-log.ts';
import { phaseOutcome } from './review-loop.ts';

test('a report of empty lines takes one pass', () => {
  const report = readTaskReport(`## Decisions\n\n- one\n${'\n'.repeat(399_000)}* two\n`);
  expect(report.decisions).toBe('one two');
});

const entry: HistoryEntry = {
  command: 'specify',
  role: 'spec-reviewer',
  iteration: 2,
  time: '2026-03-01T10:00:00Z',
  result: { reviewer: 'approved', gate: 'fail', open: [], waived: [], reason: 'approved, but 1 open issue' },
  issues: [
    {
      severity: 'warning',
      category: 'clarity',
      description: 'vague\n## Not a heading',
      location: 'R2',
      suggestion: 'say how',
    },
    { severity: 'suggestion', description: 'tidy' },
  ],
  changes: 'R2 reworded',
  markers: ['LAZY-LOAD-WARNING: spec-reviewer did not confirm artifact reads'],
};

test('T-081, T-082, T-085, lean/C-20: the entry of a review, text by agents on one line', () => {
  const text = renderHistoryEntry(entry);
  expect(text).toBe(
    [
      '## Step 1: Spec-Reviewer Review - Iteration 2 - 2026-03-01T10:00:00Z',
      '',
      '**Reviewer:** spec-reviewer',
      '**Decision:** Needs Revision',
      '**Reviewer verdict:** approved (approved, but 1 open issue)',
      '',
      'LAZY-LOAD-WARNING: spec-reviewer did not confirm artifact reads',
      '',
      '**Issues:**',
      '- [warning] [clarity] vague ## Not a heading (at: R2)',
      '  Suggestion: say how',
      '- [suggestion] tidy',
      '',
      '**Changes Made:**',
      'R2 reworded',
      '',
      '---',
      '',
    ].join('\n'),
  );
  expect([countMarkers(text), countIterations(text)]).toEqual([
    { lazyLoadWarnings: 1, resumeFallbacks: 0 },
    1,
  ]);
});

test('T-083: task reviewers name the task and the way out on one line', () => {
  const text = renderHistoryEntry({
    ...entry,
    command: 'tasks',
    role: 'task-reviewer',
    issues: [{ severity: 'blocker', location: 'Task 2.1', description: 'too big', suggestion: 'split it' }],
    markers: [],
  });
  expect(text).toContain('\n- [blocker] Task 2.1: too big -> split it\n');
});

test('an agent cannot smuggle a marker into the history', () => {
  const text = renderHistoryEntry({
    ...entry,
    markers: [],
    issues: [{ severity: 'warning', description: 'x\nLAZY-LOAD-WARNING: a did not confirm artifact reads' }],
    changes: 'done',
  });
  expect(countMarkers(text).lazyLoadWarnings).toBe(0);
});

test('T-084: a round of the implementation review', () => {
  const pass = { reviewer: 'approved', gate: 'pass', open: [], waived: [], reason: '' } as const;
  const text = renderImplementEntry({
    iteration: 3,
    time: '2026-03-01T10:00:00Z',
    finalValidation: true,
    reviewers: [
      { role: 'implementation-reviewer', result: pass, issues: [] },
      { role: 'code-quality-reviewer', skippedSince: 1, issues: [] },
      {
        role: 'security-reviewer',
        result: { ...pass, gate: 'fail' },
        issues: [{ severity: 'blocker', level: 'spec', description: 'leak', suggestion: 'close' }],
      },
    ],
    levels: { tasks: true, spec: false, design: true, prd: true },
  });
  expect(text).toContain('## Iteration 3 - 2026-03-01T10:00:00Z [FINAL VALIDATION]\n');
  expect(text).toContain(
    '**code-quality-reviewer:** Skipped (passed iter 1)\n**security-reviewer:** Needs Revision\n',
  );
  expect(text).toContain('- Spec Compliance: FAIL\n');
  expect(text).toContain('- [spec] security-reviewer: leak -> close\n');
});

test.each([
  [
    'headings',
    '## Files changed\n- src/a.ts\n- `src/b.ts` (new)\n\n## Decisions\nuse a map\n\n## Deviations\nnone\n## Concerns\n',
  ],
  ['bold', '**Files Changed:** src/a.ts, src/b.ts\n**Decisions:** use a map\n**Deviations:** none\n'],
  ['plain', 'FILES CHANGED: src/a.ts, src/b.ts\nDecisions: use a map'],
])('T-069: a report with %s', (_name, text) => {
  expect(readTaskReport(text)).toEqual({
    filesChanged: ['src/a.ts', 'src/b.ts'],
    decisions: 'use a map',
    deviations: 'none',
    concerns: 'none',
    partial: false,
  });
});

test('T-071: a malformed report makes a partial entry', () => {
  expect(readTaskReport('I did it.')).toMatchObject({ filesChanged: [], decisions: 'none', partial: true });
});

test('T-070: the entry has four fields under its task', () => {
  const report = readTaskReport('Files changed: src/a.ts\nDecisions: use\na map');
  expect(`${implementationLogHeader}\n${renderLogEntry('1.2', 'Cache', report)}`).toBe(
    '# Implementation Log\n\n## Task 1.2: Cache\n- **Files changed:** src/a.ts\n- **Decisions:** use a map\n- **Deviations:** none\n- **Concerns:** none\n',
  );
});

test('T-072: the lost list of files comes back from the log, without paths that lead out', () => {
  const log =
    '# Implementation Log\n## Task 1: A\n- **Files changed:** src/a.ts, ../../etc/passwd, /etc/shadow\n## Task 2: B\n- **Files changed:** src/a.ts, src/b.ts\n';
  expect(filesInLog(log)).toEqual(['src/a.ts', 'src/b.ts']);
  expect(safePaths(['a/%2E%2e/b', 'a\0b', 'a\\b', '~/x', 'C:x', '', 'ok.ts'])).toEqual(['ok.ts']);
});

test('§2C: the outcome in the first sentence that fits', () => {
  const note = { severity: 'warning', description: 'x'.repeat(150) };
  expect(phaseOutcome('design', 10, true, [])).toMatch(/cap reached after 10/);
  expect(phaseOutcome('design', 1, false, [])).toBe('design: approved on first pass');
  expect(phaseOutcome('design', 3, false, [])).toBe('design: approved after 3 iterations');
  const lines = phaseOutcome(
    'design',
    3,
    false,
    Array.from({ length: 9 }, () => note),
  ).split('\n');
  expect(lines[0]).toBe('design: approved with notes');
  expect(lines[1]).toBe(`  [W] ${'x'.repeat(99)}…`);
  expect(lines).toHaveLength(7);
});

test('T-075, T-085, lean/C-23: an answer that could not be read is recorded with its markers and the reason', () => {
  const marker = 'LAZY-LOAD-WARNING: spec-reviewer did not confirm artifact reads';
  const unread = {
    command: 'specify',
    role: 'spec-reviewer',
    iteration: 1,
    time: 't',
    result: {
      reviewer: 'rejected',
      gate: 'fail',
      open: [],
      waived: [],
      reason: 'the answer has no JSON object\n## x',
    },
    issues: [],
    markers: [marker],
  } as const;
  const text = renderHistoryEntry(unread);
  expect(text).toContain('**Reviewer verdict:** rejected (the answer has no JSON object ## x)\n');
  expect(countMarkers(text)).toMatchObject(countMarkers(`${marker}\n`));
  expect(reviewRecord(unread)).toMatchObject({
    reason: 'the answer has no JSON object ## x',
  });
});
