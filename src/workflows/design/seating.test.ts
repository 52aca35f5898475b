import { expect, test } from 'vitest';
import { runAvailability } from '../../council/health.ts';
import { replacementOf, seatPanel } from './seating.ts';

const [cursor, codex, claude, gemini] = [
  { id: 'cursor', family: 'cursor' },
  { id: 'codex', family: 'openai' },
  { id: 'claude', family: 'anthropic' },
  { id: 'gemini', family: 'google' },
] as const;
const three = [cursor, codex, claude];
const inputs = { panel: 'diagonal', sketches: 4, padding: true } as const;
const without = (agents: readonly { id: string }[], ...down: string[]) =>
  runAvailability(
    Object.fromEntries(agents.map(({ id }) => [id, { available: true, healthy: !down.includes(id) }])),
  );
const served = (places: readonly { label: string; agents: string[] }[]) =>
  places.map(({ label, agents }) => `${label}: ${agents.join(' ')}`);

test('L-042 L-205 L-588 L-591 L-630 an agent that is down keeps its seats by name; reviews cross over, all else goes to the author', () => {
  const health = without(three, 'cursor');
  const seats = seatPanel(three, health, inputs);
  expect(served(seats.sketch).slice(0, 2)).toEqual(['Cursor-Arch: claude', 'Cursor-Edge: claude']);
  expect(served(seats.review)).toEqual([
    'Cursor-Arch: codex claude',
    'Cursor-Edge: codex claude',
    'Codex-Innovation: codex claude',
    'Codex-Pragmatic: codex claude',
  ]);
  expect(seats.review.map(({ owner }) => owner)).toEqual(['cursor', 'cursor', 'codex', 'codex']);
  expect(served(seats.voters)).toEqual(['Cursor: claude', 'Codex: codex', 'Claude: claude']);
  // L-480: nobody argues for it.
  expect(seats.buckets).toEqual([
    { label: 'Cursor', agent: '' },
    { label: 'Codex', agent: 'codex' },
  ]);
  expect(replacementOf('cursor', three, health, inputs)).toBe('Claude and Codex');
});

test('L-022 an agent without a chair takes the one that is free, under its own name', () => {
  const four = [...three, gemini];
  const health = without(four, 'cursor');
  expect(served(seatPanel(four, health, inputs).sketch).slice(0, 2)).toEqual([
    'Gemini-Arch: gemini claude',
    'Gemini-Edge: gemini claude',
  ]);
  expect(replacementOf('cursor', four, health, inputs)).toBe('Gemini');
});

test('L-022 whoever writes is there: no seat is lost with the author', () => {
  const health = without(three, 'claude');
  const seats = seatPanel(three, health, inputs);
  expect(seats.author.agents).toEqual(['cursor', 'codex']);
  expect(served(seats.sketch)[2]).toBe('Codex-Innovation: codex cursor');
  expect(replacementOf('claude', three, health, inputs)).toBe('Cursor');
  const alone = seatPanel(three, without(three, 'claude', 'cursor'), inputs);
  expect(alone.sketch.map(({ agents }) => agents[0])).toEqual(['codex', 'codex', 'codex', 'codex']);
});

test('without padding the seats of those who are down stay empty, and nobody is said to replace them', () => {
  const health = without(three, 'cursor');
  const strict = { ...inputs, padding: false };
  expect(served(seatPanel(three, health, strict).review).slice(0, 2)).toEqual([
    'Cursor-Arch: ',
    'Cursor-Edge: ',
  ]);
  expect(replacementOf('cursor', three, health, strict)).toBeUndefined();
});

test('L-630 L-643 the chair says who votes as what, also where somebody stands in', () => {
  const voters = seatPanel(three, without(three, 'codex'), inputs).voters;
  expect(voters.map(({ chair, agents }) => [chair, agents[0]])).toEqual([
    ['first', 'cursor'],
    ['second', 'claude'],
    ['author', 'claude'],
  ]);
});
