import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homeOf, runDirectoryOf } from './run-directory.ts';
import { type RunRecord, readRunRecord, updateRunRecord, writeRunRecord } from './run-record.ts';

const record: RunRecord = {
  schemaVersion: 1,
  run: 'one',
  workflow: 'design',
  codeVersion: '1',
  title: '',
  inputs: {},
  status: 'paused',
  created: '2026',
};

test('changes of the record at the same time lost each other: a pause wiped out the process that works on it', async () => {
  const project = mkdtempSync(path.join(tmpdir(), 'charrette-record-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const directory = runDirectoryOf(homeOf(project), 'one');
  mkdirSync(directory.root, { recursive: true });
  await writeRunRecord(directory, record);
  const names = Array.from({ length: 20 }, (_, index) => `field${index}`);
  await Promise.all(names.map((name) => updateRunRecord(directory, { [name]: name })));
  expect(await readRunRecord(directory)).toMatchObject(Object.fromEntries(names.map((name) => [name, name])));
});

test('a change that fails does not keep the next one from being made', async () => {
  const project = mkdtempSync(path.join(tmpdir(), 'charrette-record-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const directory = runDirectoryOf(homeOf(project), 'gone');
  const changes = [
    updateRunRecord(directory, { status: 'running' }),
    updateRunRecord(directory, { status: 'done' }),
  ];
  for (const change of changes) await expect(change).rejects.toMatchObject({ code: 'run-not-found' });
});

test.each([
  ['process', { pnullid: 1, started: '1', host: 'h' }],
  ['process', null],
  ['queue', null],
  ['queue', { labels: [1], yes: true }],
  ['queue', { labels: [], yes: 'yes' }],
  ['baseCommit', 5],
  ['exit', '0'],
  ['error', 'x'],
])('a record whose %s is %j is refused, not taken for what it is not', async (field, value) => {
  const project = mkdtempSync(path.join(tmpdir(), 'charrette-record-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const directory = runDirectoryOf(homeOf(project), 'one');
  mkdirSync(directory.root, { recursive: true });
  writeFileSync(directory.record, JSON.stringify(record));
  expect(await readRunRecord(directory)).toEqual(record);
  writeFileSync(directory.record, JSON.stringify({ ...record, [field]: value }));
  await expect(readRunRecord(directory)).rejects.toMatchObject({ code: 'json-invalid' });
});
