import { expect, test, vi } from 'vitest';
import type { Snapshot } from '../../src/surfaces/web/snapshot.ts';
import { RunStore } from './run-store.ts';
import type { Source, Watcher } from './source.ts';

test('files that could not be read while the server was away are read when it is back', async () => {
  let away = true;
  let watcher: Watcher | undefined;
  const source = {
    async snapshot() {
      if (away) throw new Error('The server cannot be reached.');
      return { title: 'here' } as Snapshot;
    },
    watch(_run: string, given: Watcher) {
      watcher = given;
      return () => {};
    },
  } as Partial<Source> as Source;
  const store = new RunStore(source, 'r');
  store.open();
  await vi.waitFor(() => expect(store.problem).toBe('The server cannot be reached.'));
  away = false;
  watcher?.connected(true);
  await vi.waitFor(() => expect(store.snapshot?.title).toBe('here'));
  expect(store.problem).toBeUndefined();
  store.close();
});
