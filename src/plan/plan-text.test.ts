import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../test/arbitrary-of.ts';
import { type Plan, planSchema } from '../base/schema/judgements/plan.ts';
import { line, prose } from '../base/schema/primitives.ts';
import { readBlocks, readSections } from '../base/text/labelled-block.ts';
import { type Dissent, dissents, renderDissent } from '../council/outcome-files.ts';
import { type Resolution, renderVoted } from '../council/resolutions.ts';
import type { DecidedPoint } from './grounding/grounding.ts';
import {
  isRepositoryPath,
  planProblems,
  planTitles,
  readPlan,
  renderPlan,
  revisionProblems,
} from './plan-text.ts';

const plan: Plan = {
  title: 'Rate limiting',
  summary: 'Limits requests per key.',
  files: [
    { path: 'src/limit.ts', action: 'new', description: 'The limiter.' },
    { path: 'src/server.ts', action: 'modify', description: 'Uses it.' },
  ],
  approach: 'A token bucket per key.',
  edgeCases: ['No key: one bucket for all.'],
  failureModes: [{ failure: 'Clock jumps.', warning: 'Bursts.', mitigation: 'Monotonic time.' }],
  testing: 'Unit tests with a fake clock.',
  tests: [{ path: 'src/limit.test.ts', description: 'Refill and burst.' }],
  commands: [{ command: 'npm test', purpose: 'All tests.' }],
  symbols: [{ name: 'takeToken', file: 'src/limit.ts', state: 'new' }],
  decisions: [{ id: 'DECISION_1', honoured: 'In memory, as voted.' }],
};

test('L-563 L-564 a plan and its dissent are read back from plan.txt', () => {
  fc.assert(
    fc.property(arbitraryOf(planSchema), fc.array(dissentArbitrary, { maxLength: 3 }), (value, entries) => {
      const text = renderPlan(value, { dissent: renderDissent(entries) });
      expect(readPlan(text)).toEqual({ ok: true, plan: value });
      expect(readDissent(text)).toEqual(entries);
    }),
  );
});

/** The dissent section of a plan file, read as everything else in it is. */
function readDissent(text: string): Dissent[] {
  const { sections } = readSections(text, Object.values(planTitles));
  const labels = ['Position', 'Best argument', 'Held by', 'Overruled'];
  return readBlocks(sections.get(planTitles.dissent) ?? '', /^(.+)$/, labels).map(({ heading, fields }) => ({
    subject: heading[0] ?? '',
    position: fields.get('Position') ?? '',
    argument: fields.get('Best argument') ?? '',
    heldBy: fields.get('Held by') ?? '',
    overruled: fields.get('Overruled') ?? '',
  }));
}

const dissentArbitrary: fc.Arbitrary<Dissent> = fc.record({
  subject: arbitraryOf(line(80))
    .map((subject) => subject.replace(/^#+\s*/, '') || 'x')
    .filter((subject) => !/^(\*\*|__)|#$/.test(subject)),
  position: arbitraryOf(line(80)),
  argument: arbitraryOf(prose(200)),
  heldBy: arbitraryOf(line(80)),
  overruled: arbitraryOf(prose(200)),
});

test('L-563: writes the five headings in order', () => {
  const headings = renderPlan(plan).match(/^## .*$/gm);
  expect(headings?.slice(0, 5)).toEqual([
    '## Files to modify/create',
    '## Approach',
    '## Edge cases',
    '## Failure modes',
    '## Testing strategy',
  ]);
});

test('a plan in an agent’s own words is read: other headings, bullets and file lines', () => {
  const reading = readPlan(`Sure! Here is the plan.

## Implementation Plan: Rate limits

We limit.

# 1. Files to modify/create:
* **src/limit.ts** (new) — the limiter
* \`src/server.ts\`: uses it
- Remove \`src/old.ts\`

**Approach**
A token bucket.

### Edge Cases
No key at all.

### Testing Strategy
Unit tests.`);
  expect(reading).toMatchObject({
    ok: true,
    plan: {
      title: 'Rate limits',
      summary: 'We limit.',
      files: [
        { path: 'src/limit.ts', action: 'new', description: 'the limiter' },
        { path: 'src/server.ts', action: 'modify', description: 'uses it' },
        { path: 'src/old.ts', action: 'delete' },
      ],
      edgeCases: ['No key at all.'],
    },
  });
});

test('L-566 a plan without its sections names each that is missing', () => {
  const reading = readPlan('# Plan: x\n\n## Approach\n\nDo it.\n');
  if (reading.ok) throw new Error('accepted');
  expect(reading.problems.join('\n')).toContain('"Files to modify/create" is missing');
  expect(reading.problems.join('\n')).toContain('"Testing strategy" is missing');
});

const resolution = (more: Partial<Resolution> = {}): Resolution => ({
  number: 2,
  title: 'Store',
  resolution: 'memory',
  disposition: 'voted',
  tally: { thesis: 1, antithesis: 2 },
  thesisSummary: 'Redis is shared.',
  antithesisSummary: 'Memory is simple.',
  why: { label: 'Why antithesis prevails', text: 'Simple is enough.' },
  ...more,
});

test('L-530: plan.txt shows each voted resolution with its vote, and is read back without them', () => {
  const skipped = { ...resolution({ number: 3, disposition: 'over-cap' }) };
  delete skipped.tally;
  const text = renderPlan(plan, { resolutions: renderVoted([resolution(), skipped]) });
  expect(text).toContain(
    '## Voted resolutions\n\n### DECISION_2: Store\n- **Resolution**: memory\n- **Vote tally**: THESIS=1, ANTI_THESIS=2\n',
  );
  expect(text).not.toContain('DECISION_3');
  expect(readPlan(text)).toEqual({ ok: true, plan });
  expect(renderPlan(plan)).not.toContain('Voted resolutions');
});

const decided = (more: Partial<DecidedPoint> = {}): DecidedPoint => ({
  number: 1,
  title: 'Store',
  resolution: 'in memory',
  disposition: 'voted',
  overruled: 'in a shared Redis',
  ...more,
});

test('L-562 L-566 a complete plan passes; an ignored vote, missing sections and bad paths do not', () => {
  expect(planProblems(plan)).toEqual([]);
  expect(planProblems(plan, { decided: [decided()] })).toEqual([]);
  expect(planProblems(plan, { decided: [decided({ number: 2 })] })).toEqual([
    'DECISION_2: Store: voted, but the plan does not say how it follows the resolution',
  ]);
  expect(planProblems(plan, { decided: [decided({ number: 2, disposition: 'advised' })] })).toEqual([]);
  expect(planProblems(plan, { decided: [decided({ number: 2, disposition: 'over-cap' })] })).toEqual([]);
  const file = plan.files[0];
  if (!file) throw new Error('no file');
  const broken = { ...plan, edgeCases: [], failureModes: [], files: [file, file, { ...file, path: '../x' }] };
  expect(planProblems(broken)).toEqual([
    'Edge cases: none are named',
    'Failure modes: a change to code needs them',
    '../x: not a path inside the repository',
    'src/limit.ts: listed more than once',
  ]);
});

test('L-563 failure modes may be missing when only documentation changes', () => {
  const docs = {
    ...plan,
    failureModes: [],
    files: [{ path: 'docs/a.md', action: 'modify' as const, description: 'x' }],
  };
  expect(planProblems(docs)).toEqual([]);
});

test.each(['/etc/passwd', 'C:\\x', '..', 'a/../../b', '.git/config', '.GIT/hooks/x', 'a\u0000b', ''])(
  'L-942: rejects %j as a path inside the repository',
  (path) => {
    expect(isRepositoryPath(path)).toBe(false);
  },
);

test('L-698 a revision answers every accepted finding and changes the plan', () => {
  const revised = { ...plan, approach: 'A token bucket with a lock.' };
  const resolutions = [{ id: 'FINDING_1', resolution: 'Added a lock.' }];
  expect(revisionProblems(['FINDING_1'], plan, { plan: revised, resolutions })).toEqual([]);
  expect(revisionProblems(['FINDING_1', 'FINDING_2'], plan, { plan, resolutions })).toEqual([
    'FINDING_2: accepted, but the revision has no resolution for it',
    'the plan did not change although findings were accepted',
  ]);
  expect(revisionProblems([], plan, { plan, resolutions })).toEqual([
    'FINDING_1: resolved, but it was not accepted',
  ]);
});

test('every overruled position keeps its best argument, who held it and why it lost', () => {
  const decision = {
    number: 2,
    title: 'Store',
    chosen: 'Redis',
    alternative: 'memory',
    tension: 'shared or simple',
    impact: 'High' as const,
    affectedFiles: [],
    chosenSeats: ['Cursor-Arch'],
    alternativeSeats: ['Codex-Pragmatic'],
  };
  expect(dissents([decision], [resolution()], [])).toEqual([
    {
      subject: 'DECISION_2: Store',
      position: 'Redis',
      argument: 'Redis is shared.',
      heldBy: 'Cursor-Arch',
      overruled: 'Why antithesis prevails: Simple is enough.',
    },
  ]);
  const skipped = resolution({
    disposition: 'over-cap',
    antithesisSummary: '(no debate)',
    why: { label: 'Why over-cap', text: 'rank 6' },
  });
  expect(dissents([decision], [skipped], [])[0]).toMatchObject({
    position: 'memory',
    argument: 'shared or simple',
    heldBy: 'Codex-Pragmatic',
    overruled: 'Not debated (rank 6); the synthesis stands.',
  });
  const rejected = {
    reviewer: 'Code',
    finding: 'Too slow\n\nIt scans all keys.',
    reason: '0 YES',
    outcome: 'rejected' as const,
  };
  expect(dissents([], [], [rejected])[0]).toMatchObject({
    position: 'Too slow',
    argument: 'It scans all keys.',
    heldBy: 'Code',
  });
});
