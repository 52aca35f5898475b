import { expect, test } from 'vitest';
import { slugify } from './slug.ts';

test('keeps words and folds accents', () => {
  expect(slugify('Ajoute la Sécurité: rate-limiting!')).toBe('ajoute-la-securite-rate-limiting');
});

test('cuts at a word, within the maximum', () => {
  expect(slugify('one two three four', 9)).toBe('one-two');
  expect(slugify('x'.repeat(80), 10)).toBe('x'.repeat(10));
});

test('falls back when nothing survives', () => {
  expect(slugify('設計', 50, 'feature')).toBe('feature');
});
