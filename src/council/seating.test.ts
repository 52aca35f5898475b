import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allUp, healthFrom } from './health.ts';
import { panelNames, panels, sketchSeats } from './panels.ts';
import {
  agentLabel,
  answerFile,
  attribution,
  debateBuckets,
  fillBench,
  fillSeats,
  replacementOf,
  type SeatedAgent,
  seatAgents,
  seatPanel,
  unseatedAgents,
} from './seating.ts';

const cursor = { id: 'cursor', family: 'cursor' };
const codex = { id: 'codex', family: 'openai' };
const claude = { id: 'claude', family: 'anthropic' };
const gemini = { id: 'gemini', family: 'google' };
const up = (...agents: SeatedAgent[]) => allUp(agents);

const usual = seatAgents([claude, codex, cursor]);

test('L-202 L-203 L-204 the diagonal panel: labels, files, task kinds and launch order', () => {
  const seats = fillSeats(panels.diagonal.sketch, 'sketch', usual, up(cursor, codex, claude));
  expect(seats.map(({ label, id, output }) => [label, id, output])).toEqual([
    ['Cursor-Arch', 'cursor-sketch-arch', 'cursor-sketch-arch-output.txt'],
    ['Cursor-Edge', 'cursor-sketch-edge', 'cursor-sketch-edge-output.txt'],
    ['Codex-Innovation', 'codex-sketch-innovation', 'codex-sketch-innovation-output.txt'],
    ['Codex-Pragmatic', 'codex-sketch-pragmatic', 'codex-sketch-pragmatic-output.txt'],
  ]);
  const quick = fillSeats(sketchSeats(panels.diagonal, 2), 'sketch', usual, up(cursor, codex, claude));
  expect(quick.map(({ label, output }) => [label, output])).toEqual([
    ['Cursor-Generic', 'cursor-sketch-generic-output.txt'],
    ['Codex-Generic', 'codex-sketch-generic-output.txt'],
  ]);
});

test('L-201 L-205 an absent agent’s sketch goes to the replacement, under the same name', () => {
  const seats = fillSeats(panels.diagonal.sketch, 'sketch', usual, up(codex, claude));
  expect(seats.map(({ label, agents }) => [label, agents])).toEqual([
    ['Cursor-Arch', ['claude']],
    ['Cursor-Edge', ['claude']],
    ['Codex-Innovation', ['codex', 'claude']],
    ['Codex-Pragmatic', ['codex', 'claude']],
  ]);
});

test('L-582 L-588 L-591 F-24 a review crosses over first; files name who stood in for whom', () => {
  const seats = fillSeats(panels.diagonal.review, 'plan', usual, up(cursor, codex, claude));
  expect(seats.map(({ agents }) => agents)).toEqual([
    ['cursor', 'codex', 'claude'],
    ['cursor', 'codex', 'claude'],
    ['codex', 'cursor', 'claude'],
    ['codex', 'cursor', 'claude'],
  ]);
  const [arch, , innovation] = seats;
  if (!arch || !innovation) throw new Error('no seats');
  expect(answerFile(arch, 'cursor')).toBe('cursor-plan-arch-output.txt');
  expect(answerFile(arch, 'codex')).toBe('codex-fallback-cursor-plan-arch-output.txt');
  expect(answerFile(innovation, 'codex')).toBe('codex-primary-plan-innovation-output.txt');
  expect(answerFile(innovation, 'cursor')).toBe('cursor-fallback-codex-plan-innovation-output.txt');
  expect(['cursor', 'codex', 'claude'].map((agent) => attribution(arch, agent, 'claude'))).toEqual([
    'Cursor-Arch',
    'codex-fallback-cursor-plan-arch',
    'Code',
  ]);
});

test('padding off leaves the seats of absent agents empty', () => {
  const seats = fillSeats(panels.diagonal.review, 'plan', usual, up(codex, claude), { padding: false });
  expect(seats.map(({ agents }) => agents)).toEqual([[], [], ['codex'], ['codex']]);
  expect(fillBench(['first', 'second', 'author'], usual, up(codex, claude), { padding: false })).toHaveLength(
    2,
  );
});

test('L-512 L-630 judges and voters stay three, with fixed labels', () => {
  expect(
    fillBench(panels.diagonal.vote, usual, up(codex, claude)).map(({ chair, label, agents }) => [
      chair,
      label,
      agents,
    ]),
  ).toEqual([
    ['first', 'Cursor', ['claude']],
    ['second', 'Codex', ['codex']],
    ['author', 'Claude', ['claude']],
  ]);
});

test('L-024 L-479 debates have no replacement', () => {
  expect(debateBuckets(panels.diagonal.debate, usual)).toEqual([
    { label: 'Cursor', agent: 'cursor' },
    { label: 'Codex', agent: 'codex' },
  ]);
  expect(debateBuckets(panels.diagonal.debate, seatAgents([claude]))).toEqual([
    { label: 'First debater', agent: '' },
    { label: 'Second debater', agent: '' },
  ]);
});

test('seats are filled from the agents that exist, families mixed where possible', () => {
  const ids = (agents: SeatedAgent[], author?: string) => {
    const seating = seatAgents(agents, author);
    return [seating.first?.id, seating.second?.id, seating.author?.id];
  };
  expect(ids([gemini, codex, claude])).toEqual(['gemini', 'codex', 'claude']);
  expect(ids([cursor, codex])).toEqual(['cursor', 'codex', 'cursor']);
  expect(ids([codex, gemini])).toEqual([undefined, 'codex', 'gemini']);
  expect(ids([claude])).toEqual([undefined, undefined, 'claude']);
  expect(ids([claude, codex, cursor], 'codex')).toEqual(['cursor', 'codex', 'codex']);
  const twin = { id: 'claude-two', family: 'anthropic' };
  expect(ids([claude, twin, gemini])).toEqual(['gemini', 'claude-two', 'claude']);
  expect(ids([])).toEqual([undefined, undefined, undefined]);
});

test('with two agents the empty chair’s seats and votes go to the author, not all to the other one', () => {
  const two = seatAgents([claude, codex]);
  const reviews = fillSeats(panels.diagonal.review, 'plan', two, up(claude, codex));
  expect(reviews.map(({ label, agents }) => [label, agents])).toEqual([
    ['Claude-Arch', ['claude', 'codex']],
    ['Claude-Edge', ['claude', 'codex']],
    ['Codex-Innovation', ['codex', 'claude']],
    ['Codex-Pragmatic', ['codex', 'claude']],
  ]);
  expect(fillBench(panels.diagonal.vote, two, up(claude, codex)).map(({ label }) => label)).toEqual([
    'Claude-2',
    'Codex',
    'Claude',
  ]);
});

test('every panel gives every seat a unique name and an agent, whichever agents are up', () => {
  const agents = fc.uniqueArray(
    fc.constantFrom(cursor, codex, claude, gemini, { id: 'My Agent', family: 'x' }),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(agents, fc.constantFrom(...panelNames), (present, name) => {
      const seating = seatAgents(present);
      for (const use of ['sketch', 'plan'] as const) {
        const seats = fillSeats(
          use === 'sketch' ? panels[name].sketch : panels[name].review,
          use,
          seating,
          up(...present),
        );
        expect(new Set(seats.map(({ label }) => label)).size).toBe(seats.length);
        expect(new Set(seats.map(({ output }) => output)).size).toBe(seats.length);
        expect(seats.every(({ agents }) => agents.length > 0)).toBe(true);
        expect(seats.every(({ id }) => /^[a-z][a-z0-9-]{0,63}$/.test(id))).toBe(true);
      }
      expect(fillBench(panels[name].vote, seating, up(...present))).toHaveLength(panels[name].vote.length);
    }),
  );
});

test('L-005 0, 2 and 4 sketches', () => {
  const counts = (name: keyof typeof panels) =>
    ([0, 2, 4, 10] as const).map((count) => sketchSeats(panels[name], count).length);
  expect([counts('diagonal'), counts('wide'), counts('pair'), counts('solo')]).toEqual([
    [0, 2, 4, 4],
    [0, 2, 4, 10],
    [0, 2, 4, 2],
    [0, 0, 0, 0],
  ]);
  expect(sketchSeats(panels.wide, 2).map(({ stance }) => stance)).toEqual(['generic', 'generic']);
});

test('F-41 labels come from ids, never from models', () => {
  expect(['claude', 'my-agent', 'GPT 5.5!'].map(agentLabel)).toEqual(['Claude', 'My-Agent', 'Gpt-5-5']);
});

const three = [cursor, codex, claude];
const inputs = { panel: 'diagonal', sketches: 4, padding: true } as const;
const without = (agents: readonly { id: string }[], ...down: string[]) =>
  healthFrom(
    Object.fromEntries(agents.map(({ id }) => [id, { available: true, healthy: !down.includes(id) }])),
  );
const served = (places: readonly { label: string; agents: string[] }[]) =>
  places.map(({ label, agents }) => `${label}: ${agents.join(' ')}`);

test('L-510 judges are seated by a health check of their own, whatever was found before', () => {
  expect(served(seatPanel(three, without(three, 'codex'), inputs).judges)).toContain('Codex: claude');
  expect(served(seatPanel(three, allUp(three), inputs).judges)).toContain('Codex: codex');
});

test('L-042 L-205 L-588 L-591 L-630 an agent that is down keeps its seats by name; reviews cross over, all else goes to the author', () => {
  const health = without(three, 'cursor');
  const seats = seatPanel(three, health, inputs);
  expect(served(seats.sketchers).slice(0, 2)).toEqual(['Cursor-Arch: claude', 'Cursor-Edge: claude']);
  expect(served(seats.reviewers)).toEqual([
    'Cursor-Arch: codex claude',
    'Cursor-Edge: codex claude',
    'Codex-Innovation: codex claude',
    'Codex-Pragmatic: codex claude',
  ]);
  expect(seats.reviewers.map(({ owner }) => owner)).toEqual(['cursor', 'cursor', 'codex', 'codex']);
  expect(served(seats.voters)).toEqual(['Cursor: claude', 'Codex: codex', 'Claude: claude']);
  // L-480: no agent replaces its debater.
  expect(seats.buckets).toMatchObject([
    { label: 'Cursor', agent: '' },
    { label: 'Codex', agent: 'codex' },
  ]);
  expect(replacementOf('cursor', three, health, inputs)).toBe('Claude and Codex');
});

test('L-022 an agent without a chair takes the one that is free, under its own name', () => {
  const four = [...three, gemini];
  const health = without(four, 'cursor');
  expect(served(seatPanel(four, health, inputs).sketchers).slice(0, 2)).toEqual([
    'Gemini-Arch: gemini claude',
    'Gemini-Edge: gemini claude',
  ]);
  expect(replacementOf('cursor', four, health, inputs)).toBe('Gemini');
});

test('L-022 the author is up: no seat is lost when the usual author is down', () => {
  const health = without(three, 'claude');
  const seats = seatPanel(three, health, inputs);
  expect(seats.author.agents).toEqual(['cursor', 'codex']);
  expect(served(seats.sketchers)[2]).toBe('Codex-Innovation: codex cursor');
  expect(replacementOf('claude', three, health, inputs)).toBe('Cursor');
  const alone = seatPanel(three, without(three, 'claude', 'cursor'), inputs);
  expect(alone.sketchers.map(({ agents }) => agents[0])).toEqual(['codex', 'codex', 'codex', 'codex']);
});

test('without padding the seats of agents that are down stay empty, and no replacement is named', () => {
  const health = without(three, 'cursor');
  const strict = { ...inputs, padding: false };
  expect(served(seatPanel(three, health, strict).reviewers).slice(0, 2)).toEqual([
    'Cursor-Arch: ',
    'Cursor-Edge: ',
  ]);
  expect(replacementOf('cursor', three, health, strict)).toBeUndefined();
});

test('L-630 L-643 the chair decides the role of a voter, also of a substitute', () => {
  const voters = seatPanel(three, without(three, 'codex'), inputs).voters;
  expect(voters.map(({ chair, agents }) => [chair, agents[0]])).toEqual([
    ['first', 'cursor'],
    ['second', 'claude'],
    ['author', 'claude'],
  ]);
});

test('the wide panel gives each of five agents a seat, and every stance two different agents', () => {
  const five = [claude, codex, cursor, gemini, { id: 'mine', family: 'mine' }];
  const choice = { panel: 'wide', sketches: 10, padding: true } as const;
  const { sketchers, reviewers } = seatPanel(five, up(...five), choice);
  for (const seats of [sketchers, reviewers]) {
    expect(seats).toHaveLength(10);
    expect(new Set(seats.map(({ agents }) => agents[0]))).toEqual(
      new Set(['cursor', 'codex', 'gemini', 'mine']),
    );
    expect(new Set(seats.map(({ id }) => id)).size).toBe(10);
    for (const { stance } of seats)
      expect(
        new Set(seats.filter((seat) => seat.stance === stance).map(({ agents }) => agents[0])).size,
      ).toBe(2);
  }
  expect(unseatedAgents(five, choice)).toEqual([]);
});

test('agents for whom a panel has no seat are named', () => {
  const many = Array.from({ length: 14 }, (_, index) => ({ id: `agent-${index}`, family: `f${index}` }));
  expect(unseatedAgents(many, { panel: 'wide', sketches: 10, padding: true })).toHaveLength(3);
  const four = [claude, codex, cursor, gemini];
  expect(unseatedAgents(four, { panel: 'diagonal', sketches: 4, padding: true })).toEqual(['gemini']);
  expect(unseatedAgents(four.slice(0, 3), { panel: 'diagonal', sketches: 4, padding: true })).toEqual([]);
});

test('each seat names the agent that was announced for it, and why that one is not there', () => {
  const three = [claude, codex, cursor];
  const choice = { panel: 'diagonal', sketches: 4, padding: true } as const;
  const { reviewers, voters } = seatPanel(three, up(codex, claude), choice);
  expect(reviewers[0]).toMatchObject({
    agents: ['codex', 'claude'],
    planned: { agent: 'cursor', down: 'unavailable' },
  });
  expect(voters.map(({ planned }) => planned?.agent)).toEqual(['cursor', 'codex', 'claude']);
  const strict = seatPanel(three, up(codex, claude), { ...choice, padding: false });
  expect(strict.absent.map(({ role, planned }) => [role, planned.agent])).toEqual([
    ['judge', 'cursor'],
    ['vote', 'cursor'],
  ]);
  expect(seatPanel(three, up(codex, claude), choice, ['codex', 'claude']).reviewers[0]?.planned).toEqual({
    agent: 'codex',
  });
});
