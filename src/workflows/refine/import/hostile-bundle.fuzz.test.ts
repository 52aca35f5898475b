import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatOf } from './bundle-format.ts';
import { readHtmlBundle } from './html-bundle.ts';
import { limits } from './limits.ts';
import { cleanMarkup } from './markup.ts';
import { sanitizeSvg } from './sanitize-svg.ts';
import { extensionOf } from './scan-entries.ts';

// Readers that look back, or start again for every part, need minutes for these texts: the limit of the test is what they fail by.
const many = (count: number, piece: string | ((index: number) => string)) =>
  Array.from({ length: count }, (_, index) => (typeof piece === 'string' ? piece : piece(index))).join('');
const page = (body: string) => readHtmlBundle(`<!doctype html>${body}`);

test('comments before the first tag of a page', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-format-'));
  const file = path.join(folder, 'page.html');
  writeFileSync(file, `${many(140, '<!---->')}x`);
  await expect(formatOf(file)).rejects.toMatchObject({ code: 'DESIGN_IMPORT_UNSUPPORTED_FORMAT' });
  writeFileSync(file, `\ufeff\n<!-- a -->\n${many(100, '<!---->')}<!DOCTYPE html>`);
  expect(await formatOf(file)).toBe('html');
  writeFileSync(file, '<!-- a <html>');
  await expect(formatOf(file)).rejects.toMatchObject({ code: 'DESIGN_IMPORT_UNSUPPORTED_FORMAT' });
  rmSync(folder, { recursive: true });
});

test('names of entries without an end', () => {
  for (const run of ['\\/', '. ']) expect(extensionOf(`a.PNG${many(500_000, run)}x`)).not.toBe('png');
  expect(extensionOf(`a.PNG${many(500_000, '. ')}/\\`)).toBe('png');
});

describe('a page', () => {
  test('with comments in its style that never end', () => {
    const { tokens } = page(`<style>/* a */--a: 1; /* b */ ${many(2_000_000, '/* ')}</style>`);
    expect(tokens).toEqual({ custom: { a: '1' } });
  });

  test('with many properties and many blocks of tokens', () => {
    const properties = many(100_000, (index) => `--a${index}:1;`);
    const blocks = many(50_000, (index) => `<script data-design-tokens>{"b${index}":1}</script>`);
    const { tokens } = page(`<style>:root{${properties} --__proto__: x}</style>${blocks}`);
    expect(Object.keys(tokens)).toHaveLength(50_001);
    expect(Object.keys(tokens['custom'] ?? {})).toHaveLength(100_001);
  });

  test('of parts within parts: what is too large, or too much together, is taken by its name', () => {
    const { components, warnings } = page(many(40_000, '<div data-component=a>'));
    expect(components).toHaveLength(40_000);
    const written = components.reduce((sum, { markup = '' }) => sum + markup.length, 0);
    expect(written).toBeLessThanOrEqual(limits.componentTotalBytes);
    expect(components[0]).toEqual({ name: 'A', file: null, variants: [] });
    expect(warnings).toEqual([
      { code: 'too-large', text: expect.stringMatching(/^of \d+ large components only the names/) },
    ]);
  });

  test('with a large part around a small one', () => {
    const inner = '<div data-component="inner">x</div>';
    const { components } = page(`<div data-component="outer">${many(600_000, 'x')}${inner}</div>`);
    expect(components).toEqual([
      { name: 'Outer', file: null, variants: [] },
      { name: 'Inner', file: null, variants: [], markup: inner },
    ]);
  });

  test('whose parts hold much that is not among their children', () => {
    const { components } = page(
      `${many(10_000, '<div data-component=a>')}<template>${many(1_000_000, 'x ')}</template>`,
    );
    expect(components.every(({ markup }) => markup === undefined)).toBe(true);
  });

  test('of texts within texts', () => {
    const { copy } = page(`${many(20_000, '<blockquote>')}${many(1_000_000, 'long ')}`);
    const characters = copy?.sections.reduce((sum, { primary }) => sum + primary.length, 0);
    expect(characters).toBeLessThanOrEqual(limits.textCharacters);
    expect(page(`${many(200_000, '<blockquote>')}end`).copy?.sections[0]?.primary).toBe('end');
  });

  test('of styles within styles', () => {
    const { tokens } = page(`<svg>${many(200_000, '<style>')}--a: 1; ${many(1_000_000, 'x ')}`);
    expect(tokens).toEqual({ custom: { a: expect.stringMatching(/^1/) } });
  });

  test('with more siblings than fit on a stack', () => {
    expect(page(many(300_000, '<p>a</p>')).copy?.sections).toHaveLength(limits.texts);
  });

  test('whose formatting is repeated in every paragraph', () => {
    const formatting = `<p>${many(2_000, (index) => `<b a${index}>`)}</p>${many(300_000, '<p>x</p>')}`;
    for (const read of [page, (text: string) => cleanMarkup(text, 'a.html')])
      expect(() => read(formatting)).toThrow(/more than 500000 elements/);
  });

  test('with much to take out of one part', () => {
    const { removed, markup } = cleanMarkup(many(400_000, '<iframe></iframe>'), 'a.html');
    expect({ removed, markup }).toEqual({ removed: 400_000, markup: '' });
  });
});

describe('a drawing', () => {
  const drawing = (inner: string, attributes = '') =>
    sanitizeSvg(`<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${inner}</svg>`);

  test.each([
    ['comments in its style that never end', `<style>${many(1_000_000, '/* ')}</style>`],
    ['blanks after a sign that begins a tag', `<style><![CDATA[<${many(2_000_000, ' ')}(]]></style>`],
    ['texts within elements within elements', `${many(400_000, '<g>x')}${many(400_000, '</g>')}`],
  ])('with %s', (_, inner) => {
    expect(drawing(inner).ok).toBe(true);
  });

  test('with a tag in its style, however it is spaced', () => {
    for (const tag of ['<b', '</b', '< / b', '<\n/b'])
      expect(drawing(`<style><![CDATA[${tag}]]></style>`)).toMatchObject({ removed: ['<style>'] });
  });

  test('with a large picture inside', () => {
    const picture = `data:image/png;base64,${many(2_000_000, 'A')}`;
    expect(drawing(`<image href="${picture}"/>`)).toMatchObject({ ok: true, removed: [] });
  });

  const attributes = (count: number) => many(count, (index) => ` a${index}=""`);
  const namespaces = many(900, (index) => ` xmlns:a${index}="b"`);

  test.each([
    ['attributes', '', attributes(800_000), 'more than 1000 attributes'],
    ['attributes by one', '', attributes(1_000), 'more than 1000 attributes'],
    ['namespaces', many(1_000_000, '<g/>'), namespaces, 'more than 64 namespaces'],
    [
      'namespaces within namespaces',
      `${many(100_000, '<g xmlns:a="b">')}${many(100_000, '</g>')}`,
      '',
      'more than 64 namespaces',
    ],
  ])('with too many %s is refused', (_, inner, given, reason) => {
    expect(drawing(inner, given)).toEqual({ ok: false, reason });
  });

  test('with namespaces side by side', () => {
    expect(drawing(many(100_000, '<g xmlns:a="b"/>'))).toMatchObject({ ok: true, removed: [] });
  });
});
