import { appendFileSync, mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunEvent } from './event.ts';
import { followEvents } from './follow.ts';

const line = (id: string) => {
  const body = id === 'end' ? { type: 'run-end', status: 'done', exit: 0 } : { type: 'note', text: 'ü' };
  return `${JSON.stringify({ v: 1, id, run: 'r', seq: 1, time: '2026-01-01T00:00:00.000Z', ...body })}\n`;
};

test('follows whole lines as they come, also past a truncated line of a dead writer', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-follow-')), 'events.jsonl');
  writeFileSync(file, line('a'));
  const seen: string[] = [];
  const following = (async () => {
    const until = (last: RunEvent | undefined) => last?.type === 'run-end';
    for await (const event of followEvents(file, {
      signal: new AbortController().signal,
      until,
      intervalMs: 5,
    })) {
      seen.push(event.id);
    }
  })();
  await sleep(30);
  const cut = line('b').slice(0, 12);
  appendFileSync(file, cut);
  await sleep(30);
  truncateSync(file, Buffer.byteLength(line('a')));
  await sleep(30);
  appendFileSync(file, line('b') + line('end'));
  await following;
  expect(seen).toEqual(['a', 'b', 'end']);
});

test('does not mix a truncated line of a dead writer with what its successor writes', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-follow-')), 'events.jsonl');
  writeFileSync(file, line('a') + line('cut').slice(0, 20));
  const stop = new AbortController();
  const events = followEvents(file, { signal: stop.signal, intervalMs: 5 });
  expect((await events.next()).value).toMatchObject({ id: 'a' });
  const next = events.next();
  await sleep(30);
  // Between two looks of the reader the line is cut off and others are written.
  truncateSync(file, Buffer.byteLength(line('a')));
  appendFileSync(file, line('b') + line('c'));
  expect((await next).value).toMatchObject({ id: 'b' });
  expect((await events.next()).value).toMatchObject({ id: 'c' });
  stop.abort();
});

test('an end that more was written after does not end it', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-follow-')), 'events.jsonl');
  writeFileSync(file, line('end') + line('again'));
  const seen: string[] = [];
  const until = (last: RunEvent | undefined) => {
    // Written while it is asked: it comes before the end of the following.
    if (last?.id === 'again') appendFileSync(file, line('late') + line('end'));
    return last?.id === 'again' || last?.id === 'end';
  };
  const { signal } = new AbortController();
  for await (const event of followEvents(file, { signal, until, intervalMs: 5 })) seen.push(event.id);
  expect(seen).toEqual(['end', 'again', 'late', 'end']);
});

test('ends when aborted, without an end of the run', async () => {
  const stop = new AbortController();
  const following = (async () => {
    const ids: string[] = [];
    for await (const event of followEvents('/no/such/file', { signal: stop.signal, intervalMs: 5 }))
      ids.push(event.id);
    return ids;
  })();
  stop.abort();
  expect(await following).toEqual([]);
});
