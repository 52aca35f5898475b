import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type FeatureMeta, readMeta } from '../../../prompts/feature/meta.ts';
import { selectFeature } from '../../../prompts/feature/select.ts';
import { parseTasks } from '../../../prompts/sections/tasks.ts';
import { tasksOfSpec } from '../implement-tasks.ts';
import {
  newMeta,
  serializeMeta,
  withPhaseCompleted,
  withPhaseRejected,
  withPhaseStarted,
  withResumeDeferred,
  withSkipped,
} from './meta-write.ts';
import { nextPhase } from './phases.ts';
import { artifactValidity, featureStatus, transitionTo } from './status.ts';

const long = 'word '.repeat(30);

test.each([
  ['spec', undefined, 0],
  ['spec', 'short', 1],
  ['spec', long, 2],
  ['spec', `## Scope\n${long}`, 3],
  ['spec', `## Acceptance Criteria\n${long}`, 4],
  ['spec', `## success criteria (all)\n${long}`, 4],
  ['spec', `\`\`\`\n## Acceptance Criteria\n\`\`\`\n## Scope\n${long}`, 3],
  ['design', `## Architecture Overview\n${long}`, 4],
  ['plan', `## Phase 1: A\n${long}`, 4],
  ['plan', `## Phases\n${long}`, 3],
  ['tasks', `## Start\n### Task 1.1: A\n${long}`, 4],
  ['prd', `## Goals\n${long}`, 4],
] as const)('§2C: %s.md with %j is at level', (key, text, level) => {
  expect(artifactValidity(key, text).level).toBe(level);
});

test('lean/C-26: a hundred bytes pass, one less does not', () => {
  const of = (bytes: number) => artifactValidity('spec', '## Acceptance Criteria\n'.padEnd(bytes, 'x')).level;
  expect([of(99), of(100)]).toEqual([1, 4]);
});

const texts = {
  spec: `## Acceptance Criteria\n${long}`,
  design: `## Components\n${long}`,
  plan: `## Phase 1\n${long}`,
  tasks: `## Phase 1\n### Task 1: A\n${long}`,
};
const meta = (change: object = {}): FeatureMeta =>
  readMeta(JSON.stringify({ status: 'active', ...change })).meta;

test('§2C: the next phase proceeds, a later one skips, an earlier one goes back', () => {
  expect(transitionTo({ to: 'specify', meta: meta(), texts })).toEqual({ kind: 'proceed' });
  const specified = meta({ lastCompletedPhase: 'specify' });
  expect(transitionTo({ to: 'design', meta: specified, texts })).toEqual({ kind: 'proceed' });
  expect(transitionTo({ to: 'tasks', meta: specified, texts })).toEqual({
    kind: 'warning',
    skipped: ['design', 'plan'],
  });
  expect(transitionTo({ to: 'specify', meta: specified, texts })).toEqual({
    kind: 'backward',
    completed: 'specify',
  });
});

test('lean/C-26: hard prerequisites count with what they need in turn, and beat everything else', () => {
  expect(transitionTo({ to: 'plan', meta: meta(), texts: { design: texts.design } })).toEqual({
    kind: 'blocked',
    reasons: ['spec.md is missing'],
  });
  expect(
    transitionTo({ to: 'implement', meta: meta(), texts: { spec: 'x', tasks: texts.tasks } }),
  ).toMatchObject({ kind: 'blocked' });
});

test('§2C: terminal features do not move; a started phase is partial; light mode skips nothing', () => {
  expect(transitionTo({ to: 'design', meta: meta({ status: 'completed' }), texts })).toMatchObject({
    kind: 'over',
    reason: 'the feature is completed',
  });
  expect(
    transitionTo({
      to: 'design',
      meta: meta({ lastCompletedPhase: 'specify', phases: { design: { started: 't' } } }),
      texts,
    }),
  ).toEqual({ kind: 'partial', started: 't' });
  expect(
    transitionTo({ to: 'implement', meta: meta({ mode: 'light', lastCompletedPhase: 'specify' }), texts }),
  ).toEqual({ kind: 'proceed' });
  expect([nextPhase('specify', 'light'), nextPhase('finish'), nextPhase(undefined, 'light')]).toEqual([
    'implement',
    undefined,
    'specify',
  ]);
});

test('§2E: every form in which the state was written is read', () => {
  const reading = readMeta(
    JSON.stringify({
      id: 30,
      slug: 'x',
      mode: 'Full',
      status: 'Active',
      brainstorm_source: '',
      depends_on_features: ['001-a', 2, null],
      skippedPhases: ['brainstorm', { phase: 'design', fromPhase: 'specify' }, 7],
      phases: {
        specify: {
          startedAt: 'a',
          completedAt: 'b',
          reviewIterations: { specReviewer: 3, phaseReviewer: 2 },
        },
        design: {
          started: 'a',
          stages: { designReview: { iterations: 5 }, handoffReview: { iterations: 4 } },
        },
        plan: {
          reviewIterations: 4,
          reviewerNotes: ['note', { severity: 'warning', description: 'd' }, {}],
        },
        implement: 'done',
      },
    }),
  );
  expect(reading.meta).toEqual({
    id: '30',
    slug: 'x',
    mode: 'full',
    status: 'active',
    dependsOnFeatures: ['001-a', '2'],
    skippedPhases: [{ phase: 'brainstorm' }, { phase: 'design', fromPhase: 'specify' }],
    phases: {
      specify: { started: 'a', completed: 'b', iterations: 5, reviewerNotes: [] },
      design: { started: 'a', iterations: 9, reviewerNotes: [] },
      plan: {
        iterations: 4,
        reviewerNotes: [
          { severity: 'suggestion', description: 'note' },
          { severity: 'warning', description: 'd' },
        ],
      },
    },
    backwardTrips: [],
  });
  expect(reading.problems).toEqual(['phases.implement is not an object']);
});

test('create-plan and create-tasks of other tools are read as plan and tasks, and written so', () => {
  const reading = readMeta(
    JSON.stringify({
      status: 'active',
      lastCompletedPhase: 'create-plan',
      skippedPhases: ['create-tasks', { phase: 'create-tasks', fromPhase: 'create-plan' }],
      phases: { 'create-plan': { started: 'a', completed: 'b' } },
      backward_context: { source_phase: 'create-tasks', target_phase: 'design' },
      backward_return_target: 'create-tasks',
      note: 'create-plan',
    }),
  );
  expect(reading.meta).toMatchObject({
    lastCompletedPhase: 'plan',
    skippedPhases: [{ phase: 'tasks' }, { phase: 'tasks', fromPhase: 'plan' }],
    phases: { plan: { completed: 'b' } },
    backwardContext: { sourcePhase: 'tasks' },
    backwardReturnTarget: 'tasks',
  });
  const written = serializeMeta(withPhaseStarted(reading, 'tasks', 'c'));
  expect(written.match(/create-\w+/g)).toEqual(['create-plan']);
  expect(written).toContain('"note": "create-plan"');
});

test('a phase that ended without approval is carried forward or rejected, never completed', () => {
  const started = readMeta(JSON.stringify({ status: 'active', phases: { design: { started: 'a' } } }));
  const completion = { time: 'b', iterations: 5, reviewerNotes: [] };
  const stateOf = (raw: Record<string, unknown>) =>
    featureStatus('001-x', readMeta(serializeMeta(raw)), {}).phases.find(({ phase }) => phase === 'design')
      ?.state;
  expect(stateOf(withPhaseCompleted(started, 'design', completion))).toBe('completed');
  const carried = withPhaseCompleted(started, 'design', { ...completion, outcome: 'carried-forward' });
  expect(stateOf(carried)).toBe('carried-forward');
  const noted = [{ severity: 'blocker', description: 'd' }];
  expect(stateOf(withPhaseCompleted(started, 'design', { ...completion, reviewerNotes: noted }))).toBe(
    'carried-forward',
  );
  expect(stateOf(withPhaseRejected(started, 'design'))).toBe('rejected');
  const again = withPhaseStarted(
    readMeta(serializeMeta(withPhaseRejected(started, 'design'))),
    'design',
    'c',
  );
  expect(stateOf(again)).toBe('started');
});

test.each([undefined, '', '{', '[]', 'null', '"x"'])(
  'a state file with %j is a problem, not a crash',
  (text) => {
    const { meta: read, problems } = readMeta(text);
    expect(read).toEqual({ dependsOnFeatures: [], skippedPhases: [], phases: {}, backwardTrips: [] });
    expect(problems).toHaveLength(1);
  },
);

test('accepts a null mode and missing phases, reports unknown words', () => {
  expect(readMeta('{"mode": null, "status": "planned"}').problems).toEqual([]);
  expect(readMeta('{"status": "sleeping"}').problems).toEqual([
    'status is "sleeping"; known are planned, active, completed, abandoned',
  ]);
});

test('§2E: what is written reads back, unknown fields survive', () => {
  const begun = readMeta(
    serializeMeta({
      ...newMeta({ id: '007', slug: 'search', mode: 'standard', created: 't0' }),
      mine: { kept: true },
    }),
  );
  expect(begun).toMatchObject({
    problems: [],
    meta: { id: '007', status: 'active', branch: 'feature/007-search' },
  });
  const started = readMeta(serializeMeta(withPhaseStarted(begun, 'specify', 't1')));
  const completed = readMeta(
    serializeMeta(
      withPhaseCompleted(started, 'specify', {
        time: 't2',
        iterations: 3,
        reviewerNotes: [{ severity: 'warning', description: 'w' }],
      }),
    ),
  );
  expect(completed.raw['mine']).toEqual({ kept: true });
  expect(completed.meta).toMatchObject({
    lastCompletedPhase: 'specify',
    phases: {
      specify: {
        started: 't1',
        completed: 't2',
        iterations: 3,
        reviewerNotes: [{ severity: 'warning', description: 'w' }],
      },
    },
  });
  expect(withSkipped(completed, [{ phase: 'design' }])['skippedPhases']).toEqual([{ phase: 'design' }]);
  const finished = readMeta(
    serializeMeta(withPhaseCompleted(completed, 'finish', { time: 't3', iterations: 1, reviewerNotes: [] })),
  );
  expect(finished.meta).toMatchObject({ status: 'completed', completed: 't3' });
  expect(() => withPhaseStarted(finished, 'specify', 't4')).toThrow(/completed/);
});

test('T-116: a failed probe is kept with the feature', () => {
  expect(withResumeDeferred(readMeta('{"id":"1"}'), 'V2: HTTP 400')).toEqual({
    id: '1',
    r1_deferred_reason: 'V2: HTTP 400',
  });
});

test('a state file that could not be read is not overwritten', () => {
  expect(() => withPhaseStarted(readMeta('{"id": '), 'specify', 't')).toThrow(
    /Repair \.meta\.json|cannot be changed/,
  );
});

test('T-012: finds features by number; a folder is one only with a state or a document', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'features-'));
  for (const name of ['999-old', '1000-new', '1001-empty']) mkdirSync(path.join(root, name));
  for (const name of ['999-old', '1000-new'])
    writeFileSync(path.join(root, name, '.meta.json'), '{"status":"active"}');
  const select = (named?: string, autonomous = false) =>
    selectFeature({ ...(named === undefined ? {} : { named }), cwd: root, root, autonomous });
  expect(await select(undefined, true)).toBe(path.join(root, '1000-new'));
  expect(await select('999')).toBe(path.join(root, '999-old'));
  for (const named of ['1001', '1001-empty', '.', root])
    await expect(select(named), named).rejects.toMatchObject({ code: 'not-found' });
  for (const named of ['', ' ']) await expect(select(named)).rejects.toMatchObject({ code: 'usage' });
});

test('§2B: in light mode code needs the specification alone, in standard mode tasks too', () => {
  const spec = `# Spec\n\n## Acceptance Criteria\n${'it works '.repeat(20)}`;
  const enter = (mode: string) =>
    transitionTo({ to: 'implement', meta: meta({ mode, lastCompletedPhase: 'specify' }), texts: { spec } })
      .kind;
  expect([enter('light'), enter('standard')]).toEqual(['proceed', 'blocked']);
  const [task, ...more] = parseTasks(tasksOfSpec('001-search', '# Spec: Search by tag\n'));
  expect([task, more]).toMatchObject([
    { number: '1', title: 'Search by tag', doneWhen: expect.any(String) },
    [],
  ]);
  expect(artifactValidity('tasks', tasksOfSpec('001-a', '')).level).toBe(4);
});
