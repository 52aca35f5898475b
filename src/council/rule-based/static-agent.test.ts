import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useExampleShop } from '../../../test/example-shop.ts';
import { judgementNames } from '../../../test/support/judgement-names.ts';
import type { AgentTask, LaneResult } from '../../agents/port.ts';
import {
  type Judgement,
  type JudgementName,
  judgementJsonSchema,
  readJudgement,
} from '../../base/schema/judgements.ts';
import { citationsIn } from '../../base/text/citations.ts';
import { groundPlan } from '../../plan/grounding/grounding.ts';
import { pathLookup } from '../../plan/grounding/subject.ts';
import { filesFromAnswer } from '../../plan/tasks/plan-files.ts';
import { planProblems } from '../../plan/validate.ts';
import { checkCitation } from '../../repo/index/citation.ts';
import { readSnapshot } from '../../repo/index/git-snapshot.ts';
import { indexRepository, type RepositoryIndex } from '../../repo/index/repository-index.ts';
import { checkSketchText } from '../substantive.ts';
import { fillSchema } from './fill-schema.ts';
import { createStaticAgent } from './static-agent.ts';
import { studyFeature } from './study.ts';
import type { PanelTaskInput } from './task-input.ts';

const shop = useExampleShop();
const lookup = pathLookup(process.env);
const agent = createStaticAgent();
const stances = ['arch', 'edge', 'innovation', 'pragmatic'] as const;
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
  input: PanelTaskInput,
  seat = 'author',
): Promise<Judgement<Name>> {
  const result = await call(task, { seat, input: { baseCommit: shop.commit, ...input } });
  expect(result).toMatchObject({ kind: 'ok', usage: { basis: 'measured', usd: 0 } });
  const reading = readJudgement(name, result.value);
  if (!reading.ok) throw new Error(`${task}: ${reading.problems.join('; ')}`);
  return reading.value;
}

async function walk(feature: string) {
  const sketches = await Promise.all(
    stances.map(async (stance) => ({
      seat: stance,
      sketch: await answer('sketch', 'sketch', { feature, stance }, stance),
    })),
  );
  const synthesis = await answer('synthesis', 'synthesis', { feature, sketches });
  const resolutions = synthesis.contested.map(({ title, chosen }, at) => ({
    number: at + 1,
    title,
    resolution: chosen,
    disposition: 'voted',
    why: { label: 'Why thesis prevails', text: 'it holds' },
  }));
  const plan = await answer('plan', 'plan', { feature, synthesis, resolutions });
  return { sketches, synthesis, resolutions, plan };
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
  [
    'add rate limiting to the API',
    ['src/http/rate-limiting.ts', 'src/http/handle.ts', 'src/app.ts', 'src/config.ts'],
    ['test/rate-limiting.test.ts'],
  ],
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
  test('the sketches and the plan name the right files and tests, and the plan check finds no error', async () => {
    const { plan, resolutions } = await walk(feature);
    expect(plan.files.map((file) => file.path)).toEqual(expect.arrayContaining(files));
    expect(plan.tests.map((file) => file.path)).toEqual(expect.arrayContaining(tests));
    const report = groundPlan(index, plan, { decided: resolutions, lookup });
    expect(report.facts.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('everything is headed as rule-based, and every cited line exists', async () => {
    const { sketches, synthesis, plan } = await walk(feature);
    for (const { sketch } of sketches) expect(sketch.summary).toMatch(/^\[no model, rule-based\]/);
    expect(synthesis.summary).toMatch(/^\[no model, rule-based\]/);
    expect(plan.summary).toMatch(/^\[no model, rule-based\]/);
    const cited = citationsIn(JSON.stringify([sketches, synthesis, plan]));
    expect(cited.length).toBeGreaterThan(10);
    for (const { file, line } of cited) {
      expect(checkCitation(index.snapshot, `${file}:${line}`), `${file}:${line}`).toMatchObject({
        status: 'found',
      });
    }
  });
});

test('seats differ by method, and where they differ a decision is contested', async () => {
  const { sketches, synthesis } = await walk('add rate limiting to the API');
  expect(new Set(sketches.map(({ sketch }) => sketch.summary.split(':')[0])).size).toBe(4);
  const place = synthesis.contested.find(({ title }) => title === 'Where the change lives');
  expect(place).toMatchObject({ impact: 'High', alternativeSeats: ['pragmatic'] });
  expect(place?.chosen).toContain('src/http/rate-limiting.ts');
});

test('a feature that is a document is named by its heading, without the mark', () => {
  expect(studyFeature(index, '# Cancel orders\n\nCustomers want to.').feature.title).toBe('Cancel orders');
});

test('a change of documents alone plans no code and no tests', async () => {
  const { plan } = await walk('docs: explain SHOP_DATA in README.md');
  expect(plan.files.map(({ path: file, action }) => [file, action])).toEqual([['README.md', 'modify']]);
  expect(plan.symbols).toEqual([]);
  expect(groundPlan(index, plan, { lookup })).toMatchObject({ errors: 0 });
});

test('two seats without a stance differ too', async () => {
  const feature = 'add rate limiting to the API';
  const [first, second] = await Promise.all(
    ['static-generic', 'static-generic-2'].map((seat) =>
      answer('sketch', 'sketch', { feature, stance: 'generic' }, seat),
    ),
  );
  expect(first?.summary).toContain('smallest change');
  expect(second?.summary).toContain('reuse');
});

test('the same call gives the same answer, whoever else calls', async () => {
  const input = { feature: 'let customers cancel an order', baseCommit: shop.commit };
  const [a, b] = await Promise.all([call('sketch', { input }), call('sketch', { input })]);
  expect(a.text).toBe(b.text);
});

test('a debate is argued with evidence, judged by it, and carries no mark of its author', async () => {
  const feature = 'add rate limiting to the API';
  const { synthesis } = await walk(feature);
  const [decision] = synthesis.contested;
  if (decision === undefined) throw new Error('nothing contested');
  const thesis = await answer('defence', 'debate-thesis', { feature, decision });
  const antithesis = await answer('defence', 'debate-antithesis', { feature, decision });
  expect([thesis.recommend, antithesis.recommend]).toEqual(['THESIS', 'ANTI_THESIS']);
  for (const defence of [thesis, antithesis]) {
    expect(citationsIn(defence.evidence).length).toBeGreaterThan(0);
    expect(JSON.stringify(defence)).not.toMatch(/rule-based|no model|static/i);
  }
  const invented = { ...antithesis, evidence: 'See src/http/gone.ts:3 and src/none.ts:9.' };
  const debates = [
    { number: 1, thesis, antithesis: invented },
    { decision: { number: 2 }, thesis: invented, antithesis },
    { number: 3, thesis, antithesis: thesis },
  ];
  const { verdicts } = await answer('verdict', 'judge', { feature, debates });
  expect(verdicts.map(({ decision: number, vote }) => [number, vote])).toEqual([
    [1, 'THESIS'],
    [2, 'ANTI_THESIS'],
    [3, 'THESIS'],
  ]);
});

test('a review finds what a plan forgot, the vote accepts it, the revision adds it', async () => {
  const feature = 'let customers cancel an order';
  const { plan } = await walk(feature);
  const poor = {
    ...plan,
    files: [
      ...plan.files.filter((file) => file.path !== 'test/orders.test.ts' && file.path !== 'README.md'),
      { path: 'src/orders/refunds.ts', action: 'modify' as const, description: 'Refunds.' },
    ],
    tests: [],
    commands: [{ command: 'npm run ship', purpose: 'x' }],
  };
  const reviews = await Promise.all(
    stances.map((stance) => answer('review', 'plan-review', { feature, plan: poor, stance }, stance)),
  );
  const raised = reviews
    .flatMap(({ findings }) => findings)
    .map((finding, at) => ({ ...finding, id: `ITEM_${at + 1}` }));
  expect(raised.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      'The tests of src/orders/order.ts are not in the plan',
      'README.md is not updated',
      'Plan check: file src/orders/refunds.ts',
      'Plan check: command npm run ship',
    ]),
  );
  const { clusters } = await answer('merge', 'merge-findings', { feature, candidates: raised });
  expect(clusters.flatMap(({ ids }) => ids).sort()).toEqual(raised.map(({ id }) => id).sort());
  expect(clusters.length).toBeLessThan(raised.length);
  const items = clusters.flatMap(({ ids }, at) => {
    const first = raised.find(({ id }) => id === ids[0]);
    return first === undefined ? [] : [{ ...first, id: `FINDING_${at + 1}` }];
  });
  const { votes } = await answer('vote', 'vote', { feature, items });
  expect(votes.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  const accepted = items.filter(({ id }) => votes.find((vote) => vote.id === id)?.vote === 'YES');
  expect(accepted.map(({ title }) => title)).toContain('README.md is not updated');
  expect(accepted.map(({ title }) => title)).not.toContain('src/payments/gateway.ts may not need to change');
  const { plan: revised, resolutions } = await answer('revision', 'revise-plan', {
    feature,
    plan: poor,
    accepted,
  });
  expect(resolutions.map(({ id }) => id)).toEqual(accepted.map(({ id }) => id));
  expect(revised.tests.map((file) => file.path)).toContain('test/orders.test.ts');
  expect(revised.files.map((file) => file.path)).toContain('README.md');
  expect(revised.commands).toEqual([]);
  expect(groundPlan(index, revised, { lookup }).errors).toBe(0);
});

test('votes follow the published rule', async () => {
  const base = {
    title: 'x',
    focusArea: 'correctness' as const,
    concern: 'x',
    suggestedRevision: 'x',
    outOfScope: false,
  };
  const held = { file: 'src/app.ts', line: 27, endLine: null, quote: null };
  const lost = { file: 'src/gone.ts', line: 1, endLine: null, quote: null };
  const { votes } = await answer('vote', 'vote', {
    feature: 'x',
    items: [
      { ...base, id: 'FINDING_1', severity: 'Important', citations: [held] },
      { ...base, id: 'FINDING_2', severity: 'Nit', citations: [held] },
      { ...base, id: 'FINDING_3', severity: 'Important', citations: [lost] },
      { ...base, id: 'FINDING_4', severity: 'Important', citations: [] },
      { ...base, id: 'OOS_1', severity: 'Important', citations: [], title: 'Plan check: file a.ts' },
    ],
  });
  expect(votes.map(({ vote }) => vote)).toEqual(['YES', 'EXONERATE', 'NO', 'EXONERATE', 'YES']);
});

test('the diagram shows the files of the plan and nothing that could break it', async () => {
  const { plan } = await walk('add rate limiting to the API');
  const { mermaid } = await answer('diagram', 'diagram', { feature: 'x', plan });
  expect(mermaid).toContain('["rate-limiting.ts new"]');
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
  expect(await answer('branch-fit', 'branch-fit', { feature, branch: 'ines/cancel-order' })).toMatchObject({
    fits: true,
  });
  expect(await answer('branch-fit', 'branch-fit', { feature, branch: 'ines/new-logo' })).toMatchObject({
    fits: false,
  });
});

test.each(features.map(([feature]) => feature))(
  'a lite plan of "%s" has tasks that can be carried out',
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

test.each(judgementNames)('a task nobody wrote a rule for is answered by its schema: %s', (name) => {
  const study = studyFeature(index, 'let customers cancel an order');
  expect(readJudgement(name, fillSchema(judgementJsonSchema(name), study))).toMatchObject({ ok: true });
});

test('any description gives a valid sketch and a plan that holds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.lorem({ maxCount: 12 }).map((text) => `add ${text}`),
      ),
      async (text) => {
        const feature = text.trim() === '' ? 'x' : text;
        const sketch = await answer('sketch', 'sketch', { feature }, 'seat-2');
        expect(checkSketchText(sketch.approach)).toEqual({ ok: true });
        const synthesis = await answer('synthesis', 'synthesis', {
          feature,
          sketches: [{ seat: 'seat-2', sketch }],
        });
        const plan = await answer('plan', 'plan', { feature, synthesis });
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
  const { newFile, newTest } = studyFeature(index, 'order');
  expect([newFile, newTest].filter((file) => index.byPath.has(file))).toEqual([]);
});

test('a task without a schema is answered as text with the mark on top', async () => {
  const { schema: _schema, ...task } = taskFor('sketch', {
    input: { feature: 'let customers cancel an order' },
  });
  const result = await agent.call(task, { signal: new AbortController().signal, onEvent: () => undefined });
  expect(result).toMatchObject({ kind: 'ok', text: expect.stringMatching(/^> no model, rule-based\n/) });
  expect(result.value).toBeUndefined();
});

test('what it cannot do is refused with a reason', async () => {
  expect(await call('execute', { access: 'write' })).toMatchObject({ kind: 'denied' });
  expect(await call('vote', { input: { feature: 'x' } })).toMatchObject({
    kind: 'bad_output',
    message: expect.stringContaining('"items"'),
  });
  expect(await call('sketch', { input: { feature: 'x', baseCommit: 'no-such-commit' } })).toMatchObject({
    kind: 'crash',
  });
  const stopped = { signal: AbortSignal.abort(), onEvent: () => undefined };
  expect(await agent.call(taskFor('sketch', { input: { feature: 'x' } }), stopped)).toMatchObject({
    kind: 'cancelled',
  });
});

describe('outside of git', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-folder-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('a plain folder is read as it is, an empty one too', async () => {
    expect(await call('sketch', { directory: folder, input: { feature: 'add a price list' } })).toMatchObject(
      { kind: 'ok' },
    );
    writeFileSync(path.join(folder, 'price_list.py'), 'def price_list():\n    return []\n');
    const result = await call('sketch', { directory: folder, input: { feature: 'sort the price list' } });
    expect(result.text).toContain('price_list.py:1');
  });
});
