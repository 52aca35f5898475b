import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTerms, pathTerms, splitIdentifier, stem, termsOf } from './words.ts';

test('identifiers are split at case, underscores, digits stay', () => {
  expect(splitIdentifier('parseHTTPHeader_v2')).toEqual(['parse', 'http', 'header', 'v2']);
  expect(splitIdentifier('src/order-service')).toEqual(['src', 'order', 'service']);
});

// The limit is for a pattern that looks again from every letter.
test('long runs of capitals are split in one pass', { timeout: 10_000 }, () => {
  expect(splitIdentifier('XMLHttpRequestABCd')).toEqual(['xml', 'http', 'request', 'ab', 'cd']);
  expect(splitIdentifier('A'.repeat(200_000))).toHaveLength(1);
});

test.each([
  ['cancellation', 'cancelled'],
  ['authenticate', 'authentication'],
  ['orders', 'order'],
  ['storing', 'stores'],
  ['limiting', 'limits'],
  ['retries', 'retry'],
])('%s and %s have one stem', (a, b) => {
  expect(stem(a)).toBe(stem(b));
});

test('different words keep different stems', () => {
  expect(new Set(['order', 'border', 'class', 'status', 'price', 'product'].map(stem)).size).toBe(6);
});

test('an identifier is found by its parts and as a whole', () => {
  expect(termsOf('returnStock')).toEqual(['stock', 'returnstock']);
});

test('the base name of a path counts more than its folders', () => {
  const terms = pathTerms('src/orders/order-service.ts');
  expect(terms.get('servic')).toBe(2);
  expect(terms.get('order')).toBe(3);
});

test('counting never fails and is the same for the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const counts = countTerms(text);
      expect([...counts.values()].every((count) => count > 0)).toBe(true);
      expect(countTerms(text)).toEqual(counts);
    }),
  );
});
