import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../../../test/support/design-project.ts';
import { loadProjectSpecs } from './load-specs.ts';

const spec = (front: string, body = 'body') => `---\n${front}\n---\n\n${body}\n`;
const titles = ({ specs }: { specs: { title: string }[] }) => specs.map(({ title }) => title);

test('P-020: required always, optional on a keyword, general with every category', async () => {
  const root = projectWith({
    '.ccw/specs/a.md': spec('title: A\ncategory: planning\nreadMode: required'),
    '.ccw/specs/b.md': spec('title: B\ncategory: planning\nkeywords: [auth, 支付]'),
    '.ccw/specs/c.md': spec('title: C\nkeywords: auth, billing'),
    '.ccw/specs/d.md': spec('title: D\nreadMode: required'),
    '.ccw/specs/e.md': spec('title: E\ncategory: debug\nreadMode: required'),
  });
  expect(titles(await loadProjectSpecs({ root, category: 'planning' }))).toEqual(['A', 'D']);
  expect(titles(await loadProjectSpecs({ root, category: 'planning', task: 'Add authentication' }))).toEqual([
    'A',
    'D',
    'B',
    'C',
  ]);
  expect(titles(await loadProjectSpecs({ root, category: 'planning', task: '修复支付问题' }))).toEqual([
    'A',
    'D',
    'B',
  ]);
  expect(titles(await loadProjectSpecs({ root, category: 'planning', task: 'the author of it' }))).toEqual([
    'A',
    'D',
    'B',
    'C',
  ]);
  expect(titles(await loadProjectSpecs({ root, category: 'planning', task: 'an aut' }))).toEqual(['A', 'D']);
  expect(titles(await loadProjectSpecs({ root }))).toEqual(['A', 'D', 'E']);
});

test('P-021: the text really holds the rules, with their source', async () => {
  const root = projectWith({ '.ccw/specs/a.md': spec('title: Style\nreadMode: required', 'Use tabs.') });
  expect((await loadProjectSpecs({ root, category: 'execution' })).text).toBe(
    '## Project specs\n\n### Style\n\n> source: .ccw/specs/a.md\n\nUse tabs.\n',
  );
});

test('P-020: a missing folder is not an error', async () => {
  expect(await loadProjectSpecs({ root: projectWith(), category: 'planning' })).toMatchObject({
    text: '',
    log: [],
  });
});

test('P-022: further words of a category are keywords, an unknown one is refused with the list', async () => {
  const root = projectWith({ '.ccw/specs/a.md': spec('title: A\nkeywords: [auth]') });
  expect(titles(await loadProjectSpecs({ root, category: 'planning auth' }))).toEqual(['A']);
  await expect(loadProjectSpecs({ root, category: 'planing' })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('general, exploration, planning'),
  });
});

test('P-022: project rules before personal ones, by priority; personal ones of the home folder too', async () => {
  const home = projectWith({
    '.ccw/personal/h.md': spec('title: H\nreadMode: required\npriority: critical'),
  });
  const root = projectWith({
    '.ccw/personal/p.md': spec('title: P\nreadMode: required\npriority: high'),
    '.ccw/specs/low.md': spec('title: Low\nreadMode: required\npriority: low'),
    '.ccw/specs/top.md': spec('title: Top\nreadMode: required\npriority: critical'),
  });
  expect(titles(await loadProjectSpecs({ root, home }))).toEqual(['Top', 'Low', 'H', 'P']);
  expect(titles(await loadProjectSpecs({ root }))).toEqual(['Top', 'Low', 'P']);
});

test('P-022: 8000 characters; what is least important goes first, a required one is cut with a marker', async () => {
  const section = (name: string) => `## ${name}\n${'x'.repeat(2_990)}\n`;
  const root = projectWith({
    '.ccw/specs/a.md': spec(
      'title: A\nreadMode: required\npriority: critical',
      section('one') + section('two') + section('three'),
    ),
    '.ccw/specs/b.md': spec('title: B\nkeywords: [login]', 'y'.repeat(3_000)),
    '.ccw/specs/c.md': spec('title: C\nkeywords: [login]', 'small'),
  });
  const { text, specs, report } = await loadProjectSpecs({ root, task: 'login' });
  expect(report.used).toBeLessThanOrEqual(8_000);
  expect(specs.map(({ title, state }) => [title, state])).toEqual([
    ['A', 'cut'],
    ['B', 'dropped'],
    ['C', 'whole'],
  ]);
  expect(text).toContain('> truncated: .ccw/specs/a.md at char_offset=');
  expect(text).not.toContain('## three');
});

test('P-020: broken, hostile and unreadable specs are reported and survived', async () => {
  const root = projectWith({
    '.ccw/specs/broken.md': '---\nreadMode: [required\n---\nbody',
    '.ccw/specs/wrong.md': spec('title: Wrong\nreadMode: required\npriority: urgent\ncategory: cooking'),
    '.ccw/specs/bytes.md': Buffer.from([0xff, 0xfe]),
    '.ccw/specs/plain.md': 'no front matter',
    '.ccw/specs/empty.md': spec('readMode: required', ''),
    'secret.md': spec('readMode: required', 'secret'),
  });
  symlinkSync(path.join(root, 'secret.md'), path.join(root, '.ccw/specs/link.md'));
  execFileSync('mkfifo', [path.join(root, '.ccw/specs/fifo.md')]);
  const { text, log, specs } = await loadProjectSpecs({ root, category: 'planning' });
  expect(specs.map(({ title, category, priority }) => [title, category, priority])).toEqual([
    ['Wrong', 'general', 'medium'],
  ]);
  expect(text).not.toContain('secret');
  expect(log.map(({ text: line }) => line.split(':', 1)[0])).toEqual([
    '.ccw/specs/broken.md',
    '.ccw/specs/broken.md',
    '.ccw/specs/bytes.md',
    '.ccw/specs/fifo.md',
    '.ccw/specs/link.md',
    '.ccw/specs/wrong.md',
    '.ccw/specs/wrong.md',
  ]);
});

test('M-038: a cut spec says where it was cut in its file, front matter included', async () => {
  const body = `# 規則\n\n${'word '.repeat(40)}\n\n## Later\n\n${'more '.repeat(40)}\n`;
  const root = projectWith({ '.ccw/specs/a.md': spec('title: A\nreadMode: required', body) });
  const whole = readFileSync(path.join(root, '.ccw/specs/a.md'), 'utf8');
  const { text } = await loadProjectSpecs({ root, budget: 260 });
  const offset = Number(/char_offset=(\d+)/.exec(text)?.[1]);
  expect([...whole].slice(offset).join('')).toMatch(/^## Later/);
});

test('reads an edited spec again; a separator inside it changes nothing', async () => {
  const root = projectWith({ '.ccw/specs/a.md': spec('title: A\nreadMode: required', 'one\n\n---\n\ntwo') });
  expect((await loadProjectSpecs({ root })).text).toContain('one\n\n---\n\ntwo');
});
