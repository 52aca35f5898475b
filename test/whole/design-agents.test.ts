import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readRejected } from '../outcome-readers.ts';
import { type Settings, type Walk, walk } from '../support/design-walk.ts';

/** The second agent, and only that one, fails a task. */
function failing(config: Settings, task: string): Settings {
  const two = config.agents['two'] as { command: string[] };
  const command = two.command.map((word) => (word === 'none' ? task : word));
  return { ...config, agents: { ...config.agents, two: { ...two, command } } };
}

test('L-374, L-375, L-582, L-591, L-845, L-974, F-24, F-25: an agent that fails a task is replaced, reported at once and at the end; files and credit name the substitute', async () => {
  const { ended, artifacts } = await walk([], {}, (config) => failing(config, 'plan-review'));
  expect(ended.code).toBe(6);
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
});

test('L-042, L-374, L-650: the rules of the configuration hold: off after one failed lane, no third vote', async () => {
  const { ended, events, artifacts } = await walk(['--dialectic', 'off'], {}, (config) => ({
    ...failing(config, 'sketch'),
    rules: { health: 'after-one-lane', exonerate: false },
  }));
  expect(ended.code).toBe(6);
  expect(ended.stderr).toMatch(
    /\*\*⚠ Two failed — .*\. Using One replacement for remainder of session\.\*\*/,
  );
  // L-042: its seats keep their names, and another agent fills them.
  const reviews = events.flatMap((event) =>
    event.type === 'lane-start' && event.lane.includes('-plan-') ? [`${event.lane} ${event.agent}`] : [],
  );
  expect(reviews.sort()).toEqual([
    'one-plan-innovation one',
    'one-plan-pragmatic one',
    'two-plan-arch one',
    'two-plan-edge one',
  ]);
  expect(artifacts['ballot.txt']).toContain('For FINDING items, YES:');
  expect(artifacts['ballot.txt']).not.toContain('EXONERATE');
});

/** A project whose second agent is missing. */
async function walkWithout(flags: string[] = []): Promise<Walk> {
  return walk(flags, {}, (config) => ({
    ...config,
    agents: { ...config.agents, two: { protocol: 'exec', command: ['/no/such/program'], family: 'two' } },
  }));
}

test('L-022, L-023, L-027, L-042, L-123, L-481: an absent agent is replaced in sketches and review under its name, never in debates; nothing is collected there', async () => {
  const { ended, calls, events, artifacts } = await walkWithout();
  expect(ended.code).toBe(6);
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
});

test('L-365, L-366, L-378: an empty answer is asked for once more with the stored prompt; text before the payload is dropped', async () => {
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
});

test('L-025, L-494, L-912, F-16: an agent that fails in debates causes a warning, and still reviews and votes', async () => {
  const { ended, artifacts, events } = await walk([], { failTask: 'debate-thesis' });
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/dialectic debate \(decision 1, thesis\) failed/);
  expect(artifacts['dialectic-resolutions.md']).toContain('**Disposition**: fallback-to-synthesis');
  const reviewers = events.flatMap((event) =>
    event.type === 'lane-end' && event.lane.includes('-plan-') ? [event.agent] : [],
  );
  expect(new Set(reviewers)).toEqual(new Set(['one', 'two']));
});

test('L-512, L-520, L-530: three judges are three votes, also of the author’s family; plan and output show the resolution with its vote', async () => {
  const { ended, artifacts } = await walk([], {}, (config) => {
    const { command } = config.agents['two'] as { command: string[] };
    const three = { protocol: 'exec', command: [...command.slice(0, -1), 'dissents'], family: 'three' };
    return { ...config, agents: { ...config.agents, three } };
  });
  expect(ended.code, ended.stderr).toBe(0);
  expect(artifacts['dialectic-resolutions.md']).toContain('**Vote tally**: THESIS=2, ANTI_THESIS=1');
  expect(artifacts['plan.txt']).toContain(
    '## Voted resolutions\n\n### DECISION_1: Where the bucket lives\n- **Resolution**: in memory\n- **Vote tally**: THESIS=2, ANTI_THESIS=1\n',
  );
  expect(ended.stderr).toContain(
    'Voted resolution: DECISION_1 (Where the bucket lives): in memory — THESIS=2, ANTI_THESIS=1\n',
  );
});

test('L-594: without findings of reviewers, warnings of the plan check cause no vote and no revision', async () => {
  const { ended, artifacts, calls } = await walk(['--dialectic', 'off'], { mode: 'content' });
  expect(ended.code, ended.stderr).toBe(0);
  const report = JSON.parse(artifacts['plan-check.json'] ?? '') as { facts: { severity: string }[] };
  expect(report.facts.map(({ severity }) => severity)).toContain('warning');
  expect(calls.filter((call) => /^(?:vote|merge-findings|revise-plan) /.test(call))).toEqual([]);
});
