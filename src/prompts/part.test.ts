import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reportPrompt } from './markers.ts';
import { compose, data, type PromptDraft, readOverrides, seededNonce, words } from './part.ts';

test('reads one file per part and nothing without a folder', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'overrides-'));
  await mkdir(path.join(directory, 'sketch'));
  await writeFile(path.join(directory, 'sketch', 'role.md'), 'Ours.');
  await writeFile(path.join(directory, 'sketch', 'notes.txt'), 'not a part');
  expect(await readOverrides(directory)).toEqual({ 'sketch/role': 'Ours.' });
  expect(await readOverrides(path.join(directory, 'nowhere'))).toEqual({});
});

test('a link that leads out of the folder is refused', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'overrides-'));
  await mkdir(path.join(directory, 'plan'));
  await symlink('/etc/hostname', path.join(directory, 'plan', 'role.md'));
  await expect(readOverrides(directory)).rejects.toThrow(/leads out/);
});

test('a folder that is itself a link out is refused', async () => {
  const outside = await mkdtemp(path.join(tmpdir(), 'overrides-'));
  await mkdir(path.join(outside, 'sketch'));
  await writeFile(path.join(outside, 'sketch', 'role.md'), 'Theirs.');
  const home = await mkdtemp(path.join(tmpdir(), 'overrides-'));
  await symlink(outside, path.join(home, 'prompts'));
  await expect(readOverrides(path.join(home, 'prompts'))).rejects.toThrow(/leads out/);
});

const nonce = seededNonce('run-1');
const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' };

function draft(changing: string): PromptDraft {
  return {
    task: 'review',
    fixed: [words('role', 'You review.'), words('list', '- one\n- two', 'Checks')],
    answer: { kind: 'json', schema },
    changing: [data('target', changing, { heading: 'Target' })],
  };
}

test('T-043: fixed parts, rule, schema, then what changes', () => {
  const { parts, text } = compose(draft('body'), { nonce });
  expect(parts.map(({ name, kind }) => [name, kind])).toEqual([
    ['role', 'fixed'],
    ['list', 'fixed'],
    ['answer', 'answer'],
    ['data-rule', 'changing'],
    ['target', 'changing'],
  ]);
  expect(text).toMatch(/^You review\.\n\n## Checks\n- one\n- two\n\n## Answer\n/);
  expect(text.indexOf('{"type":"object"}')).toBeLessThan(text.indexOf('## Target'));
});

test('T-044: the prefix is identical byte for byte whatever changes after it', () => {
  const { prefix } = compose(draft(''), { nonce });
  fc.assert(
    fc.property(fc.string(), fc.string(), (changing, seed) => {
      const prompt = compose(draft(changing), { nonce: seededNonce(seed) });
      expect(prompt.prefix).toBe(prefix);
      expect(prompt.text.startsWith(`${prefix}\n\nBlocks with`)).toBe(true);
    }),
  );
});

test('T-045: every kind of answer is stated', () => {
  const shape = compose({ ...draft('x'), answer: { kind: 'shape', shape: '{"ok": true}' } }, { nonce });
  const text = compose({ ...draft('x'), answer: { kind: 'text', rules: 'One line.' } }, { nonce });
  expect(shape.text).toContain('## JSON\n{"ok": true}');
  expect(text.text).toContain('## Answer\nOne line.');
});

test('a project replaces or removes fixed parts; rule and schema stay', () => {
  const overrides = {
    'review/role': 'Be brief.\n',
    'review/list': ' ',
    'review/data-rule': '',
    'review/answer': 'anything',
  };
  const { text, parts } = compose(draft('x'), { nonce, overrides });
  expect(text).toMatch(/^Be brief\.\n\n## Answer/);
  expect(parts.map(({ name }) => name)).toEqual(['role', 'answer', 'data-rule', 'target']);
});

test('two parts of one name are a defect', () => {
  expect(() => compose({ ...draft('x'), fixed: [words('target', 'a')] }, { nonce })).toThrow(/two parts/);
});

test('T-135: the report counts characters and tokens, whole and by part', () => {
  const prompt = compose(draft('body'), { nonce });
  const report = reportPrompt(prompt, (text) => text.split(/\s+/).length);
  expect(report.characters).toBe(prompt.text.length);
  expect(report.parts.map(({ characters }) => characters)).toEqual(
    prompt.parts.map(({ text }) => text.length),
  );
  expect(report.prefixCharacters).toBe(prompt.prefix.length);
  expect(report.prefixTokens).toBeLessThan(report.tokens);
});

test('the rule about data comes once, before the first data, and not at all without any', () => {
  const rule = /Blocks with a nonce/g;
  const fixedData = { ...draft('x'), fixed: [words('role', 'R'), data('brief', 'B')] };
  const prompt = compose(fixedData, { nonce }).text;
  expect(prompt.match(rule)).toHaveLength(1);
  expect(prompt.search(rule)).toBeLessThan(prompt.indexOf('<brief'));
  const plain = compose({ ...draft('x'), changing: [words('now', 'Go.')] }, { nonce }).text;
  expect(plain.match(rule)).toBeNull();
});
