import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** The only files that start programs, and how; each takes a list of arguments. */
const starters: Readonly<Record<string, readonly string[]>> = {
  'src/agents/tree-guard.ts': ['execFile'],
  'src/agents/jail.ts': ['spawnSync'],
  'src/agents/process/process-tree.ts': ['spawnSync'],
  'src/agents/run-process.ts': ['spawn'],
  'src/repo/index/script-reader.ts': ['spawn', 'spawnSync'],
  'src/repo/git/run-git.ts': ['spawn'],
  'src/plan/diagram.ts': ['spawn'],
  'src/workflows/design/isolated-phase.ts': ['spawn'],
  'src/service/start.ts': ['spawn'],
  'src/workflows/script/host.ts': ['spawn'],
  'src/workflows/script/inspector.ts': ['spawnSync'],
  'bin/charrette': ['spawn'],
};

/** What would give a text to a shell, or run it as code. */
const forbidden: readonly [RegExp, string][] = [
  [/\bshell\s*:(?!\s*(?:\[|Starter\b|false\b))/, 'the option `shell`'],
  [/(?<![.\w])exec(?:Sync)?\s*\(/, 'a command as one text'],
  [
    /['"`](?:\/bin\/|\/usr\/bin\/(?:env )?)?(?:ba|da|z|k|fi)?sh['"`]\s*,\s*\[?\s*['"`]-\w*c['"`]/,
    'a shell with -c',
  ],
  [/['"`](?:cmd|powershell)(?:\.exe)?['"`]\s*,\s*\[?\s*['"`][/-][cC]/, 'a shell of Windows'],
  [/(?<![.\w])eval\s*\(|\bnew Function\s*\(|['"](?:node:)?vm['"]/, 'text that is run as code'],
];

/** Texts that may look like it, by file, with the reason. */
const excused: Readonly<Record<string, string>> = {
  'src/agents/model/read-tools.ts: text that is run as code':
    'a regular expression of a model runs in a separate context because only there it can be ended',
  'src/workflows/script/host-program.ts: text that is run as code':
    'a workflow file is run in a process without files, programs and, with bubblewrap, network',
};

function problemsIn(file: string, text: string): string[] {
  const found = forbidden.flatMap(([pattern, what]) => (pattern.test(text) ? [`${file}: ${what}`] : []));
  if (!/['"](?:node:)?child_process['"]/.test(text)) return found;
  const named = [
    ...text.matchAll(
      /(?:import|const) \{([^}:]*)\} (?:from |= await import\()['"](?:node:)?child_process['"]/g,
    ),
  ];
  const values = named.flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type ')),
  );
  const mentions = text.match(/['"](?:node:)?child_process['"]/g)?.length ?? 0;
  const types = text.match(/import type \{[^}]*\} from ['"](?:node:)?child_process['"]/g)?.length ?? 0;
  if (mentions !== named.length + types)
    found.push(`${file}: child_process in a form that cannot be read here`);
  const allowed = starters[file] ?? [];
  return [...found, ...values.filter((name) => !allowed.includes(name)).map((name) => `${file}: ${name}`)];
}

const root = path.resolve(import.meta.dirname, '..');
const files = [
  ...readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|mjs)$/.test(name) && !/\.test\.ts$|(?:^|\/)fixtures\//.test(name))
    .map((name) => `src/${name.split(path.sep).join('/')}`),
  'bin/charrette',
];

test('no source gives a text to a shell, and only the declared ones start programs', () => {
  const found = files.flatMap((file) => problemsIn(file, readFileSync(path.join(root, file), 'utf8')));
  expect(found).toEqual(Object.keys(excused));
  expect(files.length).toBeGreaterThan(500);
});

test('every declared one does start programs', () => {
  for (const [file, names] of Object.entries(starters))
    for (const name of names)
      expect(readFileSync(path.join(root, file), 'utf8'), file).toMatch(new RegExp(`\\b${name}\\b`));
});

test.each([
  ["spawn('git', words, { shell: true });", 'the option `shell`'],
  ['spawn(program, args, { shell: process.env.SHELL });', 'the option `shell`'],
  ['exec(command);', 'a command as one text'],
  ["execSync('git log');", 'a command as one text'],
  ["spawn('sh', ['-c', 'git log ' + name]);", 'a shell with -c'],
  ["spawn('/bin/bash', ['-lc', text]);", 'a shell with -c'],
  ["spawn('cmd.exe', ['/c', text]);", 'a shell of Windows'],
  ['eval(answer);', 'text that is run as code'],
  ['new Function(answer)();', 'text that is run as code'],
  ["import { exec } from 'node:child_process';", 'exec'],
  ["import * as children from 'node:child_process';", 'child_process in a form that cannot be read here'],
  [
    "const { exec: run } = await import('child_process');",
    'child_process in a form that cannot be read here',
  ],
])('it would be seen: %s', (text, problem) => {
  expect(problemsIn('src/new.ts', text)).toEqual([`src/new.ts: ${problem}`]);
});

test.each(['pattern.exec(text)', 'shell: ["claude"],', 'spawn(program, args, { shell: false })'])(
  'it is none: %s',
  (text) => {
    expect(problemsIn('src/new.ts', text)).toEqual([]);
  },
);
