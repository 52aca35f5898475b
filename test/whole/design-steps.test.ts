import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { focusAreas } from '../../src/base/schema/judgements/review.ts';
import { readAccepted } from '../../src/council/outcome-files.ts';
import { readTally } from '../../src/council/tally.ts';
import type { RunEvent } from '../../src/engine/event.ts';
import type { RunRecord } from '../../src/engine/run-record.ts';
import { sanitizeDiagramFile } from '../../src/plan/diagram.ts';
import { readRejected } from '../outcome-readers.ts';
import { type Walk, walk } from '../support/design-walk.ts';

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
  });

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

  test('L-561, L-632, panel/C-38, F-32: what later steps need is in files', () => {
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
      /^(?:run \S+|━{80}|> \*\*🔶 .+\*\*|[✅⏩⏳📊] .+|\*\*⚠ .+|\d+ warning\(s\) of this run:|copied to .+|Voted resolution: .+)$/u;
    const lines = run.ended.stderr.split('\n').filter((line) => line !== '');
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
    const headings = run.ended.stdout.match(
      /^## (?!Files|Approach\n|Edge|Failure|Testing|Tests|Commands|Symbols|Decisions|Voted|Dissent).+$/gm,
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

  test('L-630, L-643: the author votes as the scrupulous reviewer, all others as the engineer, substitutes too', () => {
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

  test('L-591, L-592, L-633, L-634, L-637, panel/C-34: the ballot numbers every finding and names no one; proposers are in a separate file', () => {
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

  test('L-696, panel/C-36: what is not implemented is listed with its reviewer, whole text, votes and class', () => {
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
      '## Feature\nadd rate limiting',
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
