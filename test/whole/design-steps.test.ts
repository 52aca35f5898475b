import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/engine/event.ts';
import { readEvents } from '../../src/engine/event-log.ts';
import type { RunRecord } from '../../src/engine/run-record.ts';
import { type TokenRow, tokenLedgerName } from '../../src/panel/token-ledger.ts';
import { sanitizeDiagramFile } from '../../src/plan/diagram-sanitizer.ts';
import { readAccepted, readRejected } from '../../src/review/outcome-files.ts';
import { readTally } from '../../src/review/tally-file.ts';
import { focusAreas } from '../../src/schema/judgements/finding.ts';
import { artifactsOf, callsIn, charrette, type Ended, makeProject, runsOf } from '../support/program.ts';

type Walk = {
  project: string;
  /** The first lane of a task. */
  lane: (task: string) => string;
  ended: Ended;
  events: RunEvent[];
  artifacts: Record<string, string>;
  calls: string[];
  root: string;
};

type Settings = { agents: Record<string, unknown> } & Record<string, unknown>;

async function walk(
  flags: string[],
  options: Parameters<typeof makeProject>[0] = {},
  change: (settings: Settings) => Settings = (settings) => settings,
): Promise<Walk> {
  const { project, calls } = await makeProject(options);
  const file = path.join(project, '.charrette', 'config.json');
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as Settings)));
  const ended = await charrette(['design', '--auto', '--yes', '--no-branch', ...flags, 'add rate limiting'], {
    cwd: project,
  });
  const [run = ''] = runsOf(project);
  const root = path.join(project, '.charrette', 'runs', run);
  const events = readEvents(path.join(root, 'events.jsonl'));
  return {
    project,
    lane: (task) =>
      events.flatMap((event) =>
        event.type === 'lane-queue' && event.task === task ? [event.lane] : [],
      )[0] ?? '',
    ended,
    events,
    artifacts: artifactsOf(project, run),
    calls: callsIn(calls),
    root,
  };
}

/** The second agent, and only that one, fails a task. */
function failing(config: Settings, task: string): Settings {
  const two = config.agents['two'] as { command: string[] };
  const command = two.command.map((word) => (word === 'none' ? task : word));
  return { ...config, agents: { ...config.agents, two: { ...two, command } } };
}

const promptsOf = (root: string) =>
  readdirSync(path.join(root, 'lanes'))
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFileSync(path.join(root, 'lanes', name), 'utf8'));

const phases = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'phase-start' ? [event.phase] : []));

describe('a standalone run', () => {
  let run: Walk;
  let out: string;

  beforeAll(async () => {
    out = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-out-')), 'plan');
    run = await walk(['--out', out]);
  }, 120_000);

  test('L-020, L-021, L-697, panel/C-26: walks every step once, in order, and ends once', () => {
    expect(run.ended.code).toBe(0);
    expect(phases(run.events)).toEqual(['0', '1c', '1d', '2a', '2a.5', '2b', '3', '3.5', '3b', '4', '5']);
    expect(run.events.filter(({ type }) => type === 'run-end')).toHaveLength(1);
  });

  test('L-204, L-581, L-583, L-631: all seats of a phase are queued before one of them ends', () => {
    for (const task of ['sketch', 'plan-review', 'vote']) {
      const queued = run.events.filter((event) => event.type === 'lane-queue' && event.task === task);
      const lanes = new Set(queued.map((event) => (event.type === 'lane-queue' ? event.lane : '')));
      const firstEnd = run.events.find((event) => event.type === 'lane-end' && lanes.has(event.lane));
      expect(queued.length, task).toBeGreaterThan(2);
      expect(Math.max(...queued.map(({ seq }) => seq)), task).toBeLessThan(firstEnd?.seq ?? 0);
    }
  });

  test('L-561, L-632, panel/C-38, F-32: what later steps need stands in files', () => {
    for (const name of [
      'approach-synthesis.txt',
      'contested-decisions.md',
      'dialectic-resolutions.md',
      'ballot.txt',
    ]) {
      expect(run.artifacts[name], name).not.toBe('');
    }
    const lane = JSON.parse(readFileSync(path.join(run.root, 'lanes', 'plan.json'), 'utf8')) as {
      prompt: string;
    };
    expect(lane.prompt).toContain('A token bucket in front of the router.');
    expect(lane.prompt).toContain('**Disposition**: voted');
  });

  test('L-512, L-582, L-631: every review, verdict and vote is kept under its seat, in the panel’s own lines', () => {
    expect(run.artifacts['two-plan-arch-output.txt']).toContain(
      '1. **architecture** [Important] The limit is not configurable (two-plan-arch)',
    );
    expect(run.artifacts['two-judge-output.txt']).toBe('DECISION_1: THESIS — The evidence holds.\n');
    expect(run.artifacts['two-judge-swapped-output.txt']).toBe(run.artifacts['two-judge-output.txt']);
    expect(run.artifacts['one-vote-output.txt']).toMatch(
      /^FINDING_1: YES — checked\nFINDING_2: NO — checked\n/,
    );
  });

  test('L-034, L-047, L-690, panel/C-13: every body is printed whole under its heading', () => {
    for (const heading of [
      'Approach Synthesis',
      'Dialectic Resolutions',
      'Implementation Plan',
      'Voting Tally and Reviewer Competition Scoreboard',
      'Plan Review Findings (Voted In)',
      'Revised Implementation Plan',
      'Architecture Diagram',
      'Unimplemented Plan Review Suggestions',
    ])
      expect(run.ended.stdout.split(`## ${heading}\n`), heading).toHaveLength(2);
    expect(run.ended.stdout).toContain(run.artifacts['rejected-findings.md']?.trimEnd());
    expect(run.ended.stderr).toMatch(/^✅ 5: cleanup — design complete! \(\d+s\)$/m);
  });

  test('L-534: an accepted finding changes the plan that the resolutions shaped', () => {
    expect(run.artifacts['plan-before-review.txt']).not.toContain('The limit comes from the configuration.');
    expect(run.artifacts['plan.txt']).toContain('The limit comes from the configuration.');
    expect(run.artifacts['accepted-plan-findings.md']).toContain('### FINDING_1');
  });

  test('panel/C-39, F-30: the deliverables are kept, in the run and where --out says', () => {
    expect(readFileSync(path.join(out, 'plan.txt'), 'utf8')).toBe(run.artifacts['plan.txt']);
    expect(existsSync(path.join(run.root, 'artifacts', 'plan.txt'))).toBe(true);
  });

  test('L-100, L-174, L-200, L-475, L-840, L-870, panel/C-05: every step has its timing mark and its start line', () => {
    const ledger = readFileSync(path.join(run.root, 'timing-ledger.tsv'), 'utf8');
    for (const [mark, line] of [
      ['design Step 0 — session setup', '> **🔶 0: setup**'],
      ['design Step 1d — discussion r1', '> **🔶 1d: discussion r1**'],
      ['design Step 2a — sketches', '> **🔶 2a: sketches**'],
      ['design Step 2a.5 — dialectic', '> **🔶 2a.5: dialectic**'],
      ['design Step 5 — cleanup', '> **🔶 5: cleanup**'],
    ] as const) {
      expect(ledger).toContain(`\t${mark}\t`);
      expect(run.ended.stderr.split(`${line}\n`), line).toHaveLength(2);
    }
    expect(run.ended.stderr).toMatch(/^⏩ 1d: discussion r1 — skipped \(auto mode\) \(\d+s\)$/m);
  });

  test('L-045: nothing but progress, warnings, summaries and status lines is printed', () => {
    const known =
      /^(?:run \S+|━{80}|> \*\*🔶 .+\*\*|[✅⏩⏳📊] .+|\*\*⚠ .+|\d+ warning\(s\) of this run:|copied to .+)$/u;
    const lines = run.ended.stderr.split('\n').filter((line) => line !== '');
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
    const headings = run.ended.stdout.match(
      /^## (?!Files|Approach\n|Edge|Failure|Testing|Tests|Commands|Symbols|Decisions|Dissent).+$/gm,
    );
    expect(headings).toContain('## Approach Synthesis');
  });

  test('L-026, L-129, L-157, L-426: without a caller nothing is written but the run; branch and tree are untouched', () => {
    const git = (...words: string[]) => execFileSync('git', words, { cwd: run.project, encoding: 'utf8' });
    expect(git('branch', '--show-current').trim()).toBe('main');
    expect(git('status', '--porcelain', '--', '.', ':!.home').trim()).toBe('');
    const files = readdirSync(run.root, { recursive: true }).map(String);
    expect(files.filter((file) => /\.health$|manifest\.env/.test(file))).toEqual([]);
    const record = JSON.parse(readFileSync(path.join(run.root, 'run.json'), 'utf8')) as { created: string };
    expect(Date.parse(record.created)).toBeLessThanOrEqual(Date.parse(run.events[0]?.time ?? ''));
  });

  test('L-121: the record names the run, the clone and the process', () => {
    const record = JSON.parse(readFileSync(path.join(run.root, 'run.json'), 'utf8')) as RunRecord;
    expect(record.run).toBe(path.basename(run.root));
    expect(record.inputs).toMatchObject({ project: run.project });
    expect(record.process).toMatchObject({ pid: expect.any(Number), host: expect.any(String) });
  });

  test('L-122: prompts hold real paths and no variable for an agent to expand', () => {
    const prompts = promptsOf(run.root);
    expect(prompts.length).toBeGreaterThan(15);
    for (const prompt of prompts) expect(prompt).not.toMatch(/\$\{?[A-Z_]{2,}\}?|\$D\b/);
  });

  test('L-630, L-643: the author votes as the scrupulous reviewer, everybody else as the engineer, also one that stands in', () => {
    const roles = ['vote-two', 'vote-one', 'vote-one-2'].map(
      (lane) =>
        /You are (?:a senior reviewer|the senior engineer)/.exec(
          readFileSync(path.join(run.root, 'lanes', `${lane}.json`), 'utf8'),
        )?.[0],
    );
    const engineer = 'You are the senior engineer';
    expect(roles).toEqual([engineer, 'You are a senior reviewer', engineer]);
  });

  test('L-207, L-309, L-584, L-643: outside agents are asked for their utmost, the author is not', () => {
    const questions = readdirSync(path.join(run.root, 'lanes'))
      .filter((name) => name.endsWith('.json'))
      .map((name) => [name, readFileSync(path.join(run.root, 'lanes', name), 'utf8')] as const);
    const urged = questions.filter(([, text]) => text.includes('Use the deepest reasoning you have.'));
    const names = urged.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'debate-1-thesis.json',
        'judge-two.json',
        'two-plan-arch.json',
        'two-sketch-arch.json',
        'vote-two.json',
      ]),
    );
    expect(names.filter((name) => /one|author|plan\.json|synthesis|merge|revise|diagram/.test(name))).toEqual(
      [],
    );
  });

  test('L-209, L-362: every answer came the same way and left the same record', () => {
    const ends = run.events.flatMap((event) => (event.type === 'lane-end' ? [event] : []));
    expect(ends.length).toBeGreaterThan(15);
    for (const { lane, agent } of ends) {
      const folder = path.join(run.root, 'lanes', `${lane}-1`);
      expect(readdirSync(folder), lane).toEqual(
        expect.arrayContaining(['answer.txt', 'events.jsonl', 'prompt.md', 'result.json']),
      );
      const record = JSON.parse(readFileSync(path.join(folder, 'result.json'), 'utf8')) as object;
      expect(record).toMatchObject({ agent, result: { kind: 'ok', exitCode: 0 } });
    }
  });

  test('L-268: a phase gets the material it needs and no more', () => {
    const prompt = (lane: string) =>
      (JSON.parse(readFileSync(path.join(run.root, 'lanes', `${lane}.json`), 'utf8')) as { prompt: string })
        .prompt;
    const synthesis = 'A token bucket in front of the router.';
    expect(prompt('plan')).toContain(synthesis);
    expect(prompt('debate-1-thesis')).toContain(synthesis);
    expect(prompt(run.lane('sketch'))).not.toContain(synthesis);
    expect(prompt(run.lane('vote'))).not.toContain('Restart against speed.');
    expect(prompt('diagram')).not.toContain('add rate limiting');
  });

  test('L-030, L-032, L-033, L-035, L-036, L-037: every step has its start line under bars, and its end line its time', () => {
    const lines = run.ended.stderr.split('\n');
    const starts = lines.flatMap((line, index) => (line.startsWith('> **🔶 ') ? [index] : []));
    expect(starts.map((index) => /^> \*\*🔶 (.+)\*\*$/.exec(lines[index] ?? '')?.[1])).toEqual([
      '0: setup',
      '1c: questions',
      '1d: discussion r1',
      '2a: sketches',
      '2a.5: dialectic',
      '2b: full plan',
      '3: plan review',
      '3.5: discussion r2',
      '3b: arch diagram',
      '4: rejected findings',
      '5: cleanup',
    ]);
    const bars = lines.flatMap((line, index) => (line === '━'.repeat(80) ? [index + 1] : []));
    expect(bars).toEqual(starts);
    const ends = lines.filter((line) => /^[✅⏩] /u.test(line));
    expect(ends).toHaveLength(9);
    for (const line of ends) expect(line).toMatch(/^[✅⏩] \d[\da-d.]*: [a-z0-9 ]+ — .+ \((?:\d+m)?\d+s\)$/u);
  });

  test('L-040, L-041: one status line per change shows every seat, with a time once it is done', () => {
    const seats = ['Two-Arch', 'Two-Edge', 'One-Innovation', 'One-Pragmatic'];
    for (const title of ['Sketches (regular)', 'Reviewers']) {
      const lines = run.ended.stderr.split('\n').filter((line) => line.startsWith(`📊 ${title}: |`));
      expect(lines[0]).toBe(`📊 ${title}: |${seats.map((seat) => ` ${seat}: ⏳ |`).join('')}`);
      expect(lines.at(-1)).toMatch(
        new RegExp(
          `^📊 ${title.replace(/[()]/g, '\\$&')}: \\|${seats.map((seat) => ` ${seat}: ✅ \\d+s \\|`).join('')}$`,
        ),
      );
    }
  });

  test('L-034, L-046: every step ends once, and “saved” is for callers, who get no bodies', () => {
    expect(run.ended.stderr).not.toContain('synthesis saved');
    const ends = run.events.flatMap((event) => (event.type === 'phase-end' ? [event.phase] : []));
    expect(ends).toEqual([...new Set(ends)]);
    expect(ends).toContain('2a');
  });

  test('L-202, L-450, L-451, L-452, L-453: four sketches in the files of their seats, one synthesis, one file of decisions', () => {
    expect(Object.keys(run.artifacts).filter((name) => name.includes('-sketch-'))).toEqual([
      'one-sketch-innovation-output.txt',
      'one-sketch-pragmatic-output.txt',
      'two-sketch-arch-output.txt',
      'two-sketch-edge-output.txt',
    ]);
    expect(run.artifacts['approach-synthesis.txt']?.match(/^### .+$/gm)).toEqual([
      '### Combined approach',
      '### Agreements',
      '### Divergences',
      '### Ideas and where they came from',
      '### Architecture and standards concerns',
      '### Pragmatism and safety warnings',
      '### Edge cases and failure risks',
      '### Alternatives worth keeping',
    ]);
    expect(run.artifacts['contested-decisions.md']).toBe(
      '### DECISION_1: Where the bucket lives\n- **Chosen**: in memory\n- **Alternative**: in a file\n- **Tension**: Restart against speed.\n- **Impact**: High\n- **Affected files**: README.md\n',
    );
  });

  test('L-492, L-513, L-514, L-516, L-517: defences have their tags in order; the ballot shows both without recommendation or name', () => {
    const tags = [
      'steelman',
      'claim',
      'evidence',
      'strongest_concession',
      'counter_to_opposition',
      'risk_if_wrong',
    ];
    for (const side of ['thesis', 'antithesis']) {
      const text = run.artifacts[`debate-1-two-${side}.txt`] ?? '';
      expect([...text.matchAll(/^<(\w+)>$/gm)].map(([, tag]) => tag)).toEqual(tags);
      expect([...text.matchAll(/^<\/(\w+)>$/gm)].map(([, tag]) => tag)).toEqual(tags);
      expect(text.match(/^RECOMMEND: .+$/gm)).toEqual([
        `RECOMMEND: ${side === 'thesis' ? 'THESIS' : 'ANTI_THESIS'}`,
      ]);
    }
    const ballot = run.artifacts['dialectic-ballot.txt'] ?? '';
    expect(ballot.match(/^### .+$/gm)).toEqual(['### DECISION_1: Where the bucket lives']);
    expect(ballot.match(/^Defense [AB] \(defends .+\):$/gm)).toHaveLength(2);
    expect(ballot.match(/^<defense_content>$/gm)).toHaveLength(2);
    expect(ballot).not.toMatch(/RECOMMEND|claude|codex|cursor/i);
    const judges = Object.entries(run.artifacts).filter(([name]) =>
      /-judge-(?:swapped-)?output\.txt$/.test(name),
    );
    expect(judges).toHaveLength(6);
    for (const [name, text] of judges) expect(text, name).toMatch(/^DECISION_1: (?:ANTI_)?THESIS — .+\n$/);
  });

  test('L-530, L-533: each contested decision has one resolution in its fixed fields, and the step ends with its counts', () => {
    const text = run.artifacts['dialectic-resolutions.md'] ?? '';
    expect(text.match(/^(?:### DECISION_\d+|\*\*[A-Z][a-z ]+\*\*)/gm)).toEqual([
      '### DECISION_1',
      '**Resolution**',
      '**Disposition**',
      '**Vote tally**',
      '**Thesis summary**',
      '**Antithesis summary**',
      '**Why thesis prevails**',
    ]);
    expect(text).toContain('**Vote tally**: THESIS=3, ANTI_THESIS=0\n');
    expect(run.ended.stderr).toMatch(/^✅ 2a\.5: dialectic — 1 voted \(\d+s\)$/m);
  });

  test('L-563, L-564, L-698: the plan has its sections in order, before and after the revision', () => {
    for (const name of ['plan-before-review.txt', 'plan.txt']) {
      const sections = run.artifacts[name]?.match(/^## .+$/gm) ?? [];
      expect(sections.slice(0, 5), name).toEqual([
        '## Files to modify/create',
        '## Approach',
        '## Edge cases',
        '## Failure modes',
        '## Testing strategy',
      ]);
    }
    const accepted = readAccepted(run.artifacts['accepted-plan-findings.md'] ?? '');
    expect(accepted.map(({ id, resolution }) => [id, resolution])).toEqual([
      ['FINDING_1', 'The limit is read from the configuration.'],
    ]);
  });

  test('L-591, L-592, L-633, L-634, L-637, panel/C-34: the ballot numbers every finding and names nobody; who raised it stands aside', () => {
    const ballot = run.artifacts['ballot.txt'] ?? '';
    const [instruction = '', ...blocks] = ballot.split(/^### /m);
    expect(instruction).toMatch(/^# Plan review ballot\n\n/);
    expect(blocks.map((block) => block.match(/^(?:FINDING_\d+|- \*\*[A-Z][a-z ]+\*\*)/gm))).toEqual(
      [1, 2, 3, 4].map((number) => [
        `FINDING_${number}`,
        ...['Reviewer', 'Focus area', 'Severity', 'Evidence', 'Concern', 'Suggested revision'].map(
          (label) => `- **${label}**`,
        ),
      ]),
    );
    expect(blocks.join('').match(/^- \*\*Reviewer\*\*: (.+)$/gm)).toEqual(
      ['A', 'B', 'C', 'D'].map((letter) => `- **Reviewer**: Reviewer ${letter}`),
    );
    expect(JSON.parse(run.artifacts['ballot-proposers.json'] ?? '')).toEqual({
      'Reviewer A': 'Two-Arch',
      'Reviewer B': 'Two-Edge',
      'Reviewer C': 'One-Innovation',
      'Reviewer D': 'One-Pragmatic',
    });
    for (const voter of ['two', 'one', 'one-2'])
      expect(run.artifacts[`${voter}-vote-output.txt`]).toMatch(/^(?:FINDING_\d: (?:YES|NO) — .+\n){4}$/);
  });

  test('L-630, L-641, L-652, L-653: three voters decide every finding by the panel’s bar, and every reviewer has a row', () => {
    const { items, scores } = readTally(run.artifacts['voting-tally.md'] ?? '');
    expect(items.map(({ outcome }) => outcome)).toEqual(['accepted', 'rejected', 'rejected', 'rejected']);
    for (const { votes } of items) expect(votes.map(({ voter }) => voter)).toEqual(['Two', 'One-2', 'One']);
    expect(scores.map(({ reviewer, score }) => [reviewer, score])).toEqual([
      ['Two-Arch', 1],
      ['Two-Edge', -1],
      ['One-Innovation', -1],
      ['One-Pragmatic', -1],
    ]);
    expect(run.artifacts['voting-tally.md']).toContain('\n## Reviewer Competition Scoreboard\n');
  });

  test('L-696, panel/C-36: what is not implemented stands with its reviewer, its whole text, every vote and its class', () => {
    const rejected = readRejected(run.artifacts['rejected-findings.md'] ?? '');
    expect(rejected.map(({ reviewer, outcome }) => [reviewer, outcome])).toEqual([
      ['Two-Edge', 'rejected'],
      ['One-Innovation', 'rejected'],
      ['One-Pragmatic', 'rejected'],
    ]);
    for (const { finding, reason } of rejected) {
      expect(finding).toContain('Operators cannot change it.');
      expect(reason).toMatch(
        /^0 YES, 3 NO, 0 EXONERATE; 2 YES needed \(rejected\)\.\n(?:.+: NO — checked\n?){3}$/,
      );
    }
  });

  test('L-742, L-760: the diagram is one fence that the sanitizer passes, and no candidate is left', () => {
    const result = sanitizeDiagramFile(run.artifacts['architecture-diagram.md'] ?? '');
    expect(result).toMatchObject({ status: 'ok', fenceCount: 1, headings: ['architecture'] });
    expect(Object.keys(run.artifacts).filter((name) => name.includes('candidate'))).toEqual([]);
  });

  test('L-943: no artifact tells where it was made', () => {
    for (const [name, text] of Object.entries(run.artifacts)) {
      expect(text, name).not.toContain(run.project);
      expect(text, name).not.toContain(tmpdir());
    }
  });

  test('L-050, L-490, L-491, L-560, L-585, L-586, L-635, L-636, L-741, L-761, panel/C-04, panel/C-35: what each agent was really asked', () => {
    const asked = (lane: string) =>
      (JSON.parse(readFileSync(path.join(run.root, 'lanes', `${lane}.json`), 'utf8')) as { prompt: string })
        .prompt;
    for (const lane of ['synthesis', 'plan'])
      for (const number of [1, 2, 3, 4, 5]) expect(asked(lane), lane).toContain(`\n${number}. `);
    for (const side of ['thesis', 'antithesis']) {
      expect(asked(`debate-1-${side}`)).toContain('<debater_synthesis ');
      expect(asked(`debate-1-${side}`)).toContain('### DECISION_1: Where the bucket lives');
    }
    expect(asked('debate-1-thesis')).not.toBe(asked('debate-1-antithesis'));
    expect(asked('plan')).toContain(
      'Explore the code and read the conventions of the project before you write',
    );
    const review = asked('two-plan-arch');
    for (const area of focusAreas) expect(review).toContain(`- ${area}:`);
    for (const piece of [
      '+1',
      '<reviewer_feature_description ',
      '<reviewer_plan ',
      'state after it is carried out',
    ])
      expect(review).toContain(piece);
    for (const word of ['YES', 'NO', 'EXONERATE', 'OOS']) expect(asked('vote-two')).toContain(word);
    expect(asked('diagram')).toContain('No HTML break and no $ in the alias of a participant');
    expect(asked('diagram')).toContain('Not the flow at run time');
  });

  test('L-360, L-376, L-493: each collection waits for all its lanes, and sketches and reviews are collected apart', () => {
    const seqs = (type: 'lane-queue' | 'lane-end', task: string) => {
      const lanes = run.events.flatMap((event) =>
        event.type === 'lane-queue' && event.task.startsWith(task) ? [event.lane] : [],
      );
      return run.events.flatMap((event) =>
        event.type === type && lanes.includes(event.lane) ? [event.seq] : [],
      );
    };
    const order = ['sketch', 'synthesis', 'debate', 'judge', 'plan-review', 'vote'];
    for (const [index, task] of order.entries()) {
      expect(Math.max(...seqs('lane-queue', task)), task).toBeLessThan(Math.min(...seqs('lane-end', task)));
      const next = order[index + 1];
      if (next !== undefined)
        expect(Math.max(...seqs('lane-end', task)), next).toBeLessThan(Math.min(...seqs('lane-queue', next)));
    }
    expect(seqs('lane-end', 'debate')).toHaveLength(2);
  });
});

describe('a run that a caller started', () => {
  let run: Walk;
  let caller: string;
  const manifestLines = async (directory: string) => {
    const ended = await charrette(['plan', 'manifest', directory], { cwd: run.project });
    expect(ended.code).toBe(0);
    return ended.stdout;
  };

  beforeAll(async () => {
    caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
    mkdirSync(path.join(caller, 'design-export'));
    writeFileSync(path.join(caller, 'design-export', 'manifest.env'), 'MANIFEST_VERSION=1\n');
    mkdirSync(path.join(caller, 'timing-ledger.tsv'));
    writeFileSync(path.join(caller, 'session-id'), 'parent-session\n');
    writeFileSync(path.join(caller, 'oos-accepted-design.md'), '### OOS_1: of an earlier run\n');
    writeFileSync(path.join(caller, 'session.env'), 'TWO_HEALTHY=false\nCODEX_HEALTHY=false\n');
    run = await walk(['--session-env', path.join(caller, 'session.env'), '--step-prefix', '1.::design plan']);
  }, 120_000);

  test('L-008, L-031, L-046, L-048, L-846, panel/C-01, panel/C-12: numbers come from the prefix, bodies stay in files, no final line', () => {
    expect(run.ended.code).toBe(0);
    expect(run.ended.stderr).toContain('> **🔶 1.2a: design plan | sketches**');
    expect(run.ended.stderr).toContain('✅ 1.2b: design plan | full plan — saved');
    expect(run.ended.stderr).not.toContain('design complete!');
    expect(run.ended.stdout).not.toContain('## Implementation Plan');
    for (const line of [
      '1.2a: design plan | sketches — synthesis saved',
      '1.3b: design plan | arch diagram — saved',
      '1.4: design plan | rejected findings — saved',
    ])
      expect(run.ended.stderr).toContain(`✅ ${line} (`);
  });

  test('L-049: every body stays in its file, to the last line', () => {
    expect(run.ended.stdout).toBe('');
    const bodies = Object.values(run.artifacts).flatMap((text) => text.split('\n'));
    const said = new Set(run.ended.stderr.split('\n'));
    expect(bodies.filter((line) => line.length > 40 && said.has(line))).toEqual([]);
  });

  test('L-100: a ledger that cannot be written is a warning and changes nothing', () => {
    expect(run.ended.stderr).toContain('The ledgers were not written:');
    expect(run.artifacts['plan.txt']).toContain('The limit comes from the configuration.');
  });

  test('L-692, L-790, L-796, L-842, panel/C-17: the manifest is new and names the exported plan', () => {
    const manifest = readFileSync(path.join(caller, 'design-export', 'manifest.env'), 'utf8');
    expect(manifest).toContain(`PLAN_FILE=${path.join(caller, 'design-export', 'plan.txt')}`);
    expect(existsSync(path.join(caller, 'design-export', 'manifest.env.stale'))).toBe(true);
    // L-692, L-796: observations of an earlier run are not handed over again, and the session is the caller's.
    expect(existsSync(path.join(caller, 'oos-accepted-design.md'))).toBe(false);
    expect(manifest).toContain('\nSESSION_ID=parent-session\n');
  });

  test('L-792, L-793, L-794, L-795, L-800, L-801, L-803, L-804, L-805: the manifest has its keys in order, and the reader of a caller takes it', async () => {
    const folder = path.join(caller, 'design-export');
    const text = readFileSync(path.join(folder, 'manifest.env'), 'utf8');
    const keys = [
      'PLAN_FILE',
      'PLAN_REVIEW_TALLY_FILE',
      'CONTESTED_CRITERIA_FILE',
      'OOS_FILE',
      'REJECTED_FINDINGS_FILE',
      'ACCEPTED_PLAN_FINDINGS_FILE',
      'ARCHITECTURE_DIAGRAM_FILE',
    ];
    expect(text.match(/^[A-Z_]+(?==)/gm)).toEqual(['MANIFEST_VERSION', ...keys, 'TIMESTAMP', 'SESSION_ID']);
    const report = (await manifestLines(caller)).trimEnd().split('\n');
    expect(report[0]).toBe('MANIFEST_OK=true');
    expect(report.slice(1, -3).map((line) => line.split('=')[0])).toEqual(keys);
    expect(report.at(-1)).toBe('📥 1: design plan — manifest loaded (plan=plan.txt)');
    for (const line of report.slice(1, -3)) {
      const file = line.slice(line.indexOf('=') + 1);
      expect(path.dirname(file)).toBe(realpathSync(folder));
      expect(lstatSync(file).isFile(), file).toBe(true);
      expect(readFileSync(file, 'utf8')).toBe(run.artifacts[path.basename(file)]);
    }
    expect(readdirSync(caller).filter((name) => name.includes('.stage.'))).toEqual([]);
    expect(await manifestLines(path.join(caller, 'elsewhere'))).toBe(
      'MANIFEST_FAILED=true\nERROR=manifest-not-found\n',
    );
  });

  test('L-127, L-128, L-841, L-978, panel/C-02: health is written beside the session environment, also of those a caller asks about and we lack', () => {
    expect(readFileSync(path.join(caller, 'session.env.health'), 'utf8')).toBe(
      'CODEX_HEALTHY=false\nCURSOR_HEALTHY=false\nONE_HEALTHY=true\nTWO_HEALTHY=true\n',
    );
  });
});

test('L-580, L-720, L-740, L-871, L-872, L-874, L-880, L-881: a caller’s session names the token ledger and says where marks go', async () => {
  const caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  const ledger = path.join(caller, 'marks.tsv');
  writeFileSync(ledger, 'v1\tmark\t1\timplement\tStep 0\t-\t-\t-\t-\t-\t-\t-\t-\n');
  const session = path.join(caller, 'session.env');
  writeFileSync(session, `LARCH_TOKEN_SESSION_ID=parent-7\nLARCH_TIMING_LEDGER=${ledger}\n`);
  const { ended, root } = await walk(['--dialectic', 'advisory', '--session-env', session]);
  expect(ended.code).toBe(0);
  const rows = readFileSync(ledger, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  for (const cells of rows) expect(cells).toHaveLength(13);
  expect(rows[0]?.slice(1, 5)).toEqual(['mark', '1', 'implement', 'Step 0']);
  const cells = (type: string, column: number) =>
    rows.flatMap((row) => (row[1] === type ? [row[column]] : []));
  expect(cells('mark', 4)).toContain('design Step 3b — arch diagram');
  const kinds = cells('vendor', 6);
  expect(kinds).toEqual(
    expect.arrayContaining(['two-sketch-arch', 'one-plan-voter', 'one-judge', 'two-debate-thesis']),
  );
  const name = tokenLedgerName('parent-7');
  const tokens = readFileSync(path.join(caller, name), 'utf8');
  const spent = tokens
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TokenRow);
  expect(new Set(spent.map((row) => Object.keys(row).join()))).toEqual(
    new Set(['type,step,ts', 'type,vendor,input,output,cache_read,cache_create,total,raw,ts']),
  );
  expect(readFileSync(path.join(root, name), 'utf8')).toBe(tokens);
  const marks = spent.flatMap((row) => (row.type === 'mark' ? [row.step] : []));
  expect(marks).toEqual([
    'Step 1 — design Step 3 plan review',
    'Step 1 — design Step 3.5 discussion r2',
    'Step 1 — design Step 3b arch diagram',
  ]);
}, 120_000);

test('L-842, L-847: an export that fails is said with the caller’s numbering, keeps everything, and the run is not accepted', async () => {
  const caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  writeFileSync(path.join(caller, 'design-export'), 'in the way');
  const session = path.join(caller, 'session.env');
  writeFileSync(session, '');
  const { ended, artifacts } = await walk([
    '--solo',
    '--session-env',
    session,
    '--step-prefix',
    '1.::design plan',
  ]);
  expect(ended.code).toBe(6);
  const said = ended.stderr.split('**⚠ 1.5: design plan | cleanup — design manifest export failed.');
  expect(said).toHaveLength(3);
  expect(said[0]).not.toContain('warning(s) of this run');
  expect(said[1]).toContain('warning(s) of this run');
  expect(artifacts['plan.txt']).not.toBe('');
}, 60_000);

test('L-253, L-263, L-264, panel/C-16, F-03: a worker that fails exports nothing, keeps its directory and says why', async () => {
  const caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  const session = path.join(caller, 'session.env');
  writeFileSync(session, '');
  mkdirSync(path.join(caller, 'design-export'));
  writeFileSync(path.join(caller, 'design-export', 'manifest.env'), 'MANIFEST_VERSION=1\n');
  const { ended, root } = await walk(['--subagent', '--session-env', session], { failTask: 'synthesis' });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(
    /\*\*⚠ 2a: sketches — heavy worker subagent failed: author-failed\. No design manifest/,
  );
  expect(existsSync(path.join(caller, 'design-export', 'manifest.env'))).toBe(false);
  expect(existsSync(path.join(root, 'heavy', 'job.json'))).toBe(true);
}, 120_000);

test('L-114, L-911: an agent that the caller knows to be down is neither asked nor used, and stays down in the report', async () => {
  const caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  const session = path.join(caller, 'session.env');
  writeFileSync(session, 'CODEX_HEALTHY=false\n');
  const { ended, root, events } = await walk(
    ['--quick', '--dialectic', 'off', '--session-env', session],
    {},
    (config) => ({
      ...config,
      agents: { one: config.agents['one'], codex: config.agents['two'] },
    }),
  );
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain(
    'Codex installed but not responding (health check failed: reported unhealthy by the caller)',
  );
  expect(new Set(events.flatMap((event) => (event.type === 'lane-start' ? [event.agent] : [])))).toEqual(
    new Set(['one']),
  );
  expect(existsSync(path.join(root, 'lanes', 'probe-codex'))).toBe(false);
  expect(readFileSync(`${session}.health`, 'utf8')).toBe(
    'CODEX_HEALTHY=false\nCURSOR_HEALTHY=false\nONE_HEALTHY=true\n',
  );
}, 120_000);

test('L-691, L-743, L-754, L-758, L-765: findings that are all voted down leave the plan as it was; a diagram that cannot be published is named by its token alone', async () => {
  const caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  const session = path.join(caller, 'session.env');
  writeFileSync(session, '');
  const { ended, artifacts, calls, root } = await walk(
    ['--quick', '--dialectic', 'off', '--session-env', session],
    {
      mode: 'refuses',
    },
  );
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain('**ℹ Voting panel rejected all in-scope findings. Plan unchanged.**');
  expect(calls.filter((call) => call.startsWith('revise-plan '))).toEqual([]);
  expect(artifacts['accepted-plan-findings.md']).toBe('');
  expect(ended.stderr).toContain(
    '**⚠ 3b: architecture diagram — rejected by mermaid sanitizer (REASON_TOKEN=pipe-in-node-label); proceeding without diagram.**',
  );
  expect(Object.keys(artifacts).filter((name) => name.startsWith('architecture-diagram'))).toEqual([]);
  for (const folder of [caller, root])
    expect(readFileSync(path.join(folder, 'execution-issues.md'), 'utf8')).toBe(
      '### Warnings\n\n- **Step 3b — mermaid sanitizer rejected:** pipe-in-node-label\n- **Step 3b — architecture diagram rejected:** pipe-in-node-label\n',
    );
}, 120_000);

test('L-532, L-562, L-566: a plan that passes over a vote is not accepted where votes bind, and is where they advise', async () => {
  const binding = await walk(['--quick', '--dialectic', 'binding'], { mode: 'refuses' });
  expect(binding.ended.code).toBe(6);
  expect(binding.artifacts['plan-check.json']).toContain('voted, but the plan does not name it');
  const advisory = await walk(['--quick', '--dialectic', 'advisory'], { mode: 'refuses' });
  expect(advisory.ended.code).toBe(0);
  expect(advisory.artifacts['plan-check.json']).toContain('advised; the plan does not mention it');
  // What a run said of its plan is what the command says of it.
  const check = async ({ project }: Walk) => (await charrette(['plan', 'check'], { cwd: project })).code;
  expect([await check(binding), await check(advisory)]).toEqual([6, 0]);
}, 120_000);

test('L-377, L-481, L-511, L-594, L-780: no debates without debaters, no vote without findings, and the files are there all the same; a null device as session is nobody', async () => {
  const { ended, artifacts, calls } = await walk(['--agents', 'static', '--solo', '--session-env', devNull]);
  expect(ended.code).toBe(0);
  expect(ended.stdout).toContain('## Implementation Plan');
  for (const name of ['null.health', 'design-export', 'timing-ledger.tsv'])
    expect(existsSync(path.join(path.dirname(devNull), name)), name).toBe(false);
  expect(calls).toEqual([]);
  expect(artifacts['voting-tally.md']).not.toBe('');
  for (const name of [
    'accepted-plan-findings.md',
    'rejected-findings.md',
    'oos.md',
    'contested-decisions.md',
  ]) {
    expect(artifacts[name], name).toBeDefined();
  }
  expect(artifacts['dialectic-ballot.txt']).toBeUndefined();
}, 60_000);

test('L-374, L-375, L-582, L-591, L-845, L-974, F-24, F-25: an agent that fails a task is replaced, said at once and again at the end; files and credit name who stood in', async () => {
  const { ended, artifacts } = await walk([], {}, (config) => failing(config, 'plan-review'));
  expect(ended.code).toBe(0);
  expect(Object.keys(artifacts).filter((name) => /-plan-.*-output/.test(name))).toEqual([
    'one-fallback-two-plan-arch-output.txt',
    'one-fallback-two-plan-edge-output.txt',
    'one-primary-plan-innovation-output.txt',
    'one-primary-plan-pragmatic-output.txt',
  ]);
  const credited = readRejected(artifacts['rejected-findings.md'] ?? '').map(({ reviewer }) => reviewer);
  expect(credited).toEqual(['Code', 'One-Innovation', 'One-Pragmatic']);
  const warnings = ended.stderr.split('\n').filter((line) => line.includes('failed —'));
  // L-375: each seat, agent and reason once, however often it was tried, in the same form at the end.
  expect(warnings).toContain(
    '**⚠ Two-Arch failed — two: The agent ended with exit code 3 and no result. It said: told to fail (2 attempts)**',
  );
  for (const warning of warnings) expect(warnings.filter((other) => other === warning)).toHaveLength(2);
  expect(ended.stderr.slice(ended.stderr.indexOf('5: cleanup'))).toContain('failed —');
  expect(artifacts['plan.txt']).toContain('Limit requests per client');
}, 120_000);

test('L-042, L-374, L-650: the rules of the configuration hold: off after one failed lane, no third vote', async () => {
  const { ended, events, artifacts } = await walk(['--dialectic', 'off'], {}, (config) => ({
    ...failing(config, 'sketch'),
    rules: { health: 'after-one-lane', exonerate: false },
  }));
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(
    /\*\*⚠ Two failed — .*\. Using One replacement for remainder of session\.\*\*/,
  );
  // L-042: its seats keep their names, and somebody else sits there.
  const reviews = events.flatMap((event) =>
    event.type === 'lane-start' && event.lane.includes('-plan-') ? [`${event.lane} ${event.agent}`] : [],
  );
  expect(reviews.sort()).toEqual([
    'one-plan-innovation one',
    'one-plan-pragmatic one',
    'two-plan-arch one',
    'two-plan-edge one',
  ]);
  expect(artifacts['ballot.txt']).toContain('ID: YES|NO — reason');
  expect(artifacts['ballot.txt']).not.toContain('EXONERATE');
}, 120_000);

/** A project whose second agent is not there. */
async function walkWithout(flags: string[] = []): Promise<Walk> {
  return walk(flags, {}, (config) => ({
    ...config,
    agents: { ...config.agents, two: { protocol: 'exec', command: ['/no/such/program'], family: 'two' } },
  }));
}

test('L-022, L-023, L-027, L-042, L-123, L-481: an absent agent is replaced in sketches and review under its name, never in debates; nothing is collected there', async () => {
  const { ended, calls, events, artifacts } = await walkWithout();
  expect(ended.code).toBe(0);
  const made = (task: string) => calls.filter((call) => call.startsWith(`${task} `)).length;
  expect([made('sketch'), made('plan-review'), made('vote')]).toEqual([4, 4, 3]);
  expect([made('debate-thesis'), made('debate-antithesis'), made('judge')]).toEqual([0, 0, 0]);
  expect(events.filter((event) => event.type === 'lane-queue' && /debate|judge/.test(event.task))).toEqual(
    [],
  );
  expect(artifacts['dialectic-resolutions.md']).toContain('**Disposition**: bucket-skipped');
  expect(ended.stderr).toContain(
    '**⚠ Two not available (binary not found). Proceeding without Two reviewer.**',
  );
  expect(ended.stderr).toContain(
    '📊 Reviewers: | Two-Arch: ⏳ | Two-Edge: ⏳ | One-Innovation: ⏳ | One-Pragmatic: ⏳ |',
  );
}, 120_000);

test('L-365, L-366, L-378: an empty answer is asked for once more with the stored prompt; words before the payload are dropped', async () => {
  const { ended, calls, root, lane } = await walk(['--quick', '--dialectic', 'off'], { mode: 'moody' });
  expect(ended.code).toBe(0);
  const sketches = calls.filter((call) => call.startsWith('sketch '));
  expect(sketches).toHaveLength(4);
  const folder = (attempt: number) => path.join(root, 'lanes', `${lane('sketch')}-${attempt}`);
  const read = (attempt: number, name: string) => readFileSync(path.join(folder(attempt), name), 'utf8');
  expect(read(2, 'prompt.md')).toBe(read(1, 'prompt.md'));
  expect(JSON.parse(read(1, 'result.json'))).toMatchObject({ agent: 'two', result: { kind: 'bad_output' } });
  expect(read(2, 'answer.txt')).toContain('Sure, here is what you asked for');
  expect(JSON.parse(read(2, 'result.json'))).toMatchObject({ agent: 'two', result: { kind: 'ok' } });
}, 120_000);

test('L-494, F-16: an agent that fails in debates is warned about, and reviews and votes all the same', async () => {
  const { ended, artifacts, events } = await walk([], { failTask: 'debate-thesis' });
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/dialectic debate \(decision 1, thesis\) failed/);
  expect(artifacts['dialectic-resolutions.md']).toContain('**Disposition**: fallback-to-synthesis');
  const reviewers = events.flatMap((event) =>
    event.type === 'lane-end' && event.lane.includes('-plan-') ? [event.agent] : [],
  );
  expect(new Set(reviewers)).toEqual(new Set(['one', 'two']));
}, 120_000);

test('L-150, L-157: step 1 makes a branch from the facts of step 0, and only when it is on', async () => {
  const { project } = await makeProject();
  const ended = await charrette(
    ['design', '--auto', '--yes', '--solo', '--agents', 'static', 'cancel an order'],
    {
      cwd: project,
    },
  );
  expect(ended.code).toBe(0);
  const [run = ''] = runsOf(project);
  const record = JSON.parse(
    readFileSync(path.join(project, '.charrette', 'runs', run, 'run.json'), 'utf8'),
  ) as { inputs: { entry: { facts: { userPrefix: string } } } };
  const branch = execFileSync('git', ['branch', '--show-current'], { cwd: project, encoding: 'utf8' }).trim();
  expect(branch).toBe(`${record.inputs.entry.facts.userPrefix}/cancel-an-order`);
  expect(ended.stderr).toContain(`created ${branch}`);
}, 60_000);

test('an all-static panel is headed and attributed as rule-based, on the terminal and in the report', async () => {
  const { ended, project } = await walk(['--agents', 'static']);
  expect(ended.code).toBe(0);
  const headings = ended.stdout.match(/^## .* \(no model, rule-based\)$/gm) ?? [];
  expect(headings).toContain('## Implementation Plan (no model, rule-based)');
  expect(headings.length).toBeGreaterThan(3);
  const report = await charrette(['report'], { cwd: project });
  expect(report.stdout).toContain('- Made by: no model, rule-based');
}, 120_000);

test('L-762: a plan that changes no source file gets no diagram, and the step says so', async () => {
  const { ended, calls, artifacts } = await walk(['--solo'], { mode: 'documents' });
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/^⏩ 3b: arch diagram — the plan changes no source file \(\d+s\)$/m);
  expect(calls.filter((call) => call.startsWith('diagram '))).toEqual([]);
  expect(artifacts['architecture-diagram.md']).toBeUndefined();
}, 60_000);

test('a project words stances and prompt parts itself; an empty file leaves a part out; schema and data rule stay', async () => {
  const { project } = await makeProject();
  const word = (file: string, text: string) => {
    const target = path.join(project, '.charrette', 'prompts', file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  word('sketch/stance-arch.md', 'Your stance: keep our hexagons closed.\n');
  word('plan-review/competition.md', '');
  word('sketch/answer.md', 'Answer as you like.\n');
  const ended = await charrette(
    ['design', '--auto', '--no-branch', '--agents', 'static', 'cancel an order'],
    {
      cwd: project,
    },
  );
  expect(ended.code).toBe(0);
  const [run = ''] = runsOf(project);
  const prompt = (seat: string) =>
    (
      JSON.parse(
        readFileSync(path.join(project, '.charrette', 'runs', run, 'lanes', `static-${seat}.json`), 'utf8'),
      ) as { prompt: string }
    ).prompt;
  expect(prompt('sketch-arch')).toContain('keep our hexagons closed');
  expect(prompt('sketch-arch')).not.toContain('Press on structure that lasts');
  expect(prompt('sketch-edge')).toContain('Press on what goes wrong');
  expect(prompt('plan-arch')).not.toContain('+1');
  expect(prompt('sketch-arch')).toContain('## Answer');
  expect(prompt('sketch-arch')).not.toContain('Answer as you like');
}, 60_000);
