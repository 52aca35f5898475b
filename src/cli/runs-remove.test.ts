import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../test/support/run-command-line.ts';
import { writeRun } from '../../test/support/web-run.ts';
import { temporaryRepository } from '../../test/temporary-repository.ts';
import { thisProcess } from '../engine/process-identity.ts';

const repository = temporaryRepository();
const { root } = repository;
const idOf = (name: string) => `20260101-000000-${name}-00000001`;

beforeAll(() => {
  repository.commit('first');
  for (const status of ['paused', 'stopped', 'failed', 'done'] as const)
    writeRun({ run: idOf(status), status }, root);
  writeRun({ run: idOf('live'), status: 'running', process: thisProcess() }, root);
});
afterAll(() => repository.remove());

const runs = (...words: string[]) => runCommandLine('runs', ...words, '--json', '--cwd', root);

test('`prune` removes ended runs alone, `rm` any that nobody works on', async () => {
  const pruned = await runs('prune', '--keep', '0');
  expect(JSON.parse(pruned.out).removed.toSorted()).toEqual([idOf('done'), idOf('failed')]);
  const named = await runs('rm', idOf('paused'), idOf('stopped'));
  expect(JSON.parse(named.out).removed).toEqual([idOf('paused'), idOf('stopped')]);
  const refused = await runs('rm', idOf('live'));
  expect([refused.exit, JSON.parse(refused.out).error.code]).toEqual([2, 'usage']);
});
