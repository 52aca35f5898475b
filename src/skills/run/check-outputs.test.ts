import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkOutputs, readOutputSchemas } from './outputs.ts';
import type { PhaseAnswer } from './phase-call.ts';
import type { RunPhase } from './run-plan.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'phase-outputs-'));
  mkdirSync(path.join(folder, 'project'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const phase = (more: Partial<RunPhase>): RunPhase => ({
  number: 1,
  name: 'Plan',
  file: 'phases/01-plan.md',
  condition: undefined,
  inputs: [],
  variables: [],
  files: [],
  gives: [],
  ordered: [],
  handsOverTo: undefined,
  mode: undefined,
  triggers: [],
  ...more,
});
const answer = (outputs: Record<string, unknown>, files: Record<string, string> = {}): PhaseAnswer => ({
  status: 'DONE',
  summary: '',
  outputs,
  files,
});
const check = async (wanted: Partial<RunPhase>, given: PhaseAnswer) =>
  checkOutputs(
    path.join(folder, 'project'),
    phase(wanted),
    given,
    { id: 'a' },
    await readOutputSchemas(folder),
  );

function schema(name: string, value: unknown): void {
  mkdirSync(path.join(folder, 'schemas'), { recursive: true });
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  writeFileSync(path.join(folder, 'schemas', `${name}.schema.json`), text);
}

test('a value or file that does not fit its schema is named with the place that is wrong', async () => {
  schema('risk', { enum: ['low', 'high'] });
  schema('plan', { type: 'object', required: ['tasks'], properties: { tasks: { type: 'array' } } });
  const wanted = { variables: ['risk'], files: ['out/{id}/plan.json'] };
  expect(
    await check(wanted, answer({ risk: 'none' }, { 'out/{id}/plan.json': '{"tasks": 3}' })),
  ).toMatchObject([
    expect.stringMatching(/^The output risk does not fit schemas\/risk\.schema\.json: /),
    expect.stringMatching(/^The output out\/a\/plan\.json does not fit .* \/tasks /),
  ]);
  expect(await check(wanted, answer({ risk: 'low' }, { 'out/a/plan.json': '{' }))).toEqual([
    expect.stringContaining('The output file out/a/plan.json is not JSON'),
  ]);
  expect(await check(wanted, answer({ risk: 'low' }, { 'out/a/plan.json': '{"tasks":[]}' }))).toEqual([]);
});

test('files that are missing, empty, without a full path or without a match for their pattern are named', async () => {
  expect(
    await check({ files: ['a.md', 'b.md', '{unset}.md', 'c/*.md'] }, answer({}, { 'b.md': '' })),
  ).toEqual([
    'The output file a.md is missing.',
    'The output file b.md is empty.',
    'The path of the output file {unset}.md has a part without a value.',
    'No output file fits c/*.md.',
  ]);
  expect(await check({ files: ['c/x.md', 'c/*.md'] }, answer({}, { 'c/x.md': 'x' }))).toEqual([]);
});

test('nothing outside the project is written, whatever an answer says', async () => {
  await expect(
    check({ files: ['{where}/x.md'] }, answer({ where: '..' }, { '../x.md': 'x' })),
  ).rejects.toThrow(/leads out|outside/);
  expect(existsSync(path.join(folder, 'x.md'))).toBe(false);
  expect(await check({ files: ['a.md'] }, answer({}, { 'a.md': 'a', 'other.md': 'b' }))).toEqual([]);
  expect(existsSync(path.join(folder, 'project', 'other.md'))).toBe(false);
  expect(readFileSync(path.join(folder, 'project', 'a.md'), 'utf8')).toBe('a');
});

test('a schema that cannot be used is an error that names it', async () => {
  schema('plan', 'no json');
  await expect(check({}, answer({}))).rejects.toThrow(/plan\.schema\.json/);
  schema('plan', []);
  await expect(check({}, answer({}))).rejects.toThrow(/plan\.schema\.json cannot be used/);
});
