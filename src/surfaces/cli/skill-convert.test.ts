import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { parseJson } from '../../base/safe-json.ts';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'charrette-convert-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), text);
  }
}

const run = (...words: string[]) => runCommandLine('skill', ...words, '--cwd', cwd);

/** All Markdown of a package, each file under its name. */
function texts(directory: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path.join(cwd, directory), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => [name, readFileSync(path.join(cwd, directory, name), 'utf8')]),
  );
}

const head = (name: string) =>
  `---\nname: ${name}\ndescription: Does ${name}. Triggers on "${name}".\n---\n\n`;
const fence = '```';
const command = `${head('plan')}## Auto Mode

AUTO-TEXT when -y.

# Workflow Plan

OVERVIEW-TEXT of the command.

## Coordinator Role

ROLE-TEXT here.

## Core Rules

1. CORE-RULE-TEXT.

## 5-Phase Notes

NOTES-TEXT odd section.

## Phase 1: Session

PHASE1-TEXT: validate the id first.

${fence}javascript
Skill(skill="workflow:tools:start", args="--auto")
${fence}

**Parse Output**: PARSE-TEXT extract SESSION_ID.

## Phase 2: Context

Then Skill(skill="workflow:tools:start") again.

**Validation**: VALID-TEXT file exists.

## Phase 3: Write

PHASE3-TEXT own text.

| a | b |
|---|---|
| 1 | 2 |

## Phase-Free Appendix

APPENDIX-TEXT

## Error Handling

ERR-TEXT

## Error Handling

SECOND-ERR-TEXT
`;

test.each(['\n', '\r\n'])(
  'S-024 S-053 S-062 S-069 a converted command keeps all that its orchestrator says (line end %j)',
  async (end) => {
    write({
      '.claude/commands/workflow/plan.md': command.replaceAll('\n', end),
      '.claude/commands/workflow/tools/start.md': '# Start\n\nSTART-TEXT\n',
    });
    const ended = await run('convert', '.claude/commands/workflow/plan.md', '--out', 'made');
    expect(ended.err).toBe('');
    expect(ended.out).toContain('kept every fence, table and line of the source');
    const made = texts('made/workflow-plan');
    for (const words of ['AUTO', 'OVERVIEW', 'ROLE', 'CORE-RULE', 'NOTES', 'APPENDIX', 'ERR', 'SECOND-ERR'])
      expect(made['SKILL.md'], words).toContain(`${words}-TEXT`);
    expect(made['SKILL.md']).toMatch(/^# .+\n\n.+\n\nOVERVIEW-TEXT of the command\.\r?\n\n## Architecture/m);
    const first = made['phases/01-session.md'] ?? '';
    for (const words of ['PHASE1', 'PARSE', 'START']) expect(first, words).toContain(`${words}-TEXT`);
    // Its text follows, so the call is removed; its arguments stay.
    expect(first).not.toContain('Skill(');
    expect(first).toContain('args="--auto"');
    expect(made['phases/02-context.md']).toContain('VALID-TEXT');
    expect(made['phases/03-write.md']).toContain('PHASE3-TEXT');
    const linted = await run('lint', 'made/workflow-plan', '--json');
    expect(parseJson(linted.out, 'stdout')).toMatchObject({ gate: expect.stringMatching(/PASS|REVIEW/) });
  },
);

const flat = `${head('flat')}# Flat

INTRO-TEXT paragraph.

A second one with RULE-TEXT.

## Workflow

WORKFLOW-TEXT before the phases.

### Phase 1: Collect

Read [the guide](references/guide.md) and run \`scripts/go.sh\`.

### Phase 2: Report

REPORT-TEXT

### Rules inside

INSIDE-TEXT

## Error Handling

FIRST-TEXT

## Error Handling

SECOND-TEXT

## Data Flow

DATA-TEXT
`;

test('S-028 S-068 S-069 a flat skill arrives whole: every paragraph, and the files next to it', async () => {
  write({
    'skills/flat/SKILL.md': flat.replace(
      '\n---',
      '\nlicense: MIT\nargument-hint: "[x]"\nmetadata:\n  version: 1.0\n---',
    ),
    'skills/flat/references/guide.md': 'guide\n',
    'skills/flat/scripts/go.sh': '#!/bin/sh\n',
    'skills/flat/.env': 'SECRET=1\n',
  });
  chmodSync(path.join(cwd, 'skills/flat/scripts/go.sh'), 0o755);
  writeFileSync(path.join(cwd, 'skills/flat/logo.png'), Buffer.from([0x89, 0xff, 0x00, 0xfe]));
  const ended = await run('convert', 'skills/flat', '--out', 'made', '--json');
  expect(ended.err).toMatch(/frontmatter argument-hint was dropped(?:.|\n)*Left out: \.env/);
  const result = parseJson(ended.out, 'stdout') as { findings: { rule: string }[]; gate: string };
  const made = texts('made/flat');
  expect(made['SKILL.md']).toMatch(/\nallowed-tools: .*\nlicense: MIT\nmetadata:\n {2}version: 1\.0\n---\n/);
  for (const words of ['INTRO', 'RULE', 'WORKFLOW', 'INSIDE', 'FIRST', 'SECOND', 'DATA'])
    expect(made['SKILL.md'], words).toContain(`${words}-TEXT`);
  expect(made['phases/02-report.md']).toContain('REPORT-TEXT');
  expect(made['references/guide.md']).toBe('guide\n');
  expect(statSync(path.join(cwd, 'made/flat/scripts/go.sh')).mode & 0o111).toBe(0o111);
  expect([...readFileSync(path.join(cwd, 'made/flat/logo.png'))]).toEqual([0x89, 0xff, 0x00, 0xfe]);
  expect(existsSync(path.join(cwd, 'made/flat/.env'))).toBe(false);
  // The gate is the one of what was written.
  const linted = await run('lint', 'made/flat', '--json');
  expect(parseJson(linted.out, 'stdout')).toMatchObject({ gate: result.gate });
  expect(result.findings.map(({ rule }) => rule)).not.toContain('RF001');
  const again = await run('convert', 'skills/flat', '--out', 'made', '--json');
  expect(parseJson(again.out, 'stdout')).toMatchObject({ written: false });
});

test('S-028 a package with phases is brought up to date elsewhere with all its files', async () => {
  expect((await run('new', 'mg', '-y', '--phases', 'A, B, C', '--out', 'skills')).exit).toBe(0);
  const skill = readFileSync(path.join(cwd, 'skills/mg/SKILL.md'), 'utf8');
  write({
    'skills/mg/SKILL.md': `${skill}\n[g](references/g.md)\n`,
    'skills/mg/references/g.md': 'g\n',
  });
  const ended = await run('convert', 'skills/mg', '--out', 'made', '--json');
  expect(readFileSync(path.join(cwd, 'made/mg/references/g.md'), 'utf8')).toBe('g\n');
  const linted = await run('lint', 'made/mg', '--json');
  const gate = (parseJson(linted.out, 'stdout') as { gate: string }).gate;
  expect(parseJson(ended.out, 'stdout')).toMatchObject({ gate });
});

test('FM003 S-007 a package that is brought up to date under another name is called so, below the root alone', async () => {
  expect((await run('new', 'mg', '-y', '--phases', 'A, B, C', '--out', 'skills')).exit).toBe(0);
  const words = ['convert', 'skills/mg', '--from', 'existing_skill', '--out', 'made', '--json', '--name'];
  expect(await run(...words, '../escaped')).toMatchObject({
    exit: 2,
    out: expect.stringContaining('is not a skill name'),
  });
  expect(existsSync(path.join(cwd, 'escaped'))).toBe(false);
  expect(parseJson((await run(...words, 'other')).out, 'stdout')).toMatchObject({ gate: 'PASS' });
  expect(texts('made/other')['SKILL.md']).toContain('\nname: other\n');
});

test.each(['', '  '])('nothing is converted from %j', async (source) => {
  expect(await run('convert', source)).toMatchObject({ exit: 4 });
  expect(existsSync(path.join(cwd, '.claude'))).toBe(false);
});

test('a skill with a link that leads out of it is not converted elsewhere', async () => {
  write({ 'skills/flat/SKILL.md': flat, 'secret.md': 'secret\n' });
  symlinkSync('../../secret.md', path.join(cwd, 'skills/flat/notes.md'));
  const ended = await run('convert', 'skills/flat', '--out', 'made', '--json');
  expect(parseJson(ended.out, 'stdout')).toMatchObject({
    error: { code: 'path-unsafe', message: expect.stringContaining('notes.md') },
  });
  expect(existsSync(path.join(cwd, 'made'))).toBe(false);
});

test('S-027 S-064 a requirements document keeps every line that is not a field', async () => {
  const details = [
    'Never read files below `vendor/` (MUST-TEXT).',
    '1. NUM-TEXT run `git log`',
    '2. Save the list',
    'git log --CODE-TEXT',
    '- Outputs: fenced',
    '- Inputs: everything in the INPUT-TEXT',
    '### Details',
    'DETAIL-TEXT',
    '- Agents: Explore',
  ];
  write({
    'req.md': `Before the title: BEFORE-TEXT.\n\n# Release Audit\n\nAudits a release.\n\nSecond head paragraph: HEAD-TEXT.\n\nName: release-audit\n\n## Collect\n\nCollect the [changes](https://example.org/LINK-TEXT).\n\n${details[0]}\n\n${details[1]}\n${details[2]}\n\n${fence}bash\n${details[3]}\n${details[4]}\n${fence}\n\n- Outputs: changes\n- Agents: general-purpose\n\n## Judge\n\n- Inputs: changes\n${details[5]}\n- Outputs: risk, report.md\n\n${details[6]}\n\n${details[7]}\n\n## Report\n\nReport it.\n\n# Part two\n\nPART-TEXT\n\n## End\n\nEnd it.\n\n${fence}bash\nOPEN-TEXT\n`,
  });
  expect((await run('convert', 'req.md', '--out', 'made')).exit).toBe(0);
  const made = texts('made/release-audit');
  for (const words of ['BEFORE', 'HEAD', 'PART']) expect(made['SKILL.md'], words).toContain(`${words}-TEXT`);
  const collect = made['phases/01-collect.md'] ?? '';
  const main = collect.slice(collect.indexOf('### Step 1.2'), collect.indexOf('### Step 1.3'));
  for (const line of [...details.slice(0, 5), 'LINK-TEXT']) expect(main).toContain(line);
  for (const line of details.slice(5, 8)) expect(made['phases/02-judge.md']).toContain(line);
  // A block that the document leaves open ends with its phase.
  expect(made['phases/04-end.md']).toMatch(/OPEN-TEXT\n```\n/);
  const linted = await run('lint', 'made/release-audit', '--json');
  const { packages } = parseJson(linted.out, 'stdout') as {
    packages: { findings: { severity: string }[] }[];
  };
  expect(packages[0]?.findings).toEqual([]);
});

test('S-026 a description of several sentences stays in the package', async () => {
  const words =
    'Review a release. Never touch the main branch.\n\n1. Collect: the changes\n2. Report: the risk';
  expect((await run('convert', words, '--name', 'told', '--out', 'made')).exit).toBe(0);
  expect(texts('made/told')['SKILL.md']).toContain('Never touch the main branch.');
});

test('a description longer than a name of a file can be was called a defect of ours', async () => {
  const description = `First collect ${'every one of the many files '.repeat(20)}, then review, finally report`;
  const { exit, out } = await run('convert', description, '--name', 'long-one', '--json');
  expect([exit, JSON.parse(out).skill]).toEqual([0, 'long-one']);
});
