import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { runIntoFile, runOnTerminal } from '../../../test/support/run-command-line.ts';
import { parseJson } from '../../base/safe-json.ts';
import { runProgram } from '../../main/program.ts';

const place = () => mkdtempSync(path.join(os.tmpdir(), 'charrette-skill-'));

/** Runs the program as a user would, without a terminal. */
async function charrette(
  cwd: string,
  ...words: string[]
): Promise<{ exit: number; out: string; json: () => Record<string, unknown> }> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  let out = '';
  streams.stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  streams.stderr.resume();
  const exit = await runProgram([...words, '--cwd', cwd], { ...streams, env: { HOME: cwd, NO_COLOR: '1' } });
  return { exit, out, json: () => parseJson(out, 'stdout') as Record<string, unknown> };
}

test('S-001 S-006 S-100 new writes a package under the chosen root and says what it made', async () => {
  const cwd = place();
  const made = await charrette(
    cwd,
    'skill',
    'new',
    'release-check',
    '--out',
    'skills',
    '--yes',
    '--no-input',
  );
  expect(made.exit).toBe(0);
  expect(made.out).toMatch(/Location {3}skills\/release-check[\s\S]*✓ Orchestrator/);
  expect(readdirSync(path.join(cwd, 'skills/release-check/phases'))).toHaveLength(4);
  expect(readFileSync(path.join(cwd, 'skills/release-check/SKILL.md'), 'utf8')).toContain('# Release Check');
});

test('S-007 the same again changes nothing, other content is refused, force keeps a backup, a dry run writes nothing', async () => {
  const cwd = place();
  const dry = await charrette(cwd, 'skill', 'new', 'demo-x', '-y', '--dry-run', '--json');
  expect(dry.json()).toMatchObject({ written: false });
  expect(readdirSync(cwd)).toEqual([]);
  await charrette(cwd, 'skill', 'new', 'demo-x', '-y');
  expect((await charrette(cwd, 'skill', 'new', 'demo-x', '-y', '--json')).json()).toMatchObject({
    written: false,
  });
  const other = await charrette(cwd, 'skill', 'new', 'demo-x', '-y', '--phases', '3', '--json');
  expect(other.exit).toBe(5);
  expect(other.json()).toMatchObject({ error: { code: 'would-overwrite' } });
  const forced = await charrette(cwd, 'skill', 'new', 'demo-x', '-y', '--phases', '3', '--force', '--json');
  const { backup } = forced.json() as { backup: string };
  expect(readFileSync(path.join(backup, 'SKILL.md'), 'utf8')).toContain('in 4 phases');
  expect(readdirSync(path.join(cwd, '.claude/skills/demo-x/phases'))).toHaveLength(3);
});

test('S-030 a saved configuration makes the same package', async () => {
  const cwd = place();
  await charrette(
    cwd,
    'skill',
    'new',
    'demo-x',
    '-y',
    '--phases',
    'A, B, C',
    '--emit-config',
    'c.json',
    '--out',
    'one',
  );
  await charrette(cwd, 'skill', 'new', 'demo-x', '-y', '--from-config', 'c.json', '--out', 'two');
  const read = (root: string) => readFileSync(path.join(cwd, root, 'demo-x/SKILL.md'), 'utf8');
  expect(read('two')).toBe(read('one'));
});

/** Replaces the placeholders of a new skill (S-067). */
function fillIn(phases: string): void {
  for (const file of readdirSync(phases)) {
    const text = readFileSync(path.join(phases, file), 'utf8');
    writeFileSync(path.join(phases, file), text.replaceAll(/^TODO: Add .*$/gm, 'Do the work.'));
  }
}

test('S-067: an unfilled skeleton has one ST010 for every phase, a filled one none', async () => {
  const cwd = place();
  const made = await charrette(cwd, 'skill', 'new', 'demo-x', '-y', '--json');
  expect(made.json()).toMatchObject({ gate: 'PASS', findings: [1, 2, 3, 4].map(() => ({ rule: 'ST010' })) });
  const rules = async () => {
    const linted = await charrette(cwd, 'skill', 'lint', '.claude/skills/demo-x', '--json');
    const { packages } = linted.json() as { packages: { findings: { rule: string; file: string }[] }[] };
    return packages[0]?.findings.map(({ rule, file }) => `${rule} ${file}`);
  };
  expect(await rules()).toEqual([
    'ST010 phases/01-session-init.md',
    'ST010 phases/02-context-gather.md',
    'ST010 phases/03-process-transform.md',
    'ST010 phases/04-validate-review.md',
  ]);
  fillIn(path.join(cwd, '.claude/skills/demo-x/phases'));
  expect(await rules()).toEqual([]);
});

test('S-090 S-097 S-098 S-101 the gate decides the exit, in every format', async () => {
  const cwd = place();
  await charrette(cwd, 'skill', 'new', 'demo-x', '-y');
  const directory = '.claude/skills/demo-x';
  const file = path.join(cwd, directory, 'phases/01-session-init.md');
  expect((await charrette(cwd, 'skill', 'lint', directory)).exit).toBe(0);
  fillIn(path.join(cwd, directory, 'phases'));
  const clean = readFileSync(file, 'utf8');
  const line = "```js\nconst y = $ARGUMENTS.includes('-y')\n```\n";
  writeFileSync(file, `${clean}\n${line}`);
  const review = await charrette(cwd, 'skill', 'lint', directory, '--json');
  expect(review.exit).toBe(6);
  expect(review.json()).toMatchObject({
    gate: 'REVIEW',
    packages: [
      {
        name: 'demo-x',
        profile: 'pipeline',
        findings: [{ rule: 'HY001', severity: 'error', file: 'phases/01-session-init.md', fixable: false }],
      },
    ],
  });
  expect((await charrette(cwd, 'skill', 'lint', directory, '--fail-on', 'error')).exit).toBe(1);
  const sarif = await charrette(cwd, 'skill', 'lint', directory, '--format', 'sarif');
  expect(sarif.json()).toMatchObject({
    version: '2.1.0',
    runs: [{ results: [{ ruleId: 'HY001', level: 'error' }] }],
  });
  expect((await charrette(cwd, 'skill', 'lint', directory, '--format', 'github')).out).toMatch(
    /^::error file=.*01-session-init\.md,line=\d+,title=HY001::/,
  );
  writeFileSync(file, clean.replace('# Phase 1', '# Phase 7').concat(line, '\n[x](gone.md)\n'));
  expect((await charrette(cwd, 'skill', 'lint', directory)).exit).toBe(1);
  expect((await charrette(cwd, 'skill', 'lint', 'nowhere')).exit).toBe(4);
});

test('findings are coloured for a terminal, and not in a file that they go to from one', async () => {
  const cwd = place();
  mkdirSync(path.join(cwd, 'bare'));
  writeFileSync(path.join(cwd, 'bare', 'SKILL.md'), 'no front matter, no phases\n');
  const words = ['skill', 'lint', 'bare', '--cwd', cwd];
  expect((await runOnTerminal(...words)).out).toContain('\u001b[');
  const { exit, out } = await runIntoFile(...words);
  expect([exit, out]).toEqual([6, expect.stringContaining('bare')]);
  expect(out).not.toContain('\u001b[');
});

test('S-096 hygiene findings carry their count and a hint', async () => {
  const cwd = place();
  await charrette(cwd, 'skill', 'new', 'demo-x', '-y');
  const file = path.join(cwd, '.claude/skills/demo-x/phases/01-session-init.md');
  writeFileSync(
    file,
    `${readFileSync(file, 'utf8')}\n\`\`\`js\n$ARGUMENTS.trim()\n$ARGUMENTS.match(/x/)\n\`\`\`\n`,
  );
  expect((await charrette(cwd, 'skill', 'lint', '.claude/skills/demo-x')).out).toMatch(
    /HY001 {2}Raw arguments are used in a phase \(2 times; also on line \d+\)\. Read the flag in SKILL\.md/,
  );
});

test('a baseline accepts existing findings and reports only new ones', async () => {
  const cwd = place();
  await charrette(cwd, 'skill', 'new', 'demo-x', '-y');
  const file = path.join(cwd, '.claude/skills/demo-x/phases/01-session-init.md');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nTODO: more\n`);
  await charrette(cwd, 'skill', 'lint', '--all', '.claude/skills', '--write-baseline', 'base.json');
  const args = ['skill', 'lint', '--all', '.claude/skills', '--baseline', 'base.json', '--json'];
  expect((await charrette(cwd, ...args)).json()).toMatchObject({ packages: [{ findings: [] }] });
  writeFileSync(file, `Text above moves the line.\n${readFileSync(file, 'utf8')}\n[x](gone.md)\n`);
  expect((await charrette(cwd, ...args)).json()).toMatchObject({
    packages: [{ findings: [{ rule: 'RF001' }] }],
  });
});

test('S-072 S-071 convert writes its report into the package, and lint compares with the source', async () => {
  const cwd = place();
  const commands = path.join(cwd, '.claude/commands/work');
  mkdirSync(commands, { recursive: true });
  writeFileSync(
    path.join(commands, 'run.md'),
    '---\nname: run\ndescription: Runs it\n---\n# Run\n\n### Phase 1: Gather\n\nSkill(skill="work:gather")\n\n### Phase 2: End\n\nThe end.\n',
  );
  writeFileSync(
    path.join(commands, 'gather.md'),
    '---\nname: gather\ndescription: Gathers\n---\n# Gather\n\nA sentence that must stay.\n\n```bash\nnpm test\n```\n',
  );
  expect(
    (await charrette(cwd, 'skill', 'convert', '.claude/commands/work/run.md', '--json')).json(),
  ).toMatchObject({ skill: 'work-run', gate: 'PASS' });
  const root = path.join(cwd, '.claude/skills');
  expect(readdirSync(root)).toEqual(['work-run']);
  expect(readdirSync(path.join(root, 'work-run')).sort()).toEqual([
    'SKILL.md',
    'conversion-report.json',
    'phases',
  ]);
  const file = path.join(root, 'work-run/phases/01-gather.md');
  writeFileSync(file, readFileSync(file, 'utf8').replace('must stay', 'was reworded'));
  const { packages } = (
    await charrette(cwd, 'skill', 'lint', '.claude/skills/work-run', '--json')
  ).json() as { packages: { findings: { rule: string }[] }[] };
  expect(packages[0]?.findings.map(({ rule }) => rule)).toContain('CF005');
});

test('S-015 S-054 S-067 flags become preferences, input is structured, and what is unknown is a TODO that lint reports', async () => {
  const cwd = place();
  writeFileSync(
    path.join(cwd, 'r.md'),
    '# Two Steps\n\nDoes two steps.\n\n## One\n\n- Outputs: `x`\n\n## Two\n\nUse it.\n',
  );
  const made = await charrette(cwd, 'skill', 'convert', 'r.md', '--json');
  expect((made.json() as { findings: { rule: string }[] }).findings.map(({ rule }) => rule)).toEqual(
    expect.arrayContaining(['ST010']),
  );
  const skill = readFileSync(path.join(cwd, '.claude/skills/two-steps/SKILL.md'), 'utf8');
  for (const part of [
    'GOAL:',
    'SCOPE:',
    'CONTEXT:',
    'workflowPreferences = { autoYes: true }',
    'answers.autoYes === "Auto"',
  ])
    expect(skill).toContain(part);
});

test('fix and sync write only what changes, show draws it, explain knows rules and patterns', async () => {
  const cwd = place();
  await charrette(cwd, 'skill', 'new', 'demo-x', '-y');
  const file = path.join(cwd, '.claude/skills/demo-x/phases/04-validate-review.md');
  const clean = readFileSync(file, 'utf8');
  writeFileSync(file, clean.replace(/contains \d+ execution/, 'contains 9 execution'));
  await charrette(cwd, 'skill', 'sync', '.claude/skills/demo-x', '--dry-run');
  expect(readFileSync(file, 'utf8')).toContain('contains 9');
  expect((await charrette(cwd, 'skill', 'sync', '.claude/skills/demo-x', '--json')).json()).toMatchObject({
    packages: [{ changed: ['phases/04-validate-review.md'], gate: 'PASS' }],
  });
  expect(readFileSync(file, 'utf8')).toBe(clean);
  expect((await charrette(cwd, 'skill', 'show', '.claude/skills/demo-x', '--format', 'mermaid')).out).toMatch(
    /^flowchart TD/,
  );
  expect((await charrette(cwd, 'skill', 'explain', 'cp003')).out).toContain(
    'The sentinel counts the step headings',
  );
  expect((await charrette(cwd, 'skill', 'explain', 'P9')).exit).toBe(0);
  expect((await charrette(cwd, 'skill', 'explain', 'XX999')).exit).toBe(4);
});

test('install, pack and uninstall by name', async () => {
  const cwd = place();
  expect((await charrette(cwd, 'skill', 'install')).out).toContain('lite-plan');
  expect((await charrette(cwd, 'skill', 'install', 'lite-plan', '--host', 'codex')).exit).toBe(0);
  expect(existsSync(path.join(cwd, '.agents/skills/lite-plan/SKILL.md'))).toBe(true);
  expect((await charrette(cwd, 'skill', 'pack', '.agents/skills/lite-plan', '--to', 'x.tar.gz')).exit).toBe(
    0,
  );
  expect((await charrette(cwd, 'skill', 'uninstall', 'lite-plan', '--host', 'codex')).exit).toBe(0);
  expect(existsSync(path.join(cwd, '.agents'))).toBe(false);
  expect((await charrette(cwd, 'skill', 'install', 'lite-plam')).exit).toBe(4);
});

test('a package with lint errors is installed and packed by force alone, and the errors are listed', async () => {
  const cwd = place();
  mkdirSync(path.join(cwd, 'broken'));
  writeFileSync(path.join(cwd, 'broken', 'SKILL.md'), '---\nname: Not A Name\n---\n\nNo description.\n');
  for (const words of [
    ['install', 'lite-plan', 'broken'],
    ['pack', 'broken', '--to', 'broken.tar.gz'],
  ]) {
    const refused = await charrette(cwd, 'skill', ...words, '--json');
    expect(refused.exit).toBe(5);
    expect(refused.json()['error']).toMatchObject({
      code: 'lint-errors',
      message: expect.stringMatching(
        /^broken has \d+ lint errors?, so it was not (?:installed|packed):\n {2}SKILL\.md:\d+ [A-Z]+\d+ /,
      ),
    });
  }
  expect(existsSync(path.join(cwd, '.claude'))).toBe(false);
  expect(existsSync(path.join(cwd, 'broken.tar.gz'))).toBe(false);
  expect((await charrette(cwd, 'skill', 'install', 'broken', '--force')).exit).toBe(0);
  expect(existsSync(path.join(cwd, '.claude/skills/broken/SKILL.md'))).toBe(true);
  expect((await charrette(cwd, 'skill', 'pack', 'broken', '--force')).exit).toBe(0);
});

test('30.3: convert exits 6 when errors remain that are not inherited', async () => {
  const cwd = place();
  const skill = path.join(cwd, 'old/half-done');
  mkdirSync(path.join(skill, 'phases'), { recursive: true });
  writeFileSync(
    path.join(skill, 'SKILL.md'),
    '---\nname: half-done\ndescription: Half done\n---\n# Half\n\n[x](phases/09-gone.md)\n',
  );
  writeFileSync(path.join(skill, 'phases/01-read.md'), '# Phase 1: Read\n\nRead.\n');
  const made = await charrette(
    cwd,
    'skill',
    'convert',
    'old/half-done',
    '--from',
    'existing_skill',
    '--out',
    'skills',
    '--json',
  );
  expect(made.json()).toMatchObject({ skill: 'half-done' });
  expect(made.exit).toBe(6);
});

test('S-069 CF005: lint finds all lines of a skill that convert split at its process blocks', async () => {
  const cwd = place();
  const skill = path.join(cwd, 'old/blocks');
  mkdirSync(skill, { recursive: true });
  writeFileSync(
    path.join(skill, 'SKILL.md'),
    '---\nname: blocks\ndescription: Has blocks. Triggers on "blocks".\n---\n# Blocks\n\n<process>\nRead it all.\n\nAgain.\n</process>\n\n<process>\nWrite it all.\n\nAgain.\n</process>\n',
  );
  await charrette(
    cwd,
    'skill',
    'convert',
    'old/blocks',
    '--from',
    'existing_skill',
    '--out',
    'skills',
    '--json',
  );
  const { packages } = (await charrette(cwd, 'skill', 'lint', 'skills/blocks', '--json')).json() as {
    packages: { findings: { rule: string }[] }[];
  };
  expect(packages[0]?.findings.map(({ rule }) => rule).filter((rule) => rule.startsWith('CF'))).toEqual([]);
});
