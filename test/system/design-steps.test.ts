import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/engine/event.ts';
import { readEvents } from '../../src/engine/event-log.ts';
import { artifactsOf, callsIn, charrette, type Ended, makeProject, runsOf } from '../support/program.ts';

type Walk = {
  ended: Ended;
  events: RunEvent[];
  artifacts: Record<string, string>;
  calls: string[];
  root: string;
};

async function walk(flags: string[], options: Parameters<typeof makeProject>[0] = {}): Promise<Walk> {
  const { project, calls } = await makeProject(options);
  const ended = await charrette(['design', '--auto', '--yes', '--no-branch', ...flags, 'add rate limiting'], {
    cwd: project,
  });
  const [run = ''] = runsOf(project);
  const root = path.join(project, '.charrette', 'runs', run);
  return {
    ended,
    events: readEvents(path.join(root, 'events.jsonl')),
    artifacts: artifactsOf(project, run),
    calls: callsIn(calls),
    root,
  };
}

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

  test('L-534: an accepted finding changes the plan that the resolutions shaped', () => {
    expect(run.artifacts['plan-before-review.txt']).not.toContain('The limit comes from the configuration.');
    expect(run.artifacts['plan.txt']).toContain('The limit comes from the configuration.');
    expect(run.artifacts['accepted-plan-findings.md']).toContain('### FINDING_1');
  });

  test('panel/C-39, F-30: the deliverables are kept, in the run and where --out says', () => {
    expect(readFileSync(path.join(out, 'plan.txt'), 'utf8')).toBe(run.artifacts['plan.txt']);
    expect(existsSync(path.join(run.root, 'artifacts', 'plan.txt'))).toBe(true);
  });

  test('L-870, panel/C-05: every step has its timing mark in the run', () => {
    const ledger = readFileSync(path.join(run.root, 'timing-ledger.tsv'), 'utf8');
    for (const mark of [
      'design Step 0 — session setup',
      'design Step 2a.5 — dialectic',
      'design Step 5 — cleanup',
    ]) {
      expect(ledger).toContain(`\t${mark}\t`);
    }
  });
});

describe('a run that a caller started', () => {
  let run: Walk;
  let caller: string;

  beforeAll(async () => {
    caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
    mkdirSync(path.join(caller, 'design-export'));
    writeFileSync(path.join(caller, 'design-export', 'manifest.env'), 'MANIFEST_VERSION=1\n');
    writeFileSync(path.join(caller, 'session.env'), 'TWO_HEALTHY=false\nCODEX_HEALTHY=false\n');
    run = await walk(['--session-env', path.join(caller, 'session.env'), '--step-prefix', '1.::design plan']);
  }, 120_000);

  test('L-008, L-031, L-046, L-846, panel/C-01: numbers come from the prefix, bodies stay in files, no final line', () => {
    expect(run.ended.code).toBe(0);
    expect(run.ended.stderr).toContain('> **🔶 1.2a: design plan | sketches**');
    expect(run.ended.stderr).toContain('✅ 1.2b: design plan | full plan — saved');
    expect(run.ended.stderr).not.toContain('design complete!');
    expect(run.ended.stdout).not.toContain('## Implementation Plan');
  });

  test('L-790, L-842, panel/C-17: the manifest is new and names the exported plan', () => {
    const manifest = readFileSync(path.join(caller, 'design-export', 'manifest.env'), 'utf8');
    expect(manifest).toContain(`PLAN_FILE=${path.join(caller, 'design-export', 'plan.txt')}`);
    expect(existsSync(path.join(caller, 'design-export', 'manifest.env.stale'))).toBe(true);
  });

  test('L-128, L-841, panel/C-02: health is written beside the session environment', () => {
    expect(readFileSync(path.join(caller, 'session.env.health'), 'utf8')).toContain('ONE_HEALTHY=true');
  });
});

test('L-481, L-511, L-594, L-691, L-780: no debates without debaters, no vote without findings, and the files are there all the same', async () => {
  const { ended, artifacts, calls } = await walk(['--agents', 'static', '--solo']);
  expect(ended.code).toBe(0);
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

test('L-374, L-845, L-974: an agent that fails a task is replaced, said at once and again at the end', async () => {
  const { ended, artifacts } = await walk([], { failTask: 'plan-review' });
  expect(ended.code).toBe(0);
  const warnings = ended.stderr.split('\n').filter((line) => line.includes('failed —'));
  expect(warnings.length).toBeGreaterThan(1);
  expect(ended.stderr.slice(ended.stderr.indexOf('5: cleanup'))).toContain('failed —');
  expect(artifacts['plan.txt']).toContain('Limit requests per client');
}, 120_000);
