import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { featureDirectory } from '../../../test/support/feature-directory.ts';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { isRecord, parseJson } from '../../base/safe-json.ts';
import { dispatches } from '../../prompts/roles/table.ts';

function record(text: string): Record<string, unknown> {
  const value = parseJson(text, 'stdout');
  if (!isRecord(value)) throw new Error('not an object');
  return value;
}

test('the prompt goes to stdout, warnings to stderr', async () => {
  const { directory } = featureDirectory({ meta: '{"id": ' });
  const { exit, out, err } = await runCommandLine(
    'prompt',
    'specify',
    'spec-reviewer',
    '--feature',
    directory,
  );
  expect(exit).toBe(0);
  expect(out).toMatch(/^Doubt the specification/);
  expect(err).toMatch(/^warning: \.meta\.json is not valid JSON/);
});

test('T-012: an id below the artifacts root, the one active feature, several, none', async () => {
  const { root, directory } = featureDirectory();
  const words = ['prompt', 'design', 'design-reviewer', '--cwd', root];
  expect((await runCommandLine(...words, '--feature', '007')).out).toContain(directory);
  expect((await runCommandLine(...words)).out).toContain(directory);
  const second = path.join(root, 'docs/features/008-sort');
  mkdirSync(second);
  writeFileSync(path.join(second, '.meta.json'), '{"status": "active"}');
  for (const name of ['spec.md', 'design.md']) writeFileSync(path.join(second, name), '# X\n');
  const several = await runCommandLine(...words);
  expect([several.exit, several.err]).toEqual([2, expect.stringContaining('007-search, 008-sort')]);
  expect((await runCommandLine(...words, '--yes')).out).toContain('008-sort');
  const none = await runCommandLine(...words, '--root', path.join(second, 'docs'));
  expect([none.exit, none.err]).toEqual([4, expect.stringContaining('No feature')]);
});

test('exact token counts agree with the tokenizer library on every prompt', async () => {
  const { directory } = featureDirectory({ spec: '# Spec\n\n設計 naïve 🙂 `code`\n'.repeat(40) });
  for (const { command, role } of dispatches) {
    for (const transport of ['reference', 'inline']) {
      const { out } = await runCommandLine(
        'prompt',
        command,
        role,
        '--feature',
        directory,
        '--transport',
        transport,
        '--json',
        '--files',
        'src/a.ts',
      );
      const { prompt, tokens, characters } = record(out);
      expect(tokens, role).toBe(countTokens(String(prompt)));
      expect(characters).toBe(String(prompt).length);
    }
  }
});

test('T-036: --json adds artifacts, characters, tokens, what was pruned', async () => {
  const { directory } = featureDirectory();
  const { out } = await runCommandLine(
    'prompt',
    'implement',
    'security-reviewer',
    '--feature',
    directory,
    '--json',
  );
  expect(record(out)).toMatchObject({
    description: 'Review security',
    subagent_type: 'iflow:security-reviewer',
    model: 'opus',
    pruned: ['prd', 'plan', 'tasks'],
    prd: { kind: 'path' },
    artifacts: [
      { name: 'prd.md', transport: 'pruned' },
      { name: 'spec.md', transport: 'reference', lines: 4, path: `${directory}/spec.md` },
      { name: 'design.md', transport: 'reference' },
      { name: 'plan.md', transport: 'pruned' },
      { name: 'tasks.md', transport: 'pruned' },
    ],
  });
});

test('T-052, T-059: one task; an unknown one and a file without tasks are errors', async () => {
  const { directory } = featureDirectory();
  const words = ['prompt', 'implementing', 'implementer', '--feature', directory];
  expect(record((await runCommandLine(...words, '--task', '1.1', '--json')).out)).toMatchObject({
    description: 'Implement task 1.1: Cache',
    subagent_type: 'iflow:implementer',
    model: 'opus',
  });
  expect(await runCommandLine(...words, '--task', '9')).toMatchObject({
    exit: 4,
    err: expect.stringContaining('tasks are 1.1'),
  });
  writeFileSync(path.join(directory, 'tasks.md'), '# Nothing here\n');
  expect(await runCommandLine(...words)).toMatchObject({
    exit: 4,
    err: expect.stringContaining('no task headings'),
  });
});

test.each([
  [['specify', 'spec-reviewer', '--iteration', '0'], 2, 'whole number from 1'],
  [['specify', 'spec-reviewer', '--iteration', 'x'], 2, 'whole number from 1'],
  [['specify', 'spec-reviewer', '--iteration', '6'], 2, 'beyond --max 5'],
  [['specify', 'spec-reviewer', '--transport', 'pigeon'], 2, 'reference, inline'],
  [['specify', 'spec-reviewer', '--artifacts', 'spec,readme'], 2, 'artifacts are prd, spec'],
  [['specify', 'nosuch'], 4, 'it has spec-reviewer'],
  [['sing', 'nosuch'], 4, 'Commands: brainstorm'],
  [['specify'], 2, 'missing required argument'],
  [['specify', 'spec-reviewer', '--issues', 'nowhere.md'], 4, 'nowhere.md'],
])('bad input %j: exit %i', async (words, exit, message) => {
  const { directory } = featureDirectory();
  const result = await runCommandLine('prompt', ...words, '--feature', directory);
  expect([result.exit, result.out]).toEqual([exit, '']);
  expect(result.err).toContain(message);
});

test('prompt check grades an answer and gives the line for the history', async () => {
  const { directory } = featureDirectory();
  const answer = path.join(directory, 'answer.md');
  const words = [
    'prompt',
    'check',
    '--feature',
    directory,
    '--command',
    'specify',
    '--role',
    'spec-reviewer',
    '--transport',
    'reference',
    answer,
  ];
  writeFileSync(answer, 'Files read: prd.md (4 lines), spec.md (4 lines)\n{"approved": true}\n');
  expect(await runCommandLine(...words)).toMatchObject({
    exit: 0,
    out: 'full: 2 of 2 files confirmed\nverdict: approved; gate: pass (approved)\n',
  });
  writeFileSync(answer, 'Files read: prd.md (4 lines)\n');
  expect(await runCommandLine(...words)).toMatchObject({
    exit: 6,
    out: 'partial: 1 of 2 files confirmed\n  not confirmed: spec.md\nverdict: unreadable, the answer has no JSON object\n',
  });
  writeFileSync(answer, '{"approved": true}\n');
  expect(record((await runCommandLine(...words, '--json')).out)).toMatchObject({
    grade: 'missing',
    missing: ['prd.md', 'spec.md'],
    warning: 'LAZY-LOAD-WARNING: spec-reviewer did not confirm artifact reads',
  });
});

test('prompt check: a file with a wrong line count is not confirmed', async () => {
  const { directory } = featureDirectory();
  const answer = path.join(directory, 'answer.md');
  writeFileSync(answer, 'Files read: prd.md (400 lines), spec.md (4 lines)\n{"approved": true}\n');
  const role = ['--feature', directory, '--command', 'design', '--role', 'design-reviewer', answer];
  const shown = await runCommandLine('prompt', 'check', ...role);
  expect([shown.exit, shown.out.split('\n').slice(0, 2)]).toEqual([
    6,
    ['partial: 1 of 2 files confirmed', '  prd.md: 400 lines stated, it has 4'],
  ]);
  const asJson = await runCommandLine('prompt', 'check', ...role, '--json');
  expect(asJson.exit).toBe(6);
  expect(record(asJson.out)).toMatchObject({ grade: 'partial', confirmed: false, missing: [] });
  writeFileSync(answer, 'Files read: prd.md (4 lines), spec.md (4 lines)\n{"approved": true}\n');
  expect(record((await runCommandLine('prompt', 'check', ...role, '--json')).out)).toMatchObject({
    grade: 'full',
    confirmed: true,
  });
});

test('prompt check: a wrong line count of a file that the prompt holds inline is not confirmed', async () => {
  const { directory } = featureDirectory();
  const answer = path.join(directory, 'answer.md');
  const role = ['--feature', directory, '--command', 'specify', '--role', 'spec-reviewer', answer];
  writeFileSync(answer, 'Files read: prd.md (4 lines), spec.md (999 lines)\n{"approved": true}\n');
  const shown = await runCommandLine('prompt', 'check', ...role);
  expect([shown.exit, shown.out.split('\n').slice(0, 2)]).toEqual([
    6,
    ['partial: 1 of 1 files confirmed', '  spec.md: 999 lines stated, it has 4'],
  ]);
  writeFileSync(answer, 'Files read: prd.md (4 lines)\n{"approved": true}\n');
  expect(await runCommandLine('prompt', 'check', ...role)).toMatchObject({ exit: 0 });
});

test('I5: the artifact under review is in the prompt body by default, not in the block', async () => {
  const { directory } = featureDirectory();
  const { out } = await runCommandLine('prompt', 'specify', 'spec-reviewer', '--feature', directory);
  expect(out).toContain('- it works');
  expect(out).not.toContain(`${directory}/spec.md`);
  expect(out).toContain(`lines), ..." in a single line.\n- PRD: ${directory}/prd.md\n\n`);
});

test('prompt check needs command, role and a file', async () => {
  const { directory } = featureDirectory();
  expect(await runCommandLine('prompt', 'check', '--feature', directory, 'x')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('--command is missing'),
  });
  const words = [
    'prompt',
    'check',
    '--feature',
    directory,
    '--command',
    'specify',
    '--role',
    'spec-reviewer',
  ];
  expect(await runCommandLine(...words, '/nowhere/answer')).toMatchObject({ exit: 4 });
  expect(await runCommandLine(...words, directory)).toMatchObject({
    exit: 4,
    err: expect.stringContaining('not a regular file'),
  });
});

test.each([
  [
    'approves with blockers',
    '{"approved":true,"issues":[{"severity":"blocker","description":"d"}]}',
    'approved',
    'fail',
  ],
  ['rejects with no issue', '{"approved":false,"issues":[]}', 'rejected', 'ask-again'],
  [
    'answers in JSON inside prose inside a fence',
    'So:\n```\nHere: {"approved":true,"issues":[]} done\n```\n',
    'approved',
    'pass',
  ],
])('prompt check: a reviewer that %s', async (_name, text, reviewer, gate) => {
  const { directory } = featureDirectory();
  const answer = path.join(directory, 'answer.md');
  writeFileSync(answer, text);
  const words = [
    'prompt',
    'check',
    '--feature',
    directory,
    '--command',
    'specify',
    '--role',
    'spec-reviewer',
    answer,
  ];
  expect(record((await runCommandLine(...words, '--json')).out)).toMatchObject({
    grade: 'missing',
    review: { reviewer, gate },
  });
});

test('T-034: what is printed is what is sent: the project’s own lists and words count, misspelt files are named', async () => {
  const { root } = featureDirectory();
  const words = ['prompt', 'design', 'design-reviewer', '--cwd', root];
  expect((await runCommandLine(...words)).out).toMatch(/^- PRD: /m);
  writeFileSync(
    path.join(root, 'charrette.config.json'),
    JSON.stringify({ artifacts: { 'design/design-reviewer': ['spec'] } }),
  );
  const folder = path.join(root, '.charrette/prompts/design/design-reviewer');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'role.md'), 'Be kind.\n');
  writeFileSync(path.join(folder, 'rolle.md'), 'Be unkind.\n');
  const { out, err, exit } = await runCommandLine(...words);
  expect(exit).toBe(0);
  expect(out).toMatch(/^Be kind\.\n/);
  expect(out).not.toContain('unkind');
  expect(out).not.toMatch(/^- PRD: /m);
  expect(out).toMatch(/^- Spec: /m);
  expect(err).toContain(
    'warning: prompts/design/design-reviewer/rolle.md replaces no part of a prompt. Did you mean `design/design-reviewer/role`?\n',
  );
  const flagged = await runCommandLine(...words, '--artifacts', 'prd');
  expect(flagged.out).not.toMatch(/^- Spec: /m);
});
