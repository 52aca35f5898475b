import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { templates } from './folder.ts';
import { isPlaceholderOnly, shippedScaffolds } from './placeholder.ts';

const empty = (text: string, token = 'notes') => isPlaceholderOnly(token, text);

test.each([
  ['A-35 nothing', ''],
  ['A-35 blanks', ' \n\t\r\n\n'],
  ['M-027 _TBD_', '_TBD_\n'],
  ['A-31 repeated', '_TBD_ _TBD_\n_TBD__TBD_'],
  ['A-31 behind bullets', '- _TBD_\n* _TBD_\n1. _TBD_\n2) _TBD_\n- [ ] _TBD_\n[ ] _TBD_'],
  ['A-32 headings only', '# A\n## B ##\n###### C'],
  ['A-32 quotes only', '> said\n   > more'],
  ['M-027 comments', '<!-- a -->\n<!--\nhidden\n## also\n-->\n<!-- x --> tail'],
  ['A-31 an unclosed comment', '<!-- a\nb\nc'],
  ['A-31 rules', '---\n***\n- - -\n___'],
  ['A-36 front matter only', '---\ntitle: Real\n---\n'],
  ['A-37 a leading rule', '---\n\n_TBD_\n\n---\n'],
  ['A-31 fences', '```\n\n├── _TBD_\n│   └── _TBD_\n|-- _TBD_\n```'],
  ['A-31 an italic prompt', '_TBD — define the `grid_size` and snake_case names._'],
  ['A-31 labels', '**Goal**: _TBD_\n**Goal:** _TBD_\nGoal: _TBD_\n- Base unit: _TBD_\n_Last updated: _TBD__'],
  ['A-31 a table', '| A | B |\n|---|:-:|\n| _TBD_ | |\n| | |'],
  ['A-31 a table without outer pipes', 'A | B\n--- | ---\n_TBD_ | _TBD_'],
  ['A-07 CRLF', '# A\r\n\r\n_TBD_\r\n'],
])('%s is not content', (_name, text) => {
  expect(empty(text)).toBe(true);
});

test.each([
  ['a word', 'x'],
  ['A-33 other spellings', '_tbd_'],
  ['A-33 bare', 'TBD'],
  ['A-33 stars', '*TBD*'],
  ['A-33 doubled', '__TBD__'],
  ['A-34 a remark', '_TBD_ but probably blue'],
  ['A-34 a remark with italics', '_TBD_ but probably _blue_'],
  ['two italics', '_TBD soon_ and _more_'],
  ['A-34 a row with a label', '| A | B |\n|---|---|\n| primary | _TBD_ |'],
  ['a header row without delimiter', '| A | B |\n'],
  ['a header row before other text', '| A | B |\n\ntext'],
  ['code', '```\nnpm install\n```'],
  ['a tree with names', '```\n├── home\n```'],
  ['a label beyond sixty characters', `${'x'.repeat(61)}: _TBD_`],
  ['text behind a comment of several lines', '<!-- a\nb --> real'],
  ['text after a comment', '<!-- a -->\nreal'],
  ['a pencil plan', '## Batch 1\nI("root", {type: frame})'],
  ['a line of megabytes', '_'.repeat(2_000_000).concat('x')],
])('%s is content', (_name, text) => {
  expect(empty(text)).toBe(false);
});

test.each(Object.keys(templates).filter((name) => name !== 'README.md'))(
  'A-30: our own %s is a placeholder, also with CRLF or a line removed, and not with a word added',
  (name) => {
    const text = templates[name] ?? '';
    const token = name.replace('.md', '');
    expect(empty(text, token)).toBe(true);
    expect(empty(text.replaceAll('\n', '\r\n'), token)).toBe(true);
    expect(empty(text.split('\n').slice(4).join('\n'), token)).toBe(true);
    expect(empty(`${text}word\n`, token)).toBe(false);
  },
);

test('A-30: labels of an older scaffold are neutral for its own token only', () => {
  const tree = '```\nRoot\n├── _TBD_\n```\n';
  expect(empty(tree, 'spec')).toBe(true);
  expect(empty(tree, 'research')).toBe(false);
});

test.each(Object.entries(templates))('M-064: the hash of %s is the newest on the list', (name, text) => {
  expect(shippedScaffolds[name]?.at(-1)).toEqual({
    characters: text.length,
    sha256: createHash('sha256').update(text).digest('hex'),
  });
});

test.each([
  ['table rows', '| _TBD_ '.repeat(200_000)],
  ['labels', `${'a'.repeat(60)} `.repeat(50_000)],
  ['short rows', '| a |\n|---|\n'.repeat(100_000)],
  ['underscores', '_TBD _'.repeat(200_000)],
])('hostile %s are judged', (_name, text) => {
  expect(typeof empty(text)).toBe('boolean');
});
