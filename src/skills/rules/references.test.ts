import { expect, test } from 'vitest';
import { first, skill } from '../../../test/rule-cases/mutations.ts';
import { cleanTexts, lintTexts } from '../../../test/support/skill-packages.ts';

/** The findings on references of a clean package whose first phase has one more line. */
const found = (line: string, more: Record<string, string> = {}, file: string = first) => {
  const texts = cleanTexts();
  texts[file] = `${texts[file]}\n${line}\n`;
  return lintTexts({ ...texts, ...more })
    .findings.filter(({ rule }) => rule === 'RF001' || rule === 'RF010')
    .map(({ rule, message }) => `${rule} ${message.split('. ')[0]}`);
};
const template = { 'templates/real.md': '# Real\n' };

test.each([
  ['Read("templates/none.md")', 'RF001 templates/none.md does not exist in the package'],
  [
    'See [x][ref].\n\n[ref]: references/missing.md',
    'RF001 references/missing.md does not exist in the package',
  ],
  [
    'See [Ref].\n\n[ref]: <references/missing file.md> "Title"',
    'RF001 references/missing file.md does not exist in the package',
  ],
  ['[x](<references/missing file.md>)', 'RF001 references/missing file.md does not exist in the package'],
  ['![i](assets/none.png)', 'RF001 assets/none.png does not exist in the package'],
  ['![i](../../shared/none.png)', 'RF010 ../../shared/none.png leads out of the package'],
  ['Read("../../secret.md")', 'RF010 ../../secret.md leads out of the package'],
  ['```js\nRead("../../../secret.md")\n```', 'RF010 ../../../secret.md leads out of the package'],
])('RF001 RF010 a dead or outward reference is found: %s', (line, finding) => {
  expect(found(line, template)).toEqual([finding]);
});

test.each([
  'Read("templates/real.md")',
  'Read("../templates/real.md")',
  'Read("src/none.md")',
  'Read(".workflow/none.md")',
  'Read("templates/{name}.md")',
  'Read("/etc/hosts")',
  'See [x][ref].\n\n[ref]: ../templates/real.md "Title"',
  'See [x][ref].\n\n[ref]: https://example.org/none.md',
  '[unused]: references/missing.md',
  '[^1]: references/missing.md',
  '[TODO]: fix this file.md later [TODO]',
  '`![i](assets/none.png)`',
  '```md\n[ref]: references/missing.md\n[ref]\n```',
  '![alt](url)',
  '![i](https://example.org/none.png)',
  '![i](data:image/png;base64,AAAA)',
  '![badge][shield]\n\n[shield]: //example.org/badge.svg',
])('RF001 RF010 ignores text that is not a reference into the package: %s', (line) => {
  expect(found(line, template)).toEqual([]);
});

test('RF010 a Read out of the package is found in SKILL.md too', () => {
  expect(found('Read("../secret.md")', {}, skill)).toEqual(['RF010 ../secret.md leads out of the package']);
});
