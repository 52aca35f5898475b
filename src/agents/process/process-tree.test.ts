import { expect, test } from 'vitest';
import type { ProcessRow } from './process-tree.ts';
import { findTree } from './process-tree.ts';

const row = (pid: number, parent: number, changes: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent,
  group: pid,
  start: `s${pid}`,
  name: 'x',
  ...changes,
});

const root = { leader: 100, leaderStart: 's100', marker: 'm', streams: [], seen: new Map([[300, 's300']]) };
const find = (rows: ProcessRow[], marked: number[] = []) =>
  findTree(root, rows, (pid) => marked.includes(pid)).map((found) => found.pid);

test('finds children in separate groups, marked strays, and known processes', () => {
  const rows = [
    row(1, 0),
    row(100, 1),
    row(101, 100),
    row(102, 101),
    row(200, 1),
    row(300, 1),
    row(301, 300),
    row(400, 1),
  ];
  expect(find(rows, [200])).toEqual([100, 101, 102, 200, 300, 301]);
});

test('a later process with a number of ours is not touched', () => {
  expect(find([row(100, 1, { start: 'later' }), row(101, 100), row(300, 1, { start: 'later' })])).toEqual([]);
});

test('counts members of the group while a process of the lane lives', () => {
  expect(find([row(100, 1), row(150, 1, { group: 100 })])).toEqual([100, 150]);
  expect(find([row(150, 1, { group: 100 })])).toEqual([]);
});

test('processes older than the leader are not even opened', () => {
  const opened: number[] = [];
  const rows = [row(50, 1, { start: '9' }), row(100, 1, { start: '10' }), row(101, 1, { start: '11' })];
  findTree({ ...root, leaderStart: '10' }, rows, (pid) => opened.push(pid) < 0);
  expect(opened).not.toContain(50);
  expect(opened).toContain(101);
});

test('this process and its other children are never part of a lane', () => {
  const rows = [row(process.pid, 1), row(100, process.pid), row(500, process.pid)];
  expect(find(rows, [process.pid])).toEqual([100]);
});
