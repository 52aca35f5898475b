import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseJson } from '../../src/base/safe-json.ts';
import { clearAway } from '../clear-away.ts';
import { optionalProgram } from '../support/optional-programs.ts';
import { cleanTexts } from '../support/skill-packages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const project = mkdtempSync(path.join(tmpdir(), 'charrette-skill-run-'));
afterAll(() => clearAway(project));

/** An agent that gives every declared output, notes its calls, and leaves outputs out while a file says so. */
const agent = `import fs from 'node:fs';
let text = '';
for await (const chunk of process.stdin) text += chunk;
const phase = /phase (\\d+) \\(/.exec(text)[1];
fs.appendFileSync('calls.log', phase + ' ');
const names = [...text.matchAll(/- the value \`(\\w+)\`/g)].map((match) => match[1]);
const files = [...text.matchAll(/- the file \`([^\`]+)\`/g)].map((match) => match[1]);
const known = {
  'plan.json': { summary: 's', approach: 'a', task_ids: ['TASK-001'], task_count: 1, _metadata: {} },
  'execution.json': { results: [{ id: 'TASK-001', status: 'completed' }] },
};
const outputs = Object.fromEntries(names.map((name) => [name, ({ conflictRisk: 'low', passRate: 10 })[name] ?? name + '-1']));
if (fs.existsSync('fail-' + phase)) delete outputs[names[0]];
if (fs.existsSync('garbage')) { console.log('Sure! All is well.'); process.exit(0); }
const status = fs.existsSync('status-' + phase) ? fs.readFileSync('status-' + phase, 'utf8') : 'DONE';
console.log(JSON.stringify({ status, summary: 'phase ' + phase, outputs, files: Object.fromEntries(files.map((file) => [file, fs.existsSync('loose') || !known[file.split('/').at(-1)] ? '"made by ' + phase + '"' : JSON.stringify(known[file.split('/').at(-1)])])) }));
`;

beforeAll(() => {
  writeFileSync(path.join(project, 'agent.mjs'), agent);
  writeFileSync(
    path.join(project, 'charrette.config.json'),
    JSON.stringify({
      detect: false,
      agents: {
        mine: {
          protocol: 'exec',
          command: [process.execPath, path.join(project, 'agent.mjs')],
          family: 'mine',
        },
      },
    }),
  );
});

function charrette(...words: string[]) {
  const done = spawnSync(process.execPath, [path.join(root, 'bin/charrette'), 'skill', ...words, '--json'], {
    cwd: project,
    encoding: 'utf8',
  });
  return { exit: done.status, json: parseJson(done.stdout, 'stdout') as Record<string, unknown> };
}

test('skill run executes the shipped plan package, fails by name, resumes without repeating, and pauses for questions', () => {
  const calls = () => readFileSync(path.join(project, 'calls.log'), 'utf8').trim();
  const skill = path.join(root, 'skills/plan');

  writeFileSync(path.join(project, 'fail-4'), '');
  const failed = charrette('run', skill, 'add limits', '--yes');
  expect(failed).toMatchObject({ exit: 1, json: { error: { code: 'phase-failed' } } });
  expect(calls()).toBe('1 2 4 4 4');

  rmSync(path.join(project, 'fail-4'));
  const resumed = charrette('run', '--resume', 'latest');
  expect(resumed).toMatchObject({ exit: 0, json: { status: 'done' } });
  expect(calls()).toBe('1 2 4 4 4 4 5');
  expect(existsSync(path.join(project, '.workflow/active/sessionId-1/plan.json'))).toBe(true);

  const paused = charrette('run', path.join(root, 'skills/lite-plan'), 'fix it');
  expect(paused).toMatchObject({ exit: 7, json: { status: 'paused' } });
  writeFileSync(
    path.join(project, 'answers.json'),
    JSON.stringify({ 'preference-autoYes': 'Auto', 'preference-forceExplore': 'Auto-detect' }),
  );
  expect(charrette('run', '--resume', 'latest', '--answers', 'answers.json')).toMatchObject({
    exit: 0,
    json: { status: 'done' },
  });
  expect(calls()).toBe('1 2 4 4 4 4 5 1 2');

  writeFileSync(path.join(project, 'loose'), '');
  expect(charrette('run', path.join(root, 'skills/lite-plan'), 'fix it', '--yes')).toMatchObject({
    exit: 1,
    json: {
      error: {
        code: 'phase-failed',
        message: expect.stringMatching(
          /^Phase 1 \(Lite Plan\) failed .*\.workflow\/\.lite-plan\/sessionId-1\/plan\.json does not fit schemas\/plan\.schema\.json/,
        ),
      },
    },
  });
});

test('S-106: a phase that reports failed stops the run with its reason; unknown and missing statuses are repaired, then fail', () => {
  const log = path.join(project, 'calls.log');
  const calls = () => readFileSync(log, 'utf8').trim();
  const skill = path.join(root, 'skills/plan');
  const status = path.join(project, 'status-2');
  const failure = (message: string) => ({
    exit: 1,
    json: { error: { code: 'phase-failed', message: expect.stringContaining(message) } },
  });

  writeFileSync(log, '');
  writeFileSync(status, 'failed');
  expect(charrette('run', skill, 'add limits', '--yes')).toMatchObject(
    failure('failed: The phase reports FAILED: phase 2'),
  );
  expect(calls()).toBe('1 2');
  writeFileSync(status, 'all good');
  expect(charrette('run', '--resume', 'latest')).toMatchObject(
    failure('failed after 3 attempts: The status is "all good"; it must be one of DONE,'),
  );
  expect(calls()).toBe('1 2 2 2 2');
  rmSync(status);
  writeFileSync(path.join(project, 'garbage'), '');
  expect(charrette('run', '--resume', 'latest')).toMatchObject(failure('The answer is not a JSON object'));
  rmSync(path.join(project, 'garbage'));
  expect(charrette('run', '--resume', 'latest')).toMatchObject({ exit: 0, json: { status: 'done' } });
  expect(calls()).toBe('1 2 2 2 2 2 2 2 2 4 5');
});

test.skipIf(optionalProgram('bash') === undefined).each([
  ['a process substitution', '"$@" --answers <(sleep 0.3; echo \'{"autoYes": "Auto"}\')'],
  ['standard input as a pipe', 'echo \'{"autoYes": "Auto"}\' | "$@" --answers /dev/stdin'],
  ['standard input as a file', '"$@" --answers /dev/stdin <<< \'{"autoYes": "Auto"}\''],
  ['standard input as a program gives it', '"$@" --answers /dev/stdin'],
])('answers come through %s', (_, script) => {
  const words = [
    process.execPath,
    path.join(root, 'bin/charrette'),
    'skill',
    'run',
    path.join(root, 'skills/lite-plan'),
    'it',
  ];
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words, '--dry-run'], {
    cwd: project,
    encoding: 'utf8',
    input: '{"autoYes": "Auto"}',
  });
  expect(stderr).toContain('takes autoYes.');
  expect(status).toBe(0);
});

test('a loop that misses its condition ends as not accepted, with exit 6 and a reason', () => {
  const folder = path.join(project, 'endless-flow');
  const texts = cleanTexts({
    skillName: 'endless-flow',
    profile: 'loop',
    loop: { until: 'passRate >= 95', from: 1, limit: 2 },
    dataFlow: [],
    preferenceQuestions: [],
    phases: [
      { name: 'A', description: 'a' },
      { name: 'B', description: 'b', outputVariables: ['passRate'] },
    ],
  });
  for (const [file, text] of Object.entries(texts)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  const reason = '`passRate >= 95` does not hold after 2 rounds';
  const ended = charrette('run', folder, 'pass', '--yes', '--force');
  expect(ended).toMatchObject({ exit: 6, json: { status: 'not-accepted' } });
  const summary = path.join(project, '.charrette/runs', String(ended.json['run']), 'artifacts/summary.md');
  expect(readFileSync(summary, 'utf8')).toContain(`\nDONE_WITH_CONCERNS: ${reason}\n`);
});
