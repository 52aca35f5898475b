import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { useExampleShop } from '../../../test/example-shop.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import { readJudgement } from '../../base/schema/judgements.ts';
import { indexRepository, type RepositoryIndex } from '../../repo/index/repository-index.ts';
import { readSnapshot } from '../../repo/index/snapshot.ts';
import { renderPlan } from '../plan-text.ts';
import { splitCommand } from './files.ts';
import { type GroundingOptions, groundingText, groundPlan, reviewFromGrounding } from './grounding.ts';
import { pathLookup, subjectOfText } from './subject.ts';

const shop = useExampleShop();
let index: RepositoryIndex;
beforeAll(async () => {
  index = await indexRepository(await readSnapshot(shop.directory));
});
const lookup = { onPath: (program: string) => program === 'node' };

const goodPlan: Plan = {
  title: 'Cancel orders',
  summary: 'A paid order can be cancelled.',
  files: [
    { path: 'src/orders/order.ts', action: 'modify', description: 'A status cancelled.' },
    { path: 'src/orders/cancellation.ts', action: 'new', description: 'The rule.' },
    { path: 'test/orders.test.ts', action: 'modify', description: 'Cases.' },
  ],
  approach: 'Extend the status table at src/orders/order.ts:18 and refund through the gateway.',
  edgeCases: ['A shipped order.'],
  failureModes: [{ failure: 'Refund fails.', warning: 'A log line.', mitigation: 'Keep the status.' }],
  testing: 'Extend the order tests.',
  tests: [{ path: 'test/orders.test.ts', description: 'Cancel a paid order.' }],
  commands: [{ command: 'npm test', purpose: 'All tests.' }],
  symbols: [
    { name: 'changeStatus', file: 'src/orders/order.ts', state: 'existing' },
    { name: 'PaymentGateway.refund', file: 'src/payments/gateway.ts', state: 'existing' },
    { name: 'cancelOrder', file: 'src/orders/cancellation.ts', state: 'new' },
  ],
  decisions: [],
};

function problems(change: Partial<Plan>, options: Partial<GroundingOptions> = {}) {
  return groundPlan(index, { ...goodPlan, ...change }, { lookup, ...options })
    .facts.filter(({ severity }) => severity !== 'none')
    .map(({ check, subject, result, severity }) => [check, subject, result, severity]);
}

test('a plan that is right has nothing against it, and each claim says where it was seen', () => {
  const report = groundPlan(index, goodPlan, { lookup });
  expect(report).toMatchObject({ errors: 0, warnings: 0, commit: shop.commit });
  expect(report.facts.find(({ subject }) => subject === 'PaymentGateway.refund')).toMatchObject({
    result: 'found',
    basis: 'exact',
    at: { path: 'src/payments/gateway.ts', line: 16 },
  });
});

test('a file to modify must exist, a new one must not', () => {
  const files: Plan['files'] = [
    { path: 'src/order/order.ts', action: 'modify', description: 'x' },
    { path: 'src/app.ts', action: 'new', description: 'x' },
    { path: '../outside.ts', action: 'new', description: 'x' },
  ];
  expect(problems({ files, symbols: [] })).toEqual([
    ['file', 'src/order/order.ts', 'missing', 'error'],
    ['file', 'src/app.ts', 'found', 'error'],
    ['file', '../outside.ts', 'missing', 'error'],
  ]);
  const report = groundPlan(index, { ...goodPlan, files }, { lookup });
  expect(groundingText(report)).toContain('nearest is src/orders/order.ts');
});

test('an invented symbol is an error, one in another file a warning, a word alone is marked weaker', () => {
  const file = 'src/orders/order.ts';
  expect(
    problems({
      symbols: [
        { name: 'cancelEverything', file, state: 'existing' },
        { name: 'priceCart', file, state: 'existing' },
        { name: 'changeStatus', file, state: 'new' },
      ],
    }),
  ).toEqual([
    ['symbol', 'cancelEverything', 'missing', 'error'],
    ['symbol', 'priceCart', 'found', 'warning'],
    ['symbol', 'changeStatus', 'found', 'warning'],
  ]);
  const symbols: Plan['symbols'] = [{ name: 'Bearer', file: null, state: 'existing' }];
  const weak = groundPlan(index, { ...goodPlan, symbols }, { lookup }).facts.find(
    ({ check }) => check === 'symbol',
  );
  expect(weak).toMatchObject({ result: 'found', severity: 'none', basis: 'words' });
});

test('commands are package scripts, targets, files or programs', () => {
  const commands = ['npm run deploy', 'npm test -- --watch', 'CI=1 node x.js && make all', 'frobnicate'].map(
    (command) => ({ command, purpose: 'x' }),
  );
  expect(problems({ commands })).toEqual([
    ['command', 'npm run deploy', 'missing', 'error'],
    ['command', 'make all', 'missing', 'error'],
    ['command', 'frobnicate', 'missing', 'warning'],
  ]);
});

test('reports missing tests and failure modes when sources change', () => {
  const [source] = goodPlan.files;
  const files = source === undefined ? [] : [source];
  expect(problems({ files, tests: [], failureModes: [], edgeCases: [], symbols: [] })).toEqual([
    ['section', 'Edge cases', 'missing', 'error'],
    ['section', 'Failure modes', 'missing', 'warning'],
    ['tests', 'tests', 'missing', 'error'],
  ]);
});

const refund = {
  number: 1,
  title: 'Refund',
  resolution: 'Refund at once through `PaymentGateway.refund` in src/payments/gateway.ts',
  overruled: 'Collect refunds in a nightly batch',
  disposition: 'voted',
};
const statement = (honoured: string) => ({ decisions: [{ id: 'DECISION_1', honoured }] });
const followed = 'The refund goes at once through src/payments/gateway.ts.';

test('L-562, L-566: a plan that follows a voted resolution in files, symbols and statement has nothing against it', () => {
  expect(problems(statement(followed), { decided: [refund] })).toEqual([]);
});

test.each<[string, Partial<Plan>]>([
  ['no statement', {}],
  ['only the number of the decision in its text', { approach: 'DECISION_1 is followed: refund at once.' }],
  ['a statement without any of the resolution', statement('Followed as voted.')],
  [
    'a statement of the option that lost',
    statement('A nightly batch collects them, see src/payments/gateway.ts.'),
  ],
  ['no symbol of the resolution', { ...statement(followed), symbols: [] }],
  ['no file of the resolution', statement('The refund goes at once through the gateway.')],
])('L-562, L-566: a plan with %s does not follow a voted resolution', (_, change) => {
  expect(problems(change, { decided: [refund] })).toContainEqual([
    'decision',
    'DECISION_1: Refund',
    'missing',
    'error',
  ]);
});

test('L-562: a plan that names none of the decision’s files is not certified', () => {
  const decided = [{ ...refund, resolution: 'Refund at once', affectedFiles: ['src/refunds/ledger.ts'] }];
  expect(problems(statement('The refund goes out at once.'), { decided })).toEqual([
    ['decision', 'DECISION_1: Refund', 'unchecked', 'warning'],
  ]);
});

test('L-534: an accepted finding may replace a voted resolution, if the plan names it', () => {
  const decided = [{ ...refund, accepted: ['FINDING_2'] }];
  expect(problems(statement('Replaced by FINDING_2: a nightly batch.'), { decided })).toEqual([]);
  expect(problems(statement('Replaced by FINDING_20: a nightly batch.'), { decided })).toHaveLength(1);
});

test('L-562: what was not voted is at least mentioned', () => {
  const decided = [{ number: 2, title: 'Queue', resolution: 'No queue', disposition: 'over-cap' }];
  expect(problems({}, { decided })).toEqual([['decision', 'DECISION_2: Queue', 'missing', 'warning']]);
  expect(problems({ approach: 'DECISION_2: no queue.' }, { decided })).toEqual([]);
});

test('a cited line that is not there is a warning', () => {
  expect(problems({ approach: 'As in src/orders/order.ts:400.' })).toEqual([
    ['citation', 'src/orders/order.ts:400', 'missing', 'warning'],
  ]);
});

test('plan text is read by its headings and checked the same way', () => {
  const text = `# Plan

## Files to modify/create
- \`src/orders/order.ts\`: a status
- \`src/orders/cancel.ts\` (new): the rule
- \`src/orders/gone.ts\`: gone

## Approach
Call \`changeStatus()\` and \`frob()\`. DECISION_1 is followed: refund at once.

### Edge details
More.

## Edge cases
- shipped

## Testing strategy
Extend test/orders.test.ts and run \`npm test\`, then \`npm run nothing\`.
`;
  const subject = subjectOfText(text);
  expect(subject.files).toEqual([
    { path: 'src/orders/order.ts', action: 'unknown' },
    { path: 'src/orders/cancel.ts', action: 'new' },
    { path: 'src/orders/gone.ts', action: 'unknown' },
  ]);
  const report = groundPlan(index, text, { lookup });
  expect(report.facts.filter(({ severity }) => severity !== 'none').map(({ subject: name }) => name)).toEqual(
    ['Failure modes', 'src/orders/gone.ts', 'npm run nothing'],
  );
  expect(report.facts.find(({ subject: name }) => name === 'frob')?.result).toBe('unchecked');
});

test('checks plan.txt like the plan it was written from', () => {
  const typed = groundPlan(index, goodPlan, { lookup });
  expect(groundPlan(index, renderPlan(goodPlan), { lookup })).toEqual(typed);
});

test('findings of the check are valid findings of a reviewer', () => {
  const report = groundPlan(index, { ...goodPlan, tests: [], files: [] }, { lookup });
  const review = readJudgement('review', reviewFromGrounding(report, index));
  expect(review.ok && review.value.findings.length).toBe(report.errors + report.warnings);
});

test('any text can be checked', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(groundPlan(index, text, { lookup }).errors).toBeGreaterThan(0);
      expect(splitCommand(text).every((words) => words.length > 0)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('programs are looked up without being started', () => {
  const { onPath } = pathLookup(process.env);
  expect([onPath('node'), onPath('no-such-program'), onPath('../bin/sh')]).toEqual([true, false, false]);
});

test('searches unparsed scripts by words and marks the result', async () => {
  const text = `export function found() {}\n${'('.repeat(60_000)}`;
  const files = [{ path: 'src/deep.ts', oid: 'a', size: text.length, text }];
  const deep = await indexRepository({ commit: 'c', files, skipped: [], history: [] });
  const symbols: Plan['symbols'] = [
    { name: 'found', file: 'src/deep.ts', state: 'existing' },
    { name: 'lost', file: 'src/deep.ts', state: 'existing' },
  ];
  const { facts } = groundPlan(deep, { ...goodPlan, symbols }, { lookup });
  expect(facts.filter(({ check }) => check === 'symbol')).toMatchObject([
    { subject: 'found', result: 'found', basis: 'words' },
    { subject: 'lost', result: 'missing', basis: 'words' },
  ]);
});
