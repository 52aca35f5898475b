import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeExampleRepository } from '../../scripts/example-repository.mjs';
import { artifactsOf, charrette, runsOf } from '../support/program.ts';

const agent = path.resolve(import.meta.dirname, '..', 'agents', 'text-agent.mjs');

test('L-369, L-379, L-502, L-518, L-590, L-638, F-23: a panel of agents that answer in plain text comes to a voted plan', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-text-'));
  const [project, calls] = [path.join(folder, 'shop'), path.join(folder, 'calls.txt')];
  makeExampleRepository(project);
  mkdirSync(path.join(project, '.charrette'));
  const one = { protocol: 'exec', command: ['node', agent, calls] };
  const agents = {
    one: { ...one, family: 'one' },
    two: { ...one, family: 'two' },
    three: { ...one, family: 'three' },
  };
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify({ detect: false, agents }));
  const ended = await charrette(['design', '--auto', '--yes', '--no-branch', 'add rate limiting'], {
    cwd: project,
  });
  expect(ended.stderr).toContain('design complete!');
  expect(ended.code).toBe(0);
  const [run = ''] = runsOf(project);
  const artifacts = artifactsOf(project, run);
  expect(artifacts['contested-decisions.md']).toContain('### DECISION_1: Where the bucket lives');
  expect(artifacts['dialectic-resolutions.md']).toContain('**Disposition**: voted');
  expect(artifacts['accepted-plan-findings.md']).toContain('### FINDING_1');
  expect(artifacts['plan.txt']).toContain('A configurable token bucket');
  expect(artifacts['architecture-diagram.md']).toContain('client --> limit --> router');

  // Text answers are paid for once; questions without an answer are asked again.
  const starts = () => readFileSync(calls, 'utf8').trimEnd().split('\n');
  const before = starts();
  expect(before).toEqual(expect.arrayContaining(['sketch', 'judge', 'plan', 'vote']));
  const again = await charrette(
    ['design', '--auto', '--yes', '--no-branch', '--from-run', run, 'add rate limiting'],
    { cwd: project },
  );
  expect(again.code).toBe(0);
  expect(new Set(starts().slice(before.length))).toEqual(new Set(['merge-findings', 'repair']));
  const [, second = ''] = runsOf(project);
  expect(artifactsOf(project, second)['plan.txt']).toBe(artifacts['plan.txt']);
});
