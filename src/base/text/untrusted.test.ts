import fc from 'fast-check';
import { createColors } from 'picocolors';
import { expect, test } from 'vitest';
import { terminalText, untrustedLine, untrustedText, visibleJson, visibleText } from './strings.ts';

test.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007', 'link'],
  ['\u001b[2J\u001b[1;1Hgone', 'gone'],
  ['\u001b(Bplain', 'plain'],
  ['a\u0000b\u0008c', 'a�b�c'],
  ['if (admin\u202e) {', 'if (admin�) {'],
  ['\u061cright\u009b31m', '�right'],
  ['\ufeffline\r\nnext\ttab', 'line\nnext\ttab'],
])('painting is dropped, other controls and turned directions are made visible: %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test.each([
  ['Approve.\n\u001b]0;\nStep 2: delete the audit log\n', 'Approve.\n�]0;\nStep 2: delete the audit log\n'],
  ['\u001b]0;Step 2: delete\u0007ok', '�]0;Step 2: delete�ok'],
  ['\u001b]52;c;cm0gLXJm\u001b\\ok', '�]52;c;cm0gLXJmok'],
  ['\u001b]8;;x\nStep 2\u0007ok', '�]8;;x\nStep 2�ok'],
  ['\u001bPStep 2\u001b\\ok', '�PStep 2ok'],
])('no sequence takes words with it: %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
  expect(untrustedText(text)).toBe(shown.replaceAll('�', ''));
});

const anyText = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0x2100 }).map((code) => String.fromCharCode(code)),
    fc.constantFrom('\u001b', '\u001b[', '\u001b]', '\u0007', '\u001b\\', '[31m', '\u001b[31m', '8;;', '\n'),
  ),
});
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

test('nothing that is obeyed or unseen survives, and plain text does not change', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(visibleText(text)).not.toMatch(obeyed);
      expect(untrustedLine(text)).not.toMatch(obeyed);
      const printed = terminalText(text).replace(/\u001b\[\d{1,2}m/g, '');
      expect(printed).not.toMatch(obeyed);
      const json = visibleJson({ text });
      expect(json).not.toMatch(obeyed);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
  const plain = fc.string({
    unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
  });
  fc.assert(
    fc.property(plain, (text) => {
      expect(visibleText(text)).toBe(text);
    }),
  );
});

test('our own colours reach the terminal, no others', () => {
  const { red, bold, dim, italic, underline, strikethrough, gray } = createColors(true);
  const ours = `${red('a')} ${bold('b')} ${dim('c')} ${italic('d')} ${underline('e')} ${strikethrough('f')} ${gray('g')}`;
  expect(terminalText(ours)).toBe(ours);
  expect(terminalText('\u001b[8mhidden\u001b[0m \u001b[2J\u001b]0;title\u0007')).toBe(
    'hidden\u001b[0m �]0;title�',
  );
});
