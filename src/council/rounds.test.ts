import { expect, test } from 'vitest';
import { contested, decisions, defence, eligible, other } from '../../test/dialectic-fixtures.ts';
import { items } from '../../test/review-fixtures.ts';
import type { Judgement, JudgementName } from '../base/schema/judgements.ts';
import { askAuthor, type Call, type Council, type Reply, type Seat } from './council.ts';
import { debate, planDebates } from './debate.ts';
import { judge } from './judge.ts';
import { resolve } from './resolutions.ts';
import { merge } from './review.ts';
import { sketch, synthesise } from './sketch.ts';
import { planVote, vote } from './vote.ts';

type Answer = (seat: Seat, kind: string) => unknown;

/** A council whose seats answer from a function; `undefined` is a failed call. */
function scripted(answer: Answer) {
  const log: string[] = [];
  const files: Record<string, string> = {};
  const council: Council = {
    async ask<Name extends JudgementName>(_limit: string, calls: readonly Call<Name>[]) {
      log.push(`ask ${calls.map(([, { key }]) => key).join(' ')}`);
      return calls.map(([seat, { key, kind }]): Reply<Name> => {
        const [agent = ''] = seat.agents;
        const call = {
          lane: key,
          seat: seat.id,
          agent,
          family: 'test',
          elapsedMs: 0,
          attempts: 1,
          folder: '',
        };
        const value = answer(seat, kind) as Judgement<Name> | undefined;
        if (value !== undefined) return { ...call, kind: 'ok', value, failures: [] };
        const failures = [{ agent, kind: 'crash' as const, message: 'it crashed' }];
        return { ...call, kind: 'crash', message: 'it crashed.', failures };
      });
    },
    async artifact(name, text) {
      log.push(`write ${name}`);
      files[name] = text;
    },
    warn: (text) => log.push(`warn ${text}`),
    async checkTree(boundary) {
      log.push(`tree ${boundary}`);
    },
  };
  return { council, log, files };
}

const seat = (id: string, more: Partial<Seat> = {}): Seat => ({
  ...{ id, label: id, stance: 'generic', agents: [id], owner: id },
  ...more,
});
const commission = { description: 'add a lock' };
const author = seat('author', { label: 'Author', chair: 'author' });
const plan = {
  ...{ title: 'Lock', summary: 'One lock.', files: [], approach: 'Add it.', edgeCases: [], failureModes: [] },
  ...{ testing: 'Unit tests.', tests: [], commands: [], symbols: [], decisions: [] },
};
const drawn = { summary: 'A lock.', approach: 'Add it.', decisions: [], files: [], risks: [] };

test('L-204: the sketch round asks all seats at once, checks the tree, and keeps each sketch', async () => {
  const { council, log } = scripted(({ id }) => (id === 'b' ? undefined : drawn));
  const seats = [seat('a'), seat('b'), seat('c', { output: 'c-sketch-output.txt' })];
  const { sketches, replies } = await sketch(council, seats, commission, 'regular');
  expect(sketches.map(({ seat: { id } }) => id)).toEqual(['a', 'c']);
  expect(replies).toHaveLength(3);
  expect(log).toEqual([
    'ask a b c',
    'tree sketch-collection',
    'write a-output.txt',
    'warn b failed — b: it crashed',
    'write c-sketch-output.txt',
  ]);
});

test('panel/C-07: the sketch round fails when too few sketches are usable', async () => {
  const { council } = scripted(({ id }) => (id === 'a' ? drawn : undefined));
  const round = sketch(council, [seat('a'), seat('b')], commission, 'regular');
  await expect(round).rejects.toMatchObject({ code: 'too-few-sketches', retryable: true });
});

test('L-451: the synthesis of generic sketches has no highlights, and its decisions are ranked', async () => {
  const highlights = { architecture: ['x'], pragmatism: [], edgeCases: [], innovation: [] };
  const minor = contested('small', { impact: 'Low' });
  const made = { summary: 's', agreements: [], divergences: [], ideas: [], highlights };
  const { council } = scripted(() => ({ ...made, contested: [minor, contested('big', { impact: 'High' })] }));
  const approach = await synthesise(council, author, commission, [{ seat: seat('a'), sketch: drawn }]);
  expect(approach.synthesis?.highlights).toBeNull();
  expect(approach.decisions.map(({ number, title }) => [number, title])).toEqual([
    [1, 'big'],
    [2, 'small'],
  ]);
  expect(await synthesise(council, author, commission, [])).toEqual({ decisions: [] });
});

test('panel/C-31: a task of the author names every failed attempt when no agent answers', async () => {
  const { council } = scripted(() => undefined);
  const task = {
    key: 'plan',
    kind: 'plan',
    judgement: 'plan',
    draft: () => ({}) as never,
    facts: {},
  } as const;
  await expect(askAuthor(council, author, task)).rejects.toMatchObject({
    code: 'author-failed',
    message: 'No agent could do the task plan: author: crash (it crashed).',
  });
});

test('L-477, L-500, L-503, L-531: a debate with one side is ineligible and keeps what that side said', async () => {
  const { council, log } = scripted((_, kind) => (kind === 'debate-thesis' ? defence : undefined));
  const settings = { buckets: [{ label: 'X', agent: 'x' }], cap: 1 };
  const debates = await debate(council, planDebates(decisions(2), settings), {
    commission,
    synthesis: undefined,
  });
  expect(debates.map(({ kind }) => kind)).toEqual(['ineligible', 'over-cap']);
  expect(debates[0]).toMatchObject({ reason: 'no_output', defences: { thesis: { claim: defence.claim } } });
  expect(log.slice(0, 3)).toEqual([
    'ask debate-1-thesis debate-1-antithesis',
    'tree dialectic-debate-collection',
    'write debate-1-x-thesis.txt',
  ]);
});

test('L-493, L-513, L-519: heard debates are judged in both orders, and a failed judge does not count', async () => {
  const verdict = { verdicts: [{ decision: 1, vote: 'ANTI_THESIS', rationale: 'It is simpler.' }] };
  const { council, log, files } = scripted(({ id }) => (id === 'c' ? undefined : verdict));
  const heard = eligible(1);
  const rules = { bothOrders: true, neutral: '' };
  const ballots = await judge(council, heard, [seat('a'), seat('b'), seat('c')], rules);
  expect(log[1]).toBe('ask judge-a judge-a-swapped judge-b judge-b-swapped judge-c judge-c-swapped');
  expect(log.filter((line) => line.startsWith('warn'))).toEqual(['warn c judge failed — it crashed.']);
  expect(files['a-judge-swapped-output.txt']).toBe('DECISION_1: ANTI_THESIS — It is simpler.\n');
  const [resolution] = resolve(heard, ballots, rules);
  expect(resolution).toMatchObject({ disposition: 'voted', tally: { thesis: 0, antithesis: 2 } });
  expect(other.recommend).toBe('ANTI_THESIS');
});

test('panel/C-32: without a usable merge every finding is an item, and one finding needs no merge', async () => {
  const { council, log } = scripted(() => undefined);
  const raised = items.map(({ proposers, seats, ...item }) => ({
    ...item,
    ...{ reviewer: proposers[0] ?? '', seat: seats[0] ?? '', outOfScope: item.scope === 'out-of-scope' },
  }));
  expect(await merge(council, author, raised, 2, [])).toHaveLength(raised.length);
  expect(log[0]).toBe('ask merge-2-findings');
  expect(await merge(council, author, raised.slice(0, 1), 1, items)).toMatchObject([{ id: 'FINDING_3' }]);
  expect(log.filter((line) => line.startsWith('ask'))).toHaveLength(1);
});

test('L-643, panel/C-20: without any voter the author adjudicates, and the rule says so', async () => {
  const votes = { votes: items.map(({ id }) => ({ id, vote: 'YES', reason: 'right' })) };
  const { council, log, files } = scripted(({ id }) => (id === 'author' ? votes : undefined));
  const task = planVote({ commission, plan, exonerate: true });
  const quorum = await vote(council, { voters: [seat('a'), seat('b')], author }, items, task);
  expect(quorum).toMatchObject({ tier: 'single', needed: 1 });
  expect(quorum.rule).toContain('the planning agent decided alone');
  expect(log.filter((line) => line.startsWith('ask'))).toEqual([
    'ask vote-a vote-b',
    'ask adjudicate-author',
  ]);
  expect(files['author-adjudicate-output.txt']).toContain('FINDING_1: YES — right');
  expect(files['ballot-proposers.json']).toContain('Reviewer A');
});
