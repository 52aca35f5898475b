import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { startCharrette, until } from '../support/live-program.ts';
import { optionalProgram } from '../support/optional-programs.ts';
import { callsIn, charrette, type Ended, holdTask, runsOf } from '../support/program.ts';
import {
  artifactPath,
  comparableArtifacts,
  jsonArtifact,
  makeRefineProject,
  promptOf,
  type RefineProject,
  sameEveryTime,
} from '../support/refine-project.ts';

const goal = 'a page for the tea shop';
const command = ['refine', '--yes', goal];
const minutes = 60_000;
/** Most stories need no browser; they run without one and report that. */
const blind = { ...sameEveryTime, CHARRETTE_CHROMIUM: 'none' };

describe.skipIf(optionalProgram('chromium') === undefined)('five iterations on a real page', () => {
  let made: RefineProject;
  let ended: Ended;
  let run: string;

  beforeAll(async () => {
    made = makeRefineProject();
    ended = await charrette(command, { cwd: made.project, env: sameEveryTime });
    [run = ''] = runsOf(made.project);
  });

  test('RF-01 RF-02 RF-05 RF-15 it ends accepted after the fifth, and the page is on the branch', () => {
    expect(ended.stderr).toContain('done: accepted after 5 iterations with 0.90; the work is on main.');
    expect(ended.code).toBe(0);
    const reports = [1, 2, 3, 4, 5].map((iteration) =>
      jsonArtifact(made.project, run, `evaluation-report-${iteration}.json`),
    );
    expect(reports.map(({ score }) => score.mustPassFailures)).toEqual([
      ['copy-mismatch', 'broken-mobile', 'dead-element'],
      ['copy-mismatch', 'dead-element'],
      ['copy-mismatch'],
      ['copy-mismatch'],
      [],
    ]);
    expect(reports.map(({ passed }) => passed)).toEqual([false, false, false, false, true]);
    expect(made.git('show', 'HEAD:index.html')).toContain('Tea that tells where it grew');
    expect(made.git('rev-list', '--count', 'HEAD')).toBe('6');
    expect(made.git('worktree', 'list').split('\n')).toHaveLength(1);
    expect(readdirSync(path.join(made.project, '.charrette', 'runs', run, 'worktrees'))).toEqual([]);
  });

  test('RF-03 RF-15 BR-06 what Chromium measured: width, dead button, alt text, pale text with alternatives', () => {
    const first = jsonArtifact(made.project, run, 'measurement-1.json');
    expect(first).toMatchObject({ measured: true, browser: expect.stringContaining('Chromium') });
    expect(first.facts.mobile.width).toBeGreaterThan(700);
    expect(first.facts.deadElements).toEqual(['button "Put in the basket"']);
    expect(first.facts.missingAlt).toEqual(['img']);
    expect(first.contrast).toMatchObject([{ element: 'p', foreground: '#b0b0b0', needed: 4.5 }]);
    expect(first.contrast[0].alternatives).toHaveLength(3);
    const third = jsonArtifact(made.project, run, 'evaluation-report-3.json');
    expect(third.score.dimensions.map((each: { cappedBy: string[] }) => each.cappedBy)).toEqual([
      [],
      [],
      ['copy-mismatch'],
      ['missing-alt'],
    ]);
    const last = jsonArtifact(made.project, run, 'measurement-5.json');
    expect(last).toMatchObject({ findings: [], contrast: [], notMeasured: [] });
    expect(last.facts.accessibility.score).toBeGreaterThanOrEqual(90);
  });

  test('RF-20 pictures of every iteration are in the report', () => {
    const html = readFileSync(artifactPath(made.project, run, 'refine-report.html'), 'utf8');
    for (const iteration of [1, 2, 3, 4, 5]) {
      for (const width of [375, 1280]) {
        const name = `screenshot-${iteration}-${width}.png`;
        expect(html).toContain(`<img src="${name}"`);
        const bytes = readFileSync(artifactPath(made.project, run, name));
        expect(bytes.subarray(1, 4).toString()).toBe('PNG');
        expect(bytes.readUInt32BE(16)).toBe(width);
      }
    }
  });

  test('RF-11 RF-12 the recorded prompts prove a fresh evaluator: nothing of earlier rounds, the same but for the states', () => {
    const prompts = [1, 2, 3, 4, 5].map(
      (iteration) => promptOf(made.project, run, `evaluate-${iteration}-1`) ?? '',
    );
    for (const prompt of prompts) {
      expect(prompt).not.toMatch(/secret-|\b0\.(?:30|45|55|70|90)\b|iteration|screenshot|Version \d/i);
      expect(prompt).toContain(path.join('artifacts', 'brief.md'));
      expect(prompt).toContain(path.join('worktrees', 'artifact', 'index.html'));
    }
    const withoutStates = prompts.map((prompt) =>
      prompt.replace(/\[(?:new|passed|failed|refined)\]/g, '[]').replace(/nonce="[0-9a-f]+"/g, ''),
    );
    expect(new Set(withoutStates).size).toBe(1);
    expect(new Set(prompts).size).toBeGreaterThan(1);
    // The builder receives everything.
    expect(promptOf(made.project, run, 'build-2-1')).toMatch(/secret-advice-1[\s\S]*/);
    expect(promptOf(made.project, run, 'build-2-1')).toContain('broken-mobile: the page is');
    // No evaluator had an earlier session, and what lay before it had no history.
    const lanes = path.join(made.project, '.charrette', 'runs', run, 'lanes');
    expect(readdirSync(lanes).filter((name) => /^evaluate-\d-\d$/.test(name))).toHaveLength(5);
  });

  test('RF-07 RF-14 the contract: a file per iteration, one durable file, the states of the documents', () => {
    const sprint = jsonArtifact(made.project, run, 'sprint-5.json');
    expect(sprint).toMatchObject({
      iteration: 5,
      documents: [
        { token: 'spec', state: 'whole' },
        { token: 'system', state: 'whole' },
      ],
    });
    expect(sprint.acceptance_checklist.map(({ criterion }: { criterion: string }) => criterion)).toEqual(
      expect.arrayContaining(['The page names the garden', 'The page has one button']),
    );
    const folder = path.join(made.project, '.moai/sprints/a-page-for-the-tea-shop');
    expect(readdirSync(folder).sort()).toEqual([
      'contract.yaml',
      ...[1, 2, 3, 4, 5].map((iteration) => `sprint-${iteration}.json`),
    ]);
    const durable = readFileSync(path.join(folder, 'contract.yaml'), 'utf8');
    expect(durable.match(/state: passed/g)).toHaveLength(6);
    expect(durable).not.toMatch(/secret-|rationale|evidence|score/i);
    expect(promptOf(made.project, run, 'evaluate-1-1')).toContain('the builder was given all of it');
  });

  test('BR-03 M-053 the brand wins over a document, and the conflict is reported with ways out', () => {
    expect(ended.stderr).toContain(
      'system.md:5: primary is #00aa00, the brand has #0b5fff; the brand holds.',
    );
    const { conflicts } = jsonArtifact(made.project, run, 'brand-conflicts.json');
    expect(conflicts).toMatchObject([{ name: 'primary', found: '#00aa00', brand: '#0b5fff' }]);
    expect(conflicts[0].options.length).toBeGreaterThanOrEqual(2);
    expect(promptOf(made.project, run, 'build-1-1')).toContain('#0b5fff holds, not #00aa00');
  });

  test('RF-22 killed with -9 once in every iteration and resumed, it ends with the same artifacts and no call is repeated', async () => {
    const again = makeRefineProject();
    const { project, calls } = again;
    const placeOf = (name: string) => artifactPath(project, runsOf(project)[0] ?? 'none', name);
    const called = (line: string) => callsIn(calls).includes(line);
    // Each in another part of its iteration: building, judging, before the measurement, after it, at the beginning. A held seat keeps
    // the run from getting further, however late the kill comes.
    const moments: [held: string, moment: () => boolean][] = [
      ['build-1', () => called('build build-1 1')],
      ['evaluate-2', () => called('evaluate evaluate-2 1')],
      ['evaluate-3', () => again.git('log', '--all', '--format=%B').includes('/3.')],
      ['evaluate-4', () => existsSync(placeOf('measurement-4.json'))],
      ['build-5', () => existsSync(placeOf('sprint-5.json'))],
    ];
    // How often a call had been made when its answer was first seen complete on disk.
    const settled = new Map<string, number>();
    const count = (call: string) => callsIn(calls).filter((each) => each === call).length;
    for (const [index, [held, moment]] of moments.entries()) {
      const release = holdTask(calls, held);
      const live = startCharrette(index === 0 ? command : ['resume', '--yes'], {
        cwd: project,
        env: sameEveryTime,
      });
      const over = live.ended.then(({ stderr }) => Promise.reject(new Error(`it ended before: ${stderr}`)));
      over.catch(() => {});
      await Promise.race([until(moment, 4 * minutes), over]);
      live.kill('SIGKILL');
      expect((await live.ended).signal).toBe('SIGKILL');
      release();
      for (const call of finishedCalls(project)) if (!settled.has(call)) settled.set(call, count(call));
    }
    expect(settled.size).toBeGreaterThan(6);
    const resumed = await charrette(['resume', '--yes'], { cwd: project, env: sameEveryTime });
    expect(resumed.stderr).toContain('accepted after 5 iterations with 0.90; the work is on main.');
    expect(resumed.code).toBe(0);
    expect(comparableArtifacts(project, run)).toEqual(comparableArtifacts(made.project, run));
    expect(again.git('rev-parse', 'HEAD')).toBe(made.git('rev-parse', 'HEAD'));
    expect([...settled].filter(([call, times]) => count(call) !== times)).toEqual([]);
  });
});

/** Calls whose answer is complete on disk. */
function finishedCalls(project: string): string[] {
  const [run = ''] = runsOf(project);
  const lanes = path.join(project, '.charrette', 'runs', run, 'lanes');
  return readdirSync(lanes)
    .filter((name) => existsSync(path.join(lanes, name, 'result.json')))
    .map((name) => `${name.replace(/-\d+(?:-\d+)?$/, '')} ${name.replace(/-\d+$/, '')} 1`);
}

test(
  'RF-05 RF-21 RF-23 no improvement: the user decides; with --yes it stops unaccepted and names what was not measured',
  async () => {
    const { project, git } = makeRefineProject({ bend: 'stagnate' });
    const asked = await charrette(
      ['refine', '--json', goal, '--answers', answers(project, { consent: 'yes' })],
      { cwd: project, env: blind },
    );
    expect(asked.code).toBe(7);
    const paused = JSON.parse(asked.stdout);
    expect(paused.questions).toMatchObject([{ id: 'escalation-3', recommended: 'stop' }]);
    expect(paused.questions[0].options.map(({ value }: { value: string }) => value)).toEqual([
      'accept',
      'adjust',
      'switch',
      'stop',
    ]);
    const stopped = await charrette(['resume', paused.run, '--yes'], { cwd: project, env: blind });
    expect(stopped.code).toBe(6);
    expect(stopped.stderr).toContain('not accepted after 3 iterations with 0.30');
    expect(stopped.stderr).toContain('Not measured: copy, mobile width, interactive elements, accessibility');
    expect(jsonArtifact(project, paused.run, 'evaluation-report-1.json')).toMatchObject({
      reason: 'no Chromium was found on this machine',
      findings: [],
    });
    expect(git('branch', '--list', 'charrette/*')).toContain('charrette/');
    expect(git('rev-list', '--count', 'main')).toBe('1');
  },
  5 * 60_000,
);

test(
  'RF-13 RF-21 a negotiated contract; the user adjusts, the builder receives it, and counting restarts',
  async () => {
    const { project, calls } = makeRefineProject({ bend: 'stagnate' });
    const file = answers(project, {
      consent: 'yes',
      'escalation-2': 'adjust',
      'wish-2': 'make it greener',
      'escalation-4': 'accept',
    });
    const ended = await charrette(
      ['refine', '--level', 'thorough', '--max-iterations', '2', '--no-merge', '--answers', file, goal],
      { cwd: project, env: blind },
    );
    expect(ended.stderr).toContain(
      'accepted by a person after 4 iterations with 0.30; the work is on the branch charrette/',
    );
    expect(ended.code).toBe(0);
    const [run = ''] = runsOf(project);
    expect(callsIn(calls).filter((call) => call.startsWith('contract-'))).toEqual([
      'contract-offer contract-1-builder 1',
      'contract-offer contract-2-builder 1',
      'contract-review contract-1-evaluator 1',
      'contract-review contract-2-evaluator 1',
    ]);
    const sprint = jsonArtifact(project, run, 'sprint-1.json');
    expect(sprint.negotiation_history).toEqual([
      { round: 1, by: 'builder', verdict: 'proposed', criteria: 2 },
      { round: 1, by: 'evaluator', verdict: 'amended', criteria: 3 },
      { round: 2, by: 'builder', verdict: 'proposed', criteria: 2 },
      { round: 2, by: 'evaluator', verdict: 'agreed', criteria: 2 },
    ]);
    expect(sprint.test_scenarios).toEqual([
      { id: 'T-1', description: 'Press the button', tool: 'browser', command: null },
    ]);
    expect(promptOf(project, run, 'build-3-1')).toContain('make it greener');
    expect(promptOf(project, run, 'evaluate-3-1')).not.toContain('greener');
  },
  5 * 60_000,
);

test(
  'RF-06 an evaluation that leaves a criterion out gets one repair turn and counts',
  async () => {
    const { project, calls } = makeRefineProject({ bend: 'flat' });
    const ended = await charrette(['refine', '--yes', '--max-iterations', '1', goal], {
      cwd: project,
      env: blind,
    });
    expect(ended.code).toBe(6);
    expect(callsIn(calls)).toEqual(['build build-1 1', 'evaluate evaluate-1 1', 'repair evaluate-1 1']);
  },
  5 * 60_000,
);

test(
  'RF-16 BR-04 an imported design: no documents for the builder, tokens against the brand stop until the user decides',
  async () => {
    const tokens = { colors: { primary: '#00ff00' }, source: 'claude-design-bundle', bundle_version: '1.0' };
    const { project } = makeRefineProject({ files: { '.moai/design/tokens.json': JSON.stringify(tokens) } });
    const file = answers(project, { consent: 'yes', 'brand-conflict': 'stop' });
    const stopped = await charrette(['refine', '--json', '--answers', file, goal], {
      cwd: project,
      env: blind,
    });
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      error: {
        code: 'BRAND_DESIGN_CONFLICT',
        message: expect.stringContaining('primary is #00ff00 in the tokens and #0b5fff'),
      },
    });
    expect(stopped.code).toBe(5);
    const { CHARRETTE_FIXED_ID: _, ...fresh } = blind;
    const assets = path.join(project, '.moai/design/assets');
    mkdirSync(path.join(assets, 'icons'), { recursive: true });
    writeFileSync(path.join(assets, 'icons/mark.svg'), '<svg/>');
    writeFileSync(path.join(project, 'index.html'), 'mine');
    const built = await charrette(['refine', '--yes', '--max-iterations', '1', goal], {
      cwd: project,
      env: fresh,
    });
    expect(built.code).toBe(6);
    const run = runsOf(project).at(-1) ?? '';
    const prompt = promptOf(project, run, 'build-1-1') ?? '';
    expect(prompt).not.toContain('## Design Context (from .moai/design/)');
    expect(prompt).toContain('#0b5fff holds, not #00ff00');
    expect(prompt).toContain('claude-design-bundle');
    expect(prompt).toContain(`${assets} (copy what the page uses to its folder):\nicons/mark.svg`);
    expect(built.stderr).toContain('index.html is not committed: the builder starts from the last commit');
  },
  5 * 60_000,
);

test.each([
  [
    'BR-01 a placeholder in a brand file',
    { '.moai/project/brand/brand-voice.md': '# Voice\n\n_TBD_\n' },
    [],
    'BRAND_DESIGN_MISSING_IDENTITY',
    5,
  ],
  [
    'BR-02 a missing brand file',
    { '.moai/project/brand/target-audience.md': undefined },
    [],
    'BRAND_DESIGN_MISSING_IDENTITY',
    5,
  ],
  [
    'RF-17 a brief without a goal',
    { 'b.md': '## Goal\n\n## Audience\n\nAll\n' },
    ['--brief', 'b.md'],
    'BRIEF_SECTION_INCOMPLETE',
    2,
  ],
  ['RF-18 a threshold below the floor', {}, ['--threshold', '0.5'], 'pass-threshold-floor', 2],
  [
    'RF-18 an evaluator with memory',
    { '.moai/config/sections/design.yaml': 'design:\n  gan_loop:\n    memory_scope: cumulative\n' },
    [],
    'HRN_EVAL_MEMORY_FROZEN',
    2,
  ],
  ['RF-10 an unknown profile', {}, ['--profile', 'none'], 'not-found', 4],
  [
    'RF-10 a profile without security',
    {
      'p.json': JSON.stringify({
        name: 'p',
        dimensions: [
          {
            id: 'security',
            title: 'S',
            weight: 1,
            about: 'x',
            anchors: { '0.25': 'a', '0.50': 'b', '0.75': 'c', '1.00': 'd' },
          },
        ],
      }),
    },
    ['--profile', 'p.json'],
    'config-invalid',
    2,
  ],
  ['RF-16 nothing imported', {}, ['--path', 'import'], 'not-found', 4],
] as [string, Record<string, string | undefined>, string[], string, number][])(
  '%s stops before anything runs',
  async (_, files, flags, code, exit) => {
    const { project } = makeRefineProject({ files });
    const ended = await charrette(
      ['refine', '--json', '--yes', ...flags, ...(flags.includes('--brief') ? [] : [goal])],
      { cwd: project, env: blind },
    );
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code } });
    expect([ended.code, runsOf(project)]).toEqual([exit, []]);
  },
);

function answers(project: string, given: Record<string, string>): string {
  const file = path.join(project, '.home', 'answers.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(given));
  return file;
}
