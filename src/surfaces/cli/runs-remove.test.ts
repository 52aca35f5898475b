import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { writeRun } from '../../../test/support/web-run.ts';
import { temporaryRepository } from '../../../test/temporary-repository.ts';
import { thisProcess } from '../../engine/lock.ts';

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

test('`prune` removes only ended runs; `rm` removes any run that is not running', async () => {
  const pruned = await runs('prune', '--keep', '0');
  expect(JSON.parse(pruned.out).removed.toSorted()).toEqual([idOf('done'), idOf('failed')]);
  const named = await runs('rm', idOf('paused'), idOf('stopped'));
  expect(JSON.parse(named.out).removed).toEqual([idOf('paused'), idOf('stopped')]);
  const refused = await runs('rm', idOf('live'));
  expect([refused.exit, JSON.parse(refused.out).error.code]).toEqual([2, 'usage']);
});

test('branches of designs without own commits are deleted with --yes, and only named otherwise', async () => {
  const main = repository.git('rev-parse', 'HEAD');
  const design = (name: string, branch: { name: string; created?: boolean }) =>
    writeRun(
      { run: idOf(name), status: 'done', branch: { created: true, previous: 'main', ...branch } },
      root,
    );
  const made = (name: string) => repository.git('branch', name, 'main');
  const exists = (name: string) => repository.git('branch', '--list', name) !== '';
  for (const name of ['ann/spare', 'ann/used', 'ann/older', 'ann/here', 'ann/named']) made(name);
  repository.git('switch', '--quiet', 'ann/used');
  repository.commit('own work');
  repository.git('switch', '--quiet', 'ann/here');
  design('a', { name: 'ann/spare' });
  design('b', { name: 'ann/used' });
  design('c', { name: 'ann/older', created: false });
  design('d', { name: 'ann/here' });
  design('e', { name: '--force' });
  design('f', { name: 'ann/named' });
  const unasked = JSON.parse((await runs('rm', idOf('f'))).out);
  expect(unasked.designBranches).toEqual({ deleted: [], spare: ['ann/named'] });
  const ids = ['a', 'b', 'c', 'd', 'e'].map(idOf);
  const { designBranches } = JSON.parse((await runs('rm', ...ids, '--yes')).out);
  expect(designBranches).toEqual({ deleted: ['ann/spare'], spare: [] });
  expect(['spare', 'used', 'older', 'here', 'named'].filter((name) => exists(`ann/${name}`))).toEqual([
    'used',
    'older',
    'here',
    'named',
  ]);
  expect(repository.git('rev-parse', 'main')).toBe(main);
});

test('a branch that holds only the merge a design made is spare', async () => {
  repository.git('switch', '--quiet', '--create', 'ann/merged', 'main');
  repository.commit('merge of main and its remote');
  const merge = repository.git('rev-parse', 'HEAD');
  repository.git('switch', '--quiet', 'main');
  const branch = { name: 'ann/merged', created: true, previous: 'main', merge };
  writeRun({ run: idOf('m'), status: 'done', branch }, root);
  const pruned = JSON.parse((await runs('prune', '--keep', '0', '--yes')).out);
  expect(pruned.designBranches).toEqual({ deleted: ['ann/merged'], spare: [] });
});
