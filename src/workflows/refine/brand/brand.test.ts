import fc from 'fast-check';
import { expect, test } from 'vitest';
import { projectWith } from '../../../../test/support/design-project.ts';
import { type Colour, checkContrast, contrastRatio, fromHsl, parseColour, toHex, toHsl } from './colour.ts';
import {
  brandFolderOf,
  documentConflicts,
  readBrandFiles,
  readIdentity,
  requireBrand,
  tokenConflicts,
} from './identity.ts';

test('comments of brand files that never close take one pass', () => {
  const text = `Primary: #0b5fff\n<!-- Accent: #ff0055 -->\n${'<!--'.repeat(500_000)}`;
  expect(readIdentity(text).colours).toEqual([{ name: 'primary', value: '#0b5fff', line: 1 }]);
});

const colour = fc.record({ red: fc.nat(255), green: fc.nat(255), blue: fc.nat(255) });

test('BR-05 contrast ratios by WCAG: 21 for black on white, 1 for a colour on itself, the same both ways', () => {
  const [black, white, grey] = ['#000', '#ffffff', 'rgb(119, 119, 119)'].map(
    (text) => parseColour(text) as Colour,
  ) as [Colour, Colour, Colour];
  expect(contrastRatio(black, white)).toBeCloseTo(21, 5);
  expect(contrastRatio(grey, white)).toBeCloseTo(4.48, 2);
  fc.assert(
    fc.property(colour, colour, (one, other) => {
      expect(contrastRatio(one, one)).toBe(1);
      expect(contrastRatio(one, other)).toBe(contrastRatio(other, one));
    }),
  );
});

test('BR-05 body text needs 4.5, large text, parts and focus 3', () => {
  expect(checkContrast('#777777', '#ffffff', 'large')).toBeUndefined();
  expect(checkContrast('#777777', '#ffffff', 'body')).toMatchObject({ actual: 4.47, needed: 4.5 });
});

test('BR-06 a failing pair comes with its ratios and three colours that pass, those of the brand first', () => {
  const failure = checkContrast('#ffee00', '#ffffff', 'body', ['#eeeeee', '#003366']);
  expect(failure).toMatchObject({ foreground: '#ffee00', background: '#ffffff', needed: 4.5 });
  expect(failure?.alternatives[0]).toBe('#003366');
  fc.assert(
    fc.property(colour, colour, fc.constantFrom('body', 'large', 'ui-part', 'focus'), (front, back, use) => {
      const found = checkContrast(toHex(front), toHex(back), use);
      if (found === undefined) return;
      expect(new Set(found.alternatives).size).toBe(3);
      for (const text of found.alternatives)
        expect(contrastRatio(parseColour(text) as Colour, back)).toBeGreaterThanOrEqual(found.needed);
    }),
  );
});

test('colours survive a turn through hue, saturation and lightness', () => {
  fc.assert(
    fc.property(colour, (one) => {
      const back = fromHsl(...toHsl(one));
      for (const key of ['red', 'green', 'blue'] as const)
        expect(Math.abs(back[key] - one[key])).toBeLessThanOrEqual(1);
    }),
  );
});

test('BR-01 BR-02 one placeholder in a brand file blocks, and so does a missing file', async () => {
  const root = projectWith({
    '.moai/project/brand/brand-voice.md': '# Voice\n\nPlain words.\n',
    '.moai/project/brand/visual-identity.md': '# Look\n\nPrimary: #0b5fff\nSecondary: _TBD_\n',
  });
  const reading = await readBrandFiles(root, brandFolderOf({ kind: 'absent' }));
  expect(reading).toMatchObject({
    missing: ['target-audience.md'],
    unfinished: [{ name: 'visual-identity.md', lines: [4] }],
  });
  expect(() => requireBrand(reading)).toThrow(
    'The brand is not complete: .moai/project/brand/target-audience.md is missing; .moai/project/brand/visual-identity.md has _TBD_ in line 4.',
  );
  expect(() => requireBrand({ ...reading, missing: [], unfinished: [] })).not.toThrow();
});

test('BR-02 the brand folder can be set', () => {
  expect(brandFolderOf({ kind: 'value', value: { design: { brand_context: { dir: 'brand/' } } } })).toBe(
    'brand',
  );
});

test('BR-03 colours and typefaces of a brand file in the forms people write', () => {
  const text = [
    '# Visual identity',
    '- **Primary**: #0B5FFF',
    '| Secondary colour | `#222` | for text |',
    '1. Accent — rgb(255, 0, 85)',
    '--color-surface: #fafafa;',
    '<!-- Old: #ffffff -->',
    'Heading font: "Inter", sans-serif',
    '- Body typeface: Georgia',
    'Some words about #abcdef with no label of theirs would still be one',
  ].join('\n');
  const { colours, fonts } = readIdentity(text);
  expect(colours.slice(0, 4)).toEqual([
    { name: 'primary', value: '#0b5fff', line: 2 },
    { name: 'secondary', value: '#222222', line: 3 },
    { name: 'accent', value: '#ff0055', line: 4 },
    { name: 'surface', value: '#fafafa', line: 5 },
  ]);
  expect(fonts).toEqual([
    { name: 'heading', value: 'Inter', line: 7 },
    { name: 'body', value: 'Georgia', line: 8 },
  ]);
});

test('BR-03 BR-04 M-053 the brand wins over design documents and tokens; each conflict has two or three ways out', () => {
  const identity = readIdentity('Primary: #0b5fff\nAccent: #ff0055\nHeading font: Inter\n');
  const [inDocument] = documentConflicts(
    identity,
    'system.md',
    '## Colour tokens\n| primary | #00ff00 |\n| accent | #ff0055 |\n',
  );
  expect(inDocument).toMatchObject({
    kind: 'colour',
    name: 'primary',
    source: 'system.md:2',
    found: '#00ff00',
    brand: '#0b5fff',
  });
  expect(inDocument?.options).toHaveLength(3);
  const inTokens = tokenConflicts(identity, 'tokens.json', {
    colors: { primary: { $value: '#0B5FFF' }, accent: '#ee0000', other: '#123456' },
    typography: { fontFamily: { heading: 'Georgia, serif' } },
  });
  expect(inTokens.map(({ name, brand }) => [name, brand])).toEqual([
    ['accent', '#ff0055'],
    ['heading', 'Inter'],
  ]);
  expect(inTokens.every(({ options }) => options.length >= 2 && options.length <= 3)).toBe(true);
});
