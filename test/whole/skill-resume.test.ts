import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseJson } from '../../src/base/safe-json.ts';
import { readEvents } from '../../src/engine/event-log.ts';
import { clearAway } from '../clear-away.ts';
import { startCharrette, until } from '../support/live-program.ts';
import { charrette, runsOf } from '../support/program.ts';

const root = path.resolve(import.meta.dirname, '..', '..');
const skill = path.join(root, 'skills', 'plan');
let project: string;

/** What each call of the agent does, by a file in the project; each call is noted before anything else happens. */
const agent = `import fs from 'node:fs';
let text = '';
for await (const chunk of process.stdin) text += chunk;
const phase = /phase (\\d+) \\(/.exec(text)[1];
fs.appendFileSync('calls.log', phase + ' ');
const count = fs.readFileSync('calls.log', 'utf8').split(' ').filter((entry) => entry === phase).length;
const [behaviour] = fs.existsSync('act-' + phase + '-' + count) ? [fs.readFileSync('act-' + phase + '-' + count, 'utf8')] : ['work'];
if (behaviour === 'crash') { console.error('the program fell over'); process.exit(9); }
if (behaviour === 'hang') await new Promise((resolve) => setTimeout(resolve, 600_000));
const names = [...text.matchAll(/- the value \`(\\w+)\`/g)].map((match) => match[1]);
const files = [...text.matchAll(/- the file \`([^\`]+)\`/g)].map((match) => match[1]);
const outputs = Object.fromEntries(names.map((name) => [name, name === 'conflictRisk' ? 'low' : name + '-1']));
if (behaviour === 'omit') delete outputs[names[0]];
console.log(JSON.stringify({ status: 'DONE', summary: 'phase ' + phase, outputs, files: Object.fromEntries(files.map((file) => [file, 'made by ' + phase])) }));
`;

beforeAll(() => {
  project = mkdtempSync(path.join(tmpdir(), 'charrette-skill-resume-'));
  writeFileSync(path.join(project, 'agent.mjs'), agent);
  const command = [process.execPath, path.join(project, 'agent.mjs')];
  writeFileSync(
    path.join(project, 'charrette.config.json'),
    JSON.stringify({ detect: false, agents: { mine: { protocol: 'exec', command, family: 'mine' } } }),
  );
});
afterAll(() => clearAway(project));

const calls = () => {
  const file = path.join(project, 'calls.log');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
};
const act = (phase: number, call: number, what: string) =>
  writeFileSync(path.join(project, `act-${phase}-${call}`), what);
const todo = (run: string) =>
  parseJson(
    readFileSync(path.join(project, '.charrette', 'runs', run, 'artifacts', 'todo.json'), 'utf8'),
    'todo.json',
  ) as { active?: Record<string, unknown>; items: { status: string }[] };

/** What the events say about lanes, in order and in few words. */
const laneEvents = (run: string) =>
  readEvents(path.join(project, '.charrette', 'runs', run, 'events.jsonl')).flatMap((event) => {
    if (event.type === 'lane-queue') return [`${event.type} ${event.lane} ${event.label}`];
    if (event.type === 'lane-start') return [`${event.type} ${event.lane} ${event.agent} ${event.attempt}`];
    if (event.type === 'lane-retry')
      return [`${event.type} ${event.lane} ${event.agent} ${event.attempt} ${event.kind}`];
    return event.type === 'lane-end' ? [`${event.type} ${event.lane} ${event.agent} ${event.kind}`] : [];
  });

const wentWell = (phase: number, label: string) => [
  `lane-queue phase-${phase}-1 ${label}`,
  `lane-start phase-${phase}-1 mine 1`,
  `lane-end phase-${phase}-1 mine ok`,
];

test('a phase call that was running when the process was killed is made again on resume; rejected and finished ones before it are not', async () => {
  act(2, 1, 'omit');
  act(2, 2, 'hang');
  const live = startCharrette(['skill', 'run', skill, 'add limits', '--yes'], { cwd: project });
  await until(() => calls() === '1 2 2');
  const [run = ''] = runsOf(project);
  // The list on disk names the phase that was running, with the document as it was then (P-160, P-161).
  expect(todo(run).items.map(({ status }) => status)).toEqual([
    'completed',
    'in_progress',
    'pending',
    'pending',
    'pending',
  ]);
  expect(todo(run).active).toMatchObject({
    phase: 'phase-2',
    file: 'phases/02-context.md',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  live.kill('SIGKILL');
  await live.ended;

  const resumed = await charrette(['skill', 'run', '--resume', run], { cwd: project });
  expect(resumed.code, resumed.stderr).toBe(0);
  // The live view, `watch` and the page see the attempts, each told once.
  expect(laneEvents(run)).toEqual([
    ...wentWell(1, 'Session'),
    'lane-queue phase-2-1 Context',
    'lane-start phase-2-1 mine 1',
    'lane-retry phase-2-1 mine 1 bad_output',
    'lane-start phase-2-1 mine 2',
    'lane-end phase-2-1 mine ok',
    ...wentWell(4, 'Tasks'),
    ...wentWell(5, 'Verification'),
  ]);
  // One more call of phase 2, in place of the one that was cut off; phase 1 and its first attempt stay as they are.
  expect(calls()).toBe('1 2 2 2 4 5');
  expect(todo(run).items.map(({ status }) => status)).toEqual([
    'completed',
    'completed',
    'skipped',
    'completed',
    'completed',
  ]);
});

test('a failed phase call is tried again on resume; the record of its failures stays', async () => {
  rmSync(path.join(project, 'calls.log'));
  for (const call of [1, 2]) rmSync(path.join(project, `act-2-${call}`));
  for (const call of [1, 2, 3]) act(4, call, 'crash');
  const failed = await charrette(['skill', 'run', skill, 'add limits', '--yes', '--json'], { cwd: project });
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('Phase 4 (Tasks) failed after 3 attempts');
  expect(failed.stdout).toContain('the program fell over');
  expect(calls()).toBe('1 2 4 4 4');
  const run = runsOf(project).at(-1) ?? '';
  expect(todo(run).items.map(({ status }) => status)).toEqual([
    'completed',
    'completed',
    'skipped',
    'failed',
    'pending',
  ]);

  const resumed = await charrette(['skill', 'run', '--resume', run], { cwd: project });
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(calls()).toBe('1 2 4 4 4 4 5');
  const lanes = readdirSync(path.join(project, '.charrette', 'runs', run, 'lanes')).sort();
  expect(lanes.filter((lane) => lane.startsWith('phase-4'))).toEqual([
    'phase-4-1-1',
    'phase-4-1-2',
    'phase-4-1-3',
    'phase-4-1-4',
  ]);
  expect(laneEvents(run).filter((event) => event.includes('phase-4'))).toEqual([
    'lane-queue phase-4-1 Tasks',
    ...[1, 2, 3].flatMap((attempt) => [
      `lane-start phase-4-1 mine ${attempt}`,
      `lane-retry phase-4-1 mine ${attempt} crash`,
    ]),
    'lane-end phase-4-1 mine crash',
    'lane-start phase-4-1 mine 4',
    'lane-end phase-4-1 mine ok',
  ]);
});
