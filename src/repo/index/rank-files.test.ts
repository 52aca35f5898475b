import { beforeAll, expect, test } from 'vitest';
import { useExampleShop } from '../../../test/example-shop.ts';
import { testNeighbours } from './import-graph.ts';
import { rankFiles } from './rank-files.ts';
import { coChanges, indexRepository, type RepositoryIndex } from './repository-index.ts';
import { measureSize, proposeDepth, publicSurface } from './sizing.ts';
import { readSnapshot } from './snapshot.ts';

const shop = useExampleShop();
let index: RepositoryIndex;
beforeAll(async () => {
  index = await indexRepository(await readSnapshot(shop.directory));
});

const best = (description: string, count: number) =>
  rankFiles(index, description, count).map(({ path }) => path);

test.each([
  [
    'let customers cancel an order',
    6,
    ['src/orders/order-service.ts', 'src/orders/order.ts', 'src/orders/routes.ts'],
  ],
  ['revoke tokens when a customer signs out', 6, ['src/auth/tokens.ts', 'src/auth/authenticate.ts']],
  ['put the shipping fee in cents', 8, ['src/carts/cart.ts', 'src/config.ts']],
  ['add rate limiting to the API', 10, ['src/http/handle.ts', 'src/app.ts']],
  ['search products by price range', 4, ['src/products/catalogue.ts', 'src/products/routes.ts']],
])('"%s" finds its files among the first %i', (description, count, wanted) => {
  expect(best(description, count)).toEqual(expect.arrayContaining(wanted));
});

test('a file named in the description comes first', () => {
  expect(best('make src/logger.ts quieter', 1)).toEqual(['src/logger.ts']);
});

test('every proposal says why', () => {
  for (const { signals, score } of rankFiles(index, 'let customers cancel an order')) {
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.reduce((sum, signal) => sum + signal.score, 0)).toBeCloseTo(score);
  }
});

test('a description without a known word gives no confident answer and does not fail', () => {
  expect(
    rankFiles(index, 'zzz qqq').every(({ signals }) =>
      signals.every(({ signal }) => signal !== 'title' && signal !== 'passage'),
    ),
  ).toBe(true);
  expect(rankFiles(index, '')).toBeInstanceOf(Array);
});

test('tests around a file are found by import and by name', () => {
  const tests = testNeighbours('src/orders/order.ts', index.graph, index.tests).map(({ path }) => path);
  expect(tests[0]).toBe('test/orders.test.ts');
  expect(testNeighbours('src/auth/tokens.ts', index.graph, index.tests)[0]).toEqual({
    path: 'test/tokens.test.ts',
    why: 'carries its name',
  });
});

test('files that changed together are known', () => {
  expect(coChanges(index.history, 'src/orders/order-service.ts').map(({ path }) => path)).toContain(
    'src/products/catalogue.ts',
  );
});

test('routes are public', () => {
  expect([...publicSurface(index).keys()]).toEqual([
    'src/auth/routes.ts',
    'src/carts/routes.ts',
    'src/orders/routes.ts',
    'src/products/routes.ts',
  ]);
});

test('a small change is sized smaller than one across the house', () => {
  const small = proposeDepth({ predictedFiles: ['a.ts'], fanIn: 0, tested: 1, publicFiles: [] });
  expect(small).toMatchObject({ depth: 'solo', points: 0 });
  const many = Array.from({ length: 12 }, (_, number) => `${number}.ts`);
  const publicFiles = [{ path: '0.ts', why: 'entry' }];
  expect(proposeDepth(measureSize(index, 'fix a typo in the order service')).depth).toBe('solo');
  for (const wording of ['typo in the order service', 'correct the outdated comments in src/orders'])
    expect(measureSize(index, wording).wordingOnly, wording).toBe(true);
  for (const more of [
    'add comments to posts, stored in the database',
    'fix the comments endpoint',
    'add spelling suggestions to the search',
    'let customers format a comment',
  ])
    expect(measureSize(index, more).wordingOnly, more).toBe(false);
  expect(proposeDepth(measureSize(index, 'make src/logger.ts quieter')).measure.predictedFiles).toEqual([
    'src/logger.ts',
  ]);
  expect(proposeDepth({ predictedFiles: many, fanIn: 50, tested: 0, publicFiles }).depth).toBe('wide');
  const order = proposeDepth(measureSize(index, 'let customers cancel an order'));
  expect(order.measure.predictedFiles).toContain('src/orders/order-service.ts');
  expect(order.measure.publicFiles.map(({ path }) => path)).toContain('src/orders/routes.ts');
  expect(order.reasons.map(({ points }) => points).reduce((a, b) => a + b)).toBe(order.points);
});
