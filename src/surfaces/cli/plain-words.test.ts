import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { temporaryRepository } from '../../../test/temporary-repository.ts';
import { findProfile } from './refine-inputs.ts';

/** Default messages of the schema library, which a user must never see. */
const raw =
  /Invalid (?:input|option|string|key)|received|Unrecognized|Too (?:small|big)|expected (?:string|number|array|object)/;

const liteFiles = {
  'lite/plan.json': { summary: 's', approach: 'a', task_ids: ['TASK-001'], complexity: 'Huge' },
  'lite/.task/TASK-001.json': { id: 'TASK-001', title: 't', implementation: [{ step: 1 }] },
};
const design = { 'plan.json': { title: 3, files: [{ path: 'a.ts', action: 'rewrite' }] } };
const liteWords = 'plan.json complexity: expected "Low", "Medium" or "High", found "Huge"';

const cases: [words: string[], files: Record<string, unknown>, said: string][] = [
  ...[
    ['check', 'lite'],
    ['show', 'lite'],
    ['drift', 'lite'],
    ['diff', 'lite', 'lite'],
  ].map((words): (typeof cases)[number] => [['plan', ...words], liteFiles, liteWords]),
  [
    ['plan', 'check', 'lite'],
    { ...liteFiles, 'lite/plan.json': '{"summary":0,"approach":0,"task_ids":0,' },
    'lite/plan.json is not a plan: it is not valid JSON',
  ],
  [
    ['plan', 'check', 'lite'],
    {
      ...liteFiles,
      'lite/plan.json': {
        ...liteFiles['lite/plan.json'],
        complexity: 'Low',
        task_count: 1,
        _metadata: { timestamp: 'n', source: 's', plan_type: 'fix' },
      },
    },
    'TASK-001.json implementation[0].description: expected a text, found nothing',
  ],
  [
    ['plan', 'check', 'plan.json'],
    design,
    'title: expected a text, found 3; summary: expected a text, found nothing; files[0].action: expected "new", "modify" or "delete", found "rewrite"',
  ],
  [
    ['plan', 'export', 'plan.json', '--format', 'spec-kit'],
    { 'plan.json': [] },
    'the plan: expected an object, found a list',
  ],
  [
    ['plan', 'export', 'plan.txt', '--format', 'spec-kit'],
    { 'plan.txt': 'Plan: x\n\nhello\n' },
    'the section "Approach" is missing; the section "Edge cases" is missing; the section "Testing strategy" is missing.',
  ],
  [
    ['plan', 'import', 'old.json'],
    { 'old.json': { summary: 's', tasks: [{ id: {}, title: 2 }] } },
    'tasks[0].id: expected a text or a number, found an object; tasks[0].title: expected a text, found 2',
  ],
  [
    ['skill', 'new', 'x', '-y', '--from-config', 'made.json'],
    { 'made.json': { skillName: 'A b', phases: [{}] } },
    'skillName: takes up to 64 lower-case letters',
  ],
  [
    ['config'],
    { 'charrette.config.json': { limits: { parallel: 65 } } },
    '`limits.parallel` is wrong: expected at most 64, found 65.',
  ],
  [
    ['config'],
    { 'charrette.config.json': { git: { remot: 'x' } } },
    '`git.remot` is not a setting; known are mainBranch, remote, remoteRequired, branch.',
  ],
  [
    ['config'],
    { 'charrette.config.json': { agents: { 'A b': { protocol: 'claude' } } } },
    '`agents.A b` is wrong: as a key: takes lower-case letters',
  ],
  [
    ['config'],
    { 'charrette.config.json': { store: { url: 'mysql://me:secret@host' } } },
    '`store.url` is wrong: takes postgresql://user:password@host/database.',
  ],
];

test.each(cases)('%j says in plain words what is wrong in %j', async (words, files, said) => {
  const repository = temporaryRepository();
  onTestFinished(repository.remove);
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(repository.root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  const { exit, out, err } = await runCommandLine(...words, '--cwd', repository.root);
  expect(err).toContain(said);
  expect(out + err).not.toMatch(raw);
  expect(out + err).not.toContain('secret');
  expect(exit).toBe(2);
});

test('names what a custom profile lacks', async () => {
  const repository = temporaryRepository();
  onTestFinished(repository.remove);
  repository.write('own.json', '{"name": "x", "dimensions": 3}');
  const message = 'Invalid profile own.json: dimensions: expected a list, found 3.';
  await expect(findProfile(repository.root, 'own.json')).rejects.toMatchObject({ message });
});
