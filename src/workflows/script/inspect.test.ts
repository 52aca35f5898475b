import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { inspect } from './inspect.ts';

const meta = "export const meta = { name: 'x', description: 'Does x' };\n";
const kinds = (text: string, file = 'x.js') => inspect(file, text).problems.map(({ kind }) => kind);
const problems = (text: string, file = 'x.js') =>
  inspect(file, text).problems.map(({ message, line }) => `${line}: ${message}`);

describe('meta', () => {
  test('W-001: comments before it and all optional fields are read', () => {
    const text = `// what it does\nexport const meta = {\n  name: "a-b", description: (\`Sa\` + 'ys'), whenToUse: 'often',\n  phases: [{ title: 'One', detail: 'd', model: 'opus' }],\n};\n`;
    expect(inspect('x.js', text)).toMatchObject({
      problems: [],
      meta: {
        name: 'a-b',
        description: 'Says',
        whenToUse: 'often',
        phases: [{ title: 'One', detail: 'd', model: 'opus' }],
      },
    });
  });

  test.each([
    ['a variable', "const name = 'x';\nexport const meta = { name, description: 'd' };"],
    ['a call', "export const meta = { name: String('x'), description: 'd' };"],
    ['a spread', "export const meta = { ...{}, name: 'x', description: 'd' };"],
    ['a computed key', "export const meta = { ['name']: 'x', description: 'd' };"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a workflow file
    ['a template with a value', "export const meta = { name: `${1}`, description: 'd' };"],
    ['no name', "export const meta = { description: 'd' };"],
    ['an empty description', "export const meta = { name: 'x', description: ' ' };"],
    ['phases without titles', "export const meta = { name: 'x', description: 'd', phases: ['a'] };"],
    ['another statement first', `agent('x');\n${meta}`],
    ['none at all', "return 'x';"],
  ])('W-001 W-002: refuses %s', (_, text) => {
    expect(kinds(text)).toContain('meta');
    expect(inspect('x.js', text).meta).toBeUndefined();
  });
});

describe('body', () => {
  test('W-003: top-level await and return are allowed, and positions stay', () => {
    const text = `${meta}const r = await agent('a');\nreturn r;\n`;
    const { body, problems: found } = inspect('x.js', text);
    expect(found).toEqual([]);
    expect(body).toHaveLength(text.length);
    expect(body.slice(0, 13)).toBe('       const ');
  });

  test('W-161: a default function is called with the globals', () => {
    const text = `${meta}export default async function run(w) { return w.agent('a'); }\n`;
    expect(inspect('x.js', text)).toMatchObject({ form: 'default', problems: [], counts: { calls: 1 } });
  });

  test.each([
    ["import fs from 'node:fs';", '`import`'],
    ["await import('node:fs');", '`import()`'],
    ["const fs = require('fs');", '`require`'],
    ['process.exit(1);', '`process`'],
    ["await fetch('http://x');", '`fetch`'],
    ['setTimeout(() => {}, 1);', '`setTimeout`'],
    ['export const other = 1;', 'Only `meta`'],
  ])('W-004 W-006 W-145: %s is refused with its line and what to do instead', (line, words) => {
    const [found = ''] = problems(`${meta}${line}\n`);
    expect(found).toContain('2: ');
    expect(found).toContain(words);
  });

  test('a name of the file itself and a property are not refused', () => {
    expect(problems(`${meta}const process = (x) => x;\nprocess(1);\nreturn { fetch: 1 }.fetch;\n`)).toEqual(
      [],
    );
  });

  test('W-006: a name that the file looks for first, or that is a parameter, is not refused', () => {
    const text = `${meta}const wait = (ms) => typeof setTimeout === 'function' ? new Promise((r) => setTimeout(r, ms)) : ms;
const show = ({ fetch }, [process] = []) => fetch + process;
try { await agent('a') } catch (require) { log(require) }
return [wait, show];\n`;
    expect(problems(text)).toEqual([]);
    expect(problems(`${meta}return process.cwd();\n`)).toHaveLength(1);
  });

  test.each([
    ['a first line for a shell', '#!/usr/bin/env node\n', ''],
    ['a byte order mark', '\uFEFF', ''],
    ['a directive and letters of all lengths', "'use strict';\n/* 🎉 日本 */ ", ''],
    ['lines that end as on Windows', '\r\n', "const [a] = ['🎉'];\r\n"],
  ])('W-001 W-003: the file may begin with %s', (_, before, after) => {
    const text = `${before}${meta}${after}return 1;\n`;
    const { problems: found, body } = inspect('x.js', text);
    expect(found).toEqual([]);
    expect(body).toHaveLength(text.length);
    expect(() => new Script(`(async () => {${body}})`)).not.toThrow();
  });

  test('a name that is declared twice is found before the run', () => {
    expect(problems(`${meta}const a = 1;\nconst a = 2;\nreturn a;\n`)[0]).toContain('`a`');
  });

  test('W-004: types in a .js file are a syntax error; in a .ts file they are fine', () => {
    const text = `${meta}const n: number = 1;\nreturn n;\n`;
    expect(kinds(text)).toContain('syntax');
    expect(kinds(text, 'x.ts')).toEqual([]);
    expect(kinds(`import type { A } from 'charrette/workflow';\n${text}`, 'x.ts')).toEqual([]);
  });
});

test.each([
  ["agent('a');", 'Nothing waits'],
  ["await parallel([agent('a')]);", '`parallel` takes functions'],
  ["while (true) { await agent('a'); }", 'no condition'],
  ["await agent('a', { adapter: 'x' });", 'unknown and ignored'],
  ['return Date.now();', '`Date.now` throws'],
])('W-171: warns about %s', (line, words) => {
  const found = inspect('x.js', `${meta}${line}\n`).problems;
  expect(found).toMatchObject([{ kind: 'warning', line: 2 }]);
  expect(found[0]?.message).toContain(words);
});

test('W-171: warns about a phase that meta does not have', () => {
  const text =
    "export const meta = { name: 'x', description: 'd', phases: [{ title: 'A' }] };\nphase('B');\nphase('A');\n";
  expect(problems(text)).toEqual(['2: The phase "B" is not in meta.phases.']);
});

test('names models, agent types, children and worktrees that a file uses', () => {
  const text = `${meta}const apart = { isolation: 'worktree' };
await agent('a', { model: 'opus', agentType: 'Explore', ...apart });
await workflow({ scriptPath: 'flows/second.js' });
return workflow('other');\n`;
  expect(inspect('x.js', text)).toMatchObject({
    models: ['opus'],
    agentTypes: ['Explore'],
    children: expect.arrayContaining(['other', 'flows/second.js']),
    computesChildren: false,
    usesWorktree: true,
  });
  expect(inspect('x.js', `${meta}return workflow(args.name);\n`).computesChildren).toBe(true);
});
