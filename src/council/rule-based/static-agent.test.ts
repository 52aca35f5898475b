import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useExampleShop } from '../../../test/example-shop.ts';
import type { AgentTask, LaneResult } from '../../agents/port.ts';
import { type Judgement, type JudgementName, readJudgement } from '../../base/schema/judgements.ts';
import { citationsIn } from '../../base/text/citations.ts';
import { groundPlan } from '../../plan/grounding/grounding.ts';
import { pathLookup } from '../../plan/grounding/subject.ts';
import { planProblems } from '../../plan/plan-text.ts';
import { filesFromAnswer } from '../../plan/tasks/plan-files.ts';
import { checkCitation } from '../../repo/index/citation.ts';
import { indexRepository, type RepositoryIndex } from '../../repo/index/repository-index.ts';
import { readSnapshot } from '../../repo/index/snapshot.ts';
import { briefAsPlan } from './brief.ts';
import { createStaticAgent } from './static-agent.ts';
import { studyRequest } from './study.ts';

const shop = useExampleShop();
const lookup = pathLookup(process.env);
const agent = createStaticAgent();
let index: RepositoryIndex;
beforeAll(async () => {
  index = await indexRepository(await readSnapshot(shop.directory));
});

function taskFor(task: string, change: Partial<AgentTask> = {}): AgentTask {
  return {
    task,
    run: 'run',
    seat: 'author',
    attempt: 1,
    prompt: 'not read',
    directory: shop.directory,
    access: 'read',
    limits: { wallMs: 60_000, idleMs: 60_000 },
    schema: { type: 'object' },
    laneDirectory: shop.directory,
    ...change,
  };
}

const call = (task: string, change: Partial<AgentTask> = {}): Promise<LaneResult> =>
  agent.call(taskFor(task, change), { signal: new AbortController().signal, onEvent: () => undefined });

async function answer<Name extends JudgementName>(
  name: Name,
  task: string,
  input: { feature: string } & Record<string, unknown>,
): Promise<Judgement<Name>> {
  const result = await call(task, { input: { baseCommit: shop.commit, ...input } });
  expect(result).toMatchObject({ kind: 'ok', usage: { basis: 'measured', usd: 0 } });
  const reading = readJudgement(name, result.value);
  if (!reading.ok) throw new Error(`${task}: ${reading.problems.join('; ')}`);
  return reading.value;
}

const features: [feature: string, files: string[], tests: string[]][] = [
  [
    'let customers cancel an order before it is shipped',
    ['src/orders/order-service.ts', 'src/orders/order.ts', 'src/orders/routes.ts'],
    ['test/orders.test.ts'],
  ],
  [
    'let customers cancel an order',
    ['src/orders/order-service.ts', 'src/orders/order.ts', 'src/orders/routes.ts'],
    ['test/orders.test.ts'],
  ],
  ['add rate limiting to the API', ['src/http/handle.ts'], ['test/api.test.ts']],
  [
    'fix the race on stock between two servers',
    ['src/products/catalogue.ts', 'src/orders/order-service.ts'],
    ['test/orders.test.ts'],
  ],
  [
    'paginate the product list',
    ['src/products/catalogue.ts', 'src/products/routes.ts'],
    ['test/api.test.ts'],
  ],
];

describe.each(features)('%s', (feature, files, tests) => {
  test('the brief names the right files and tests, and the plan check finds no error', async () => {
    const plan = await answer('plan', 'plan', { feature });
    expect(plan.files.map((file) => file.path)).toEqual(expect.arrayContaining(files));
    expect(plan.tests.map((file) => file.path)).toEqual(expect.arrayContaining(tests));
    expect(planProblems(plan)).toEqual([]);
    const report = groundPlan(index, plan, { lookup });
    expect(report.facts.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('the brief says first that no model made it, and every line that it cites exists', async () => {
    const plan = await answer('plan', 'plan', { feature });
    expect(plan.summary).toMatch(/^\[no model, rule-based\]/);
    const cited = citationsIn(JSON.stringify(plan));
    expect(cited.length).toBeGreaterThan(3);
    for (const { file, line } of cited) {
      expect(checkCitation(index.snapshot, `${file}:${line}`), `${file}:${line}`).toMatchObject({
        status: 'found',
      });
    }
  });
});

test('alone the brief names two ways to add an agent; as evidence it does not', async () => {
  const feature = 'let customers cancel an order';
  const alone = await answer('plan', 'plan', { feature });
  expect(alone.summary.match(/npm install -g \S+/g)).toHaveLength(2);
  const evidence = await answer('plan', 'evidence', { feature });
  expect(evidence.summary).not.toContain('npm install');
  expect({ ...evidence, summary: '' }).toEqual({ ...alone, summary: '' });
});

test('the brief gives similar commits, and claims no history where there is none', async () => {
  const feature = 'let customers cancel an order';
  const { approach } = briefAsPlan(studyRequest(index, feature), { alone: true });
  expect(approach).toMatch(/Similar changes in history:\n- [0-9a-f]{10} "/);
  const bare = await indexRepository({ ...index.snapshot, history: [] });
  const plan = briefAsPlan(studyRequest(bare, feature), { alone: true });
  expect(plan.approach).toContain('History: none was available to search.');
  expect(JSON.stringify(plan)).not.toMatch(/earlier commit|similar commits/);
});

test('a heading as request loses its mark', () => {
  expect(studyRequest(index, '# Cancel orders\n\nCustomers want to.').title).toBe('Cancel orders');
});

test('a change of documents alone lists no code and no tests', async () => {
  const plan = await answer('plan', 'plan', { feature: 'docs: explain SHOP_DATA in README.md' });
  expect(plan.files.map(({ path: file, action }) => [file, action])).toEqual([['README.md', 'modify']]);
  expect(plan.symbols).toEqual([]);
  expect(groundPlan(index, plan, { lookup })).toMatchObject({ errors: 0 });
});

test('a request that matches nothing says so', async () => {
  const plan = await answer('plan', 'plan', { feature: 'zzz qqq' });
  expect(groundPlan(index, plan, { lookup }).errors).toBe(0);
});

test('gives the same answer to the same call during parallel calls', async () => {
  const input = { feature: 'let customers cancel an order', baseCommit: shop.commit };
  const [a, b] = await Promise.all([call('plan', { input }), call('plan', { input })]);
  expect(a.text).toBe(b.text);
});

test('the diagram shows the files of the plan and nothing that could break it', async () => {
  const plan = await answer('plan', 'plan', { feature: 'add rate limiting to the API' });
  const { mermaid } = await answer('diagram', 'diagram', { feature: 'x', plan });
  expect(mermaid).toContain('["handle.ts"]');
  expect(mermaid).toContain('flowchart LR');
  const documents = { ...plan, files: [{ path: 'README.md', action: 'modify' as const, description: 'x' }] };
  expect(await answer('diagram', 'diagram', { feature: 'x', plan: documents })).toMatchObject({
    mermaid: null,
  });
});

test('the other tasks of the panel have valid answers', async () => {
  const feature = 'let customers cancel an order';
  expect((await answer('explore', 'explore', { feature })).files.map((file) => file.path)).toContain(
    'src/orders/order-service.ts',
  );
  expect(await answer('questions', 'questions', { feature })).toEqual({ questions: [] });
  expect(await answer('discussion', 'discussion-1', { feature })).toEqual({ points: [] });
});

test.each(features.map(([feature]) => feature))(
  'a lite plan of "%s" has tasks that can be executed',
  async (feature) => {
    const exploration = await answer('exploration', 'explore', { feature, angle: 'patterns' });
    for (const { path: file, rationale } of exploration.relevant_files) {
      expect(index.byPath.has(file)).toBe(true);
      expect(rationale.length).toBeGreaterThan(10);
    }
    const plan = await answer('lite-plan', 'lite-plan', { feature, complexity: 'High' });
    const facts = {
      session: 'x',
      timestamp: 'x',
      angles: [],
      baseCommit: undefined,
      complexity: 'High' as const,
    };
    expect(filesFromAnswer(plan, facts).plan._metadata.quality_check).toMatchObject({
      critical: [],
      minor: [],
    });
    for (const { files } of plan.tasks) {
      for (const { path: file, action } of files)
        expect([file, action === 'create']).toEqual([file, !index.byPath.has(file)]);
    }
  },
);

test('any request gives a brief that holds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.lorem({ maxCount: 12 }).map((text) => `add ${text}`),
      ),
      async (text) => {
        const plan = await answer('plan', 'plan', { feature: text.trim() === '' ? 'x' : text });
        expect(planProblems(plan)).toEqual([]);
        expect(
          groundPlan(index, plan, { lookup }).facts.filter(({ severity }) => severity === 'error'),
        ).toEqual([]);
      },
    ),
    { numRuns: 25 },
  );
});

test('a new file never takes the name of one that exists', () => {
  expect(index.byPath.has(studyRequest(index, 'README').newFile)).toBe(false);
});

test.each(['sketch', 'synthesis', 'debate-thesis', 'judge', 'plan-review', 'vote', 'revise-plan'])(
  'the task %s needs a model and is refused',
  async (task) => {
    expect(await call(task, { input: { feature: 'x' } })).toMatchObject({
      kind: 'bad_output',
      message: `The static agent has no model and cannot do the task ${task}.`,
    });
  },
);

test('what it cannot do is refused with a reason', async () => {
  expect(await call('execute', { access: 'write' })).toMatchObject({ kind: 'denied' });
  expect(await call('diagram', { input: { feature: 'x' } })).toMatchObject({
    kind: 'bad_output',
    message: expect.stringContaining('"plan"'),
  });
  expect(await call('plan', { input: { feature: 'x', baseCommit: 'no-such-commit' } })).toMatchObject({
    kind: 'crash',
  });
  const stopped = { signal: AbortSignal.abort(), onEvent: () => undefined };
  expect(await agent.call(taskFor('plan', { input: { feature: 'x' } }), stopped)).toMatchObject({
    kind: 'cancelled',
  });
});

describe('outside of git', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-folder-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('reads a folder without git, and an empty one', async () => {
    expect(await call('plan', { directory: folder, input: { feature: 'add a price list' } })).toMatchObject({
      kind: 'ok',
    });
    writeFileSync(path.join(folder, 'price_list.py'), 'def price_list():\n    return []\n');
    const result = await call('plan', { directory: folder, input: { feature: 'sort the price list' } });
    expect(result.text).toContain('price_list.py:1');
  });
});
