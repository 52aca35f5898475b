import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentSettings, World } from '../../agents/settings.ts';
import type { Config } from '../../base/schema/config.ts';
import { allUp, healthFrom } from '../../council/health.ts';
import { panels } from '../../council/panels.ts';
import { seatPanel } from '../../council/seating.ts';
import { depthOf } from './depth.ts';
import { seatOwnPanel } from './own-panels.ts';

let project: string;
beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), 'charrette-panels-'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const world: World = { environment: {}, home: '/', platform: 'linux', architecture: 'x64', jail: 'off' };
const agent = (id: string, family = id): AgentSettings => ({ id, protocol: 'exec', command: ['x'], family });
const roster = [agent('ann'), agent('ben'), agent('cleo'), agent('dora', 'ben')];

function seat(name: string, config: Config, agents = roster) {
  const author = { flag: undefined, configured: config.author };
  return seatOwnPanel(name, { config, roster: agents, author, world, project });
}

async function tableOf(name: string, config: Config, down: string[] = []) {
  const panel = await seat(name, config);
  if (panel === undefined) throw new Error('no panel');
  const agents = [...roster, ...panel.variants].map(({ id, family = id }) => ({ id, family }));
  const health = healthFrom(
    Object.fromEntries(agents.map(({ id }) => [id, { available: true, healthy: !down.includes(id) }])),
  );
  const depth = depthOf({ panel: name }, config, undefined, panel);
  const choice = { ...depth, padding: true, ...(panel.author === undefined ? {} : { author: panel.author }) };
  return { panel, table: seatPanel(agents, health, choice), all: allUp(agents) };
}

const heads = (seats: readonly { label: string; agents: string[] }[]) =>
  seats.map(({ label, agents }) => `${label}: ${agents.join(' ')}`);

test('a panel seats named agents, families, models and the agent with the fewest seats', async () => {
  const config: Config = {
    panels: {
      mine: {
        author: 'cleo',
        sketch: [{ agent: 'ann', stance: 'arch' }, { family: 'ben' }, { agent: 'ann', model: 'big' }, {}],
        review: [{ agent: 'dora', stance: 'edge' }, { agent: 'ann' }],
        judge: [{ agent: 'ben' }, {}],
        vote: [{ agent: 'ann' }, { agent: 'ben' }, { agent: 'cleo' }],
        rounds: 2,
      },
    },
  };
  const { panel, table } = await tableOf('mine', config);
  expect(panel).toMatchObject({ author: 'cleo', rounds: 2 });
  expect(panel.variants).toMatchObject([{ id: 'ann-big', variantOf: 'ann', model: 'big' }]);
  expect(table.author.agents[0]).toBe('cleo');
  expect(heads(table.sketchers)).toEqual([
    'Ann-Arch: ann cleo',
    'Ben-Generic: ben cleo',
    'Ann-Big-Generic: ann-big cleo',
    'Dora-Generic: dora cleo',
  ]);
  // A review goes to another family first, then to any, and to the author last.
  expect(table.reviewers[0]?.agents).toEqual(['dora', 'ann', 'ann-big', 'ben', 'cleo']);
  expect(heads(table.judges)).toEqual(['Ben: ben', 'Ann: ann']);
  // The author votes as the author does in every panel.
  expect(table.voters.map(({ chair }) => chair)).toEqual(['@ann', '@ben', 'author']);
  expect(table.buckets.map(({ agent: id }) => id)).toEqual(['ann', 'ben']);
});

test('a panel takes what it does not name from the one that it extends, over several steps', async () => {
  const config: Config = {
    panels: {
      base: { extends: 'diagonal', vote: [{ agent: 'ann' }, { agent: 'ben' }] },
      mine: { extends: 'base', review: [{ agent: 'dora' }] },
    },
  };
  const { panel, table } = await tableOf('mine', config);
  expect(panel.seats.sketch).toEqual(panels.diagonal.sketch);
  expect(heads(table.reviewers)[0]).toMatch(/^Dora-Generic: dora/);
  expect(heads(table.voters)).toHaveLength(2);
  expect(table.judges).toHaveLength(3);
});

test('an agent that is down keeps its seats by name, and another agent takes them', async () => {
  const config: Config = { panels: { mine: { sketch: [{ agent: 'ann' }, { agent: 'ben' }] } } };
  const { table } = await tableOf('mine', config, ['ben']);
  expect(table.sketchers[1]).toMatchObject({ label: 'Ben-Generic', planned: { agent: 'ben' } });
  expect(table.sketchers[1]?.agents).not.toContain('ben');
});

test('stances of the project come with the panel, as text or from a file of the project', async () => {
  mkdirSync(path.join(project, 'stances'));
  writeFileSync(path.join(project, 'stances', 'cost.md'), 'Press on what it costs to run.\n');
  const config: Config = {
    stances: { privacy: 'Press on personal data.', cost: { file: 'stances/cost.md' } },
    panels: { mine: { sketch: [{ stance: 'privacy' }, { stance: 'cost' }, { stance: 'arch' }] } },
  };
  const { table } = await tableOf('mine', config);
  expect(table.sketchers.map(({ stance, stanceText }) => [stance, stanceText])).toEqual([
    ['privacy', 'Press on personal data.'],
    ['cost', 'Press on what it costs to run.'],
    ['arch', undefined],
  ]);
});

test.each<[string, Config, string]>([
  [
    'an unknown agent',
    { panels: { mine: { sketch: [{ agent: 'eve' }] } } },
    'names the agent "eve"; in this run are ann',
  ],
  [
    'an unknown author',
    { panels: { mine: { author: 'eve', sketch: [{}] } } },
    'panels.mine.author names the agent "eve"',
  ],
  ['an unknown family', { panels: { mine: { sketch: [{ family: 'x' }] } } }, 'asks for the family "x"'],
  [
    'an unknown stance',
    { panels: { mine: { sketch: [{ stance: 'odd' }] } } },
    'names the stance "odd"; there are arch',
  ],
  [
    'an unknown base',
    { panels: { mine: { extends: 'odd' } } },
    'panels.mine extends "odd"; there are diagonal',
  ],
  [
    'a cycle',
    { panels: { mine: { extends: 'other' }, other: { extends: 'mine' } } },
    'panels.mine extends itself: mine → other → mine',
  ],
  ['no seat at all', { panels: { mine: { author: 'ann' } } }, 'panels.mine has no seat'],
  ['reviews without a vote', { panels: { mine: { review: [{}] } } }, 'has review seats but no vote seats'],
  [
    'the same voter twice',
    { panels: { mine: { vote: [{ agent: 'ann' }, { agent: 'ann' }] } } },
    'seats ann twice',
  ],
  [
    'more voters than agents',
    { panels: { mine: { vote: [{}, {}, {}, {}, {}] } } },
    'has 5 seats, but only 4 agents',
  ],
  ['the name of a built-in panel', { panels: { wide: { sketch: [{}] } } }, 'a built-in panel has this name'],
  [
    'a quorum that cannot be met',
    { panels: { mine: { sketch: [{}], quorum: { families: 9 } } } },
    'asks for 9 families; the agents of this run have 3',
  ],
])('%s is refused', async (_, config, message) => {
  await expect(seat(Object.keys(config.panels ?? {})[0] ?? '', config)).rejects.toThrow(message);
});

test('a stance file outside of the project, missing or empty is refused', async () => {
  const withFile = (file: string): Config => ({
    stances: { own: { file } },
    panels: { mine: { sketch: [{ stance: 'own' }] } },
  });
  writeFileSync(path.join(project, 'empty.md'), '\n');
  symlinkSync('/etc/hostname', path.join(project, 'link.md'));
  await expect(seat('mine', withFile('missing.md'))).rejects.toThrow('is missing');
  await expect(seat('mine', withFile('empty.md'))).rejects.toThrow('is empty');
  await expect(seat('mine', withFile('../x.md'))).rejects.toThrow('leads out of');
  await expect(seat('mine', withFile('link.md'))).rejects.toThrow('leads out of');
});

test('an unknown panel is named with those that exist', () => {
  expect(() => depthOf({ panel: 'odd' }, { panels: { mine: { sketch: [{}] } } }, undefined)).toThrow(
    'Unknown panel "odd". Available: diagonal, wide, pair, solo, mine.',
  );
});
