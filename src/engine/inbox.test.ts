import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { leaveMessage, readMessages } from './inbox.ts';

test('a message that was left before the clock was set back is still read first', async () => {
  const inbox = mkdtempSync(path.join(tmpdir(), 'charrette-inbox-'));
  const early = { schemaVersion: 1, type: 'cancel', reason: 'first' };
  writeFileSync(path.join(inbox, `${Date.now() + 3_600_000}-1-0001.json`), JSON.stringify(early));
  await leaveMessage(inbox, { type: 'cancel', reason: 'second' });
  await leaveMessage(inbox, { type: 'cancel', reason: 'third' });
  const reasons = (await readMessages(inbox)).map(({ message }) => 'reason' in message && message.reason);
  expect(reasons).toEqual(['first', 'second', 'third']);
});

test('two readers of one inbox: neither fails where the other sets an unreadable message aside', async () => {
  const inbox = mkdtempSync(path.join(tmpdir(), 'charrette-inbox-'));
  for (let number = 1; number <= 50; number += 1) writeFileSync(path.join(inbox, `${number}.json`), 'broken');
  await leaveMessage(inbox, { type: 'cancel', reason: 'enough' });
  const both = await Promise.all([readMessages(inbox), readMessages(inbox)]);
  expect(both.map(([received]) => received?.message)).toEqual(
    Array(2).fill({ type: 'cancel', reason: 'enough' }),
  );
  expect(readdirSync(inbox).filter((name) => name.endsWith('.bad'))).toHaveLength(50);
});
