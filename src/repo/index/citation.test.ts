import { beforeAll, expect, test } from 'vitest';
import { useExampleShop } from '../../../test/example-shop.ts';
import { checkCitation, readPlace } from './citation.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';

const shop = useExampleShop();
let snapshot: Snapshot;
beforeAll(async () => {
  snapshot = await readSnapshot(shop.directory);
});

test.each([
  ['src/a.ts:3', { path: 'src/a.ts', line: 3, endLine: 3 }],
  ['./src/a.ts:3-9', { path: 'src/a.ts', line: 3, endLine: 9 }],
  ['`src/a b.ts:L3-L9`', { path: 'src/a b.ts', line: 3, endLine: 9 }],
  ['src/a.ts:3:40', { path: 'src/a.ts', line: 3, endLine: 3 }],
  ['src/a.ts:3:', { path: 'src/a.ts', line: 3, endLine: 3 }],
  ['src/a.ts#L3-L9', { path: 'src/a.ts', line: 3, endLine: 9 }],
  ['src/a.ts', undefined],
  ['at 10:30 exactly', undefined],
])('%s is read as a place', (text, place) => {
  expect(readPlace(text)).toEqual(place);
});

test('a line that exists is found, with its text', () => {
  expect(checkCitation(snapshot, 'src/orders/order.ts:4')).toMatchObject({
    status: 'found',
    text: expect.stringContaining("'placed' | 'paid'"),
  });
});

test('a line past the end and a file that is not there are missing, with the reason', () => {
  expect(checkCitation(snapshot, 'src/orders/order.ts:999')).toMatchObject({
    status: 'missing',
    reason: expect.stringContaining('31 lines'),
  });
  expect(checkCitation(snapshot, 'src/orders/refund.ts:1')).toMatchObject({
    status: 'missing',
    reason: expect.stringContaining('does not exist at the base commit'),
  });
});

test('a quote at another line of the file has moved', () => {
  const quote = 'export function  changeStatus(order: Order, status: OrderStatus)';
  expect(checkCitation(snapshot, 'src/orders/order.ts:3', quote)).toMatchObject({
    status: 'moved',
    line: 26,
  });
  expect(checkCitation(snapshot, 'src/orders/order.ts:26', quote)).toMatchObject({
    status: 'found',
    line: 26,
  });
  expect(checkCitation(snapshot, 'src/orders/order.ts:24-30', quote)).toMatchObject({ status: 'found' });
});

test('a quote in one other file has moved there; invented text is missing', () => {
  expect(checkCitation(snapshot, 'src/orders/gone.ts:3', 'export function priceCart(')).toMatchObject({
    status: 'moved',
    path: 'src/carts/cart.ts',
  });
  expect(checkCitation(snapshot, 'src/orders/order.ts:3', 'cancelOrder(everything)')).toMatchObject({
    status: 'missing',
    reason: 'the quoted text is not in src/orders/order.ts',
  });
});

test('a path cut short at the front is understood when only one file fits', () => {
  expect(checkCitation(snapshot, 'orders/order.ts:4')).toMatchObject({
    status: 'moved',
    path: 'src/orders/order.ts',
  });
  expect(checkCitation(snapshot, 'routes.ts:5')).toMatchObject({ status: 'missing' });
});

test('thousands of brackets before a place are passed once', { timeout: 10_000 }, () => {
  expect(readPlace('('.repeat(200_000))).toBeUndefined();
  expect(readPlace(`${'('.repeat(200_000)}src/a.ts:3)`)).toMatchObject({ path: 'src/a.ts', line: 3 });
});
