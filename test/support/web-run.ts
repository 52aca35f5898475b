import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EventBody, RunEvent } from '../../src/engine/event.ts';
import { type Home, homeOf, type RunDirectory, runDirectoryOf } from '../../src/engine/run-directory.ts';
import type { RunRecord } from '../../src/engine/run-record.ts';
import { clearAway } from '../clear-away.ts';

/** A run directory written by hand, for surfaces that only read one. */
export type WrittenRun = {
  home: Home;
  directory: RunDirectory;
  emit: (...bodies: EventBody[]) => void;
  artifact: (name: string, text: string) => void;
  remove: () => void;
};

export const writtenRunId = '20260101-000000-written-00000001';

export function writeRun(record: Partial<RunRecord> = {}, project?: string): WrittenRun {
  const folder = project ?? mkdtempSync(path.join(tmpdir(), 'charrette-web-'));
  const home = homeOf(folder);
  const directory = runDirectoryOf(home, record.run ?? writtenRunId);
  for (const each of [directory.artifacts, directory.lanes, directory.inbox])
    mkdirSync(each, { recursive: true });
  const whole: RunRecord = {
    schemaVersion: 1,
    run: directory.id,
    workflow: 'design',
    codeVersion: '1',
    title: 'a written run',
    inputs: {},
    status: 'done',
    created: '2026-01-01T00:00:00.000Z',
    ...record,
  };
  writeFileSync(directory.record, JSON.stringify(whole));
  writeFileSync(directory.events, '');
  let seq = 0;
  return {
    home,
    directory,
    emit(...bodies) {
      const lines = bodies.map((body) => {
        seq += 1;
        const event: RunEvent = {
          v: 1,
          id: `run:${seq}`,
          run: directory.id,
          seq,
          time: new Date().toISOString(),
          ...body,
        };
        return `${JSON.stringify(event)}\n`;
      });
      appendFileSync(directory.events, lines.join(''));
    },
    artifact: (name, text) => writeFileSync(path.join(directory.artifacts, name), text),
    remove: () => clearAway(folder),
  };
}
