import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseRuns, type QueueLimits } from './claim.ts';
import type { QueueEntry } from './queued-run.ts';
import { mismatchReason, type Place, placeFor } from './workers.ts';

const entry = (change: Partial<QueueEntry>): QueueEntry => ({
  run: 'r',
  workflow: 'design',
  title: 't',
  codeVersion: '2',
  repository: 'shop',
  clone: 'here:/shop',
  travels: true,
  baseCommit: 'c1',
  agents: ['one'],
  labels: [],
  priority: 0,
  state: 'queued',
  epoch: 1,
  ...change,
});
const place = (change: Partial<Place>): Place => ({
  repository: 'shop',
  clone: 'here:/shop',
  head: 'c1',
  agents: ['one', 'two'],
  ...change,
});

test('a run goes to its own clone first, else to one that has the same commit and the agents', () => {
  const other = place({ clone: 'there:/shop' });
  expect(placeFor(entry({}), [other, place({})])?.clone).toBe('here:/shop');
  expect(placeFor(entry({}), [other])?.clone).toBe('there:/shop');
  expect(mismatchReason(entry({}), place({ clone: 'there:/shop', head: 'c2' }))).toContain('commit c1');
  expect(mismatchReason(entry({ travels: false }), other)).toContain('stays in the clone here:/shop');
  expect(mismatchReason(entry({ agents: ['three'] }), place({}))).toContain('agents three');
  expect(mismatchReason(entry({ repository: 'billing', clone: 'x' }), place({}))).toContain('about billing');
  // What is checked out in its own clone now is what the person there wants it to read.
  expect(mismatchReason(entry({}), place({ head: 'c2' }))).toBeUndefined();
});

test('a run whose directory another process still has open goes to another clone or waits', () => {
  const [here, there] = [place({}), place({ clone: 'there:/shop' })];
  const load = { atWork: 0, byRepository: new Map(), begun: 0 };
  const isFree = (_: QueueEntry, { clone }: Place) => clone !== 'here:/shop';
  const chosen = (entries: QueueEntry[], places: Place[]) =>
    chooseRuns(entries, places, load, {}, 9, isFree).map(
      (claim) => `${claim.entry.run} ${claim.place.clone}`,
    );
  expect(chosen([entry({})], [here, there])).toEqual(['r there:/shop']);
  expect(chosen([entry({ travels: false }), entry({ run: 's' })], [here, there])).toEqual(['s there:/shop']);
  expect(chosen([entry({})], [here])).toEqual([]);
});

test('what is chosen never passes a limit and keeps the order of the queue', () => {
  const repositories = ['shop', 'billing', 'stock'];
  const limit = fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined });
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...repositories), { maxLength: 20 }),
      fc.array(fc.constantFrom(...repositories), { maxLength: 6 }),
      fc.record({ runs: limit, perRepository: limit, begun: fc.integer({ min: 0, max: 4 }), rate: limit }),
      fc.integer({ min: 0, max: 8 }),
      (waiting, atWork, { runs, perRepository, begun, rate }, most) => {
        const entries = waiting.map((repository, number) =>
          entry({ run: `r${number}`, repository, clone: repository }),
        );
        const places = repositories.map((repository) => place({ repository, clone: repository }));
        const count = (list: readonly string[]) =>
          new Map(repositories.map((name) => [name, list.filter((other) => other === name).length]));
        const limits: QueueLimits = {
          runs,
          perRepository,
          rate: rate === undefined ? undefined : { runs: rate, seconds: 1 },
        };
        const load = { atWork: atWork.length, byRepository: count(atWork), begun };
        const chosen = chooseRuns(entries, places, load, limits, most).map((claim) => claim.entry);
        const numbers = chosen.map(({ run }) => Number(run.slice(1)));
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
        expect(chosen.length).toBeLessThanOrEqual(most);
        if (chosen.length === 0) return;
        if (runs !== undefined) expect(atWork.length + chosen.length).toBeLessThanOrEqual(runs);
        if (rate !== undefined) expect(begun + chosen.length).toBeLessThanOrEqual(rate);
        for (const [name, number] of count([...atWork, ...chosen.map(({ repository }) => repository)]))
          if (perRepository !== undefined && chosen.some(({ repository }) => repository === name))
            expect(number).toBeLessThanOrEqual(perRepository);
      },
    ),
  );
});
