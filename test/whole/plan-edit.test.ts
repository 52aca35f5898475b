import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { artifactsOf, charrette, makeProject, runsOf } from '../support/program.ts';

const solo = ['design', '--auto', '--yes', '--no-branch', '--solo'];

test('L-426, panel/C-11: what a person did since the design is theirs: `plan edit` neither asks about it nor touches it', async () => {
  const { project } = await makeProject();
  expect((await charrette([...solo, 'add rate limiting'], { cwd: project })).code).toBe(0);
  const [run = ''] = runsOf(project);
  const mine = (name: string) => path.join(project, name);
  const text = artifactsOf(project, run)['plan.txt']?.replace('per client', 'per address') ?? '';
  writeFileSync(mine('plan.txt'), text);
  writeFileSync(mine('notes.md'), 'mine\n');
  writeFileSync(mine('README.md'), '# changed by me\n');
  const ended = await charrette(['plan', 'edit', 'latest', '--file', 'plan.txt'], { cwd: project });
  expect(ended.code).toBe(0);
  expect(ended.stderr).not.toContain('changed the working tree');
  expect(readFileSync(mine('plan.txt'), 'utf8')).toBe(text);
  expect(readFileSync(mine('notes.md'), 'utf8')).toBe('mine\n');
  expect(readFileSync(mine('README.md'), 'utf8')).toBe('# changed by me\n');
  const edited = runsOf(project).find((id) => id !== run) ?? '';
  expect(artifactsOf(project, edited)['plan.txt']).toContain('per address');
});

test('L-046, L-047, L-048, L-790, panel/C-17: editing the plan of a nested design is a separate run: it prints, and keeps the files of the caller and --out', async () => {
  const { project } = await makeProject();
  const caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  const session = path.join(caller, 'session.env');
  writeFileSync(session, '');
  const out = path.join(caller, 'out');
  const nested = ['--session-env', session, '--step-prefix', '1.::design plan', '--out', out];
  expect((await charrette([...solo, ...nested, 'add rate limiting'], { cwd: project })).code).toBe(0);
  const manifest = () => charrette(['plan', 'manifest', caller], { cwd: project });
  const before = (await manifest()).stdout;
  expect(before).toContain('MANIFEST_OK=true');
  const copied = readFileSync(path.join(out, 'plan.txt'), 'utf8');
  const ended = await charrette(['plan', 'edit', 'latest', '--comment', 'keep it small'], { cwd: project });
  expect(ended.code).toBe(0);
  expect(ended.stdout).toContain('## Implementation Plan');
  expect(ended.stderr).toMatch(/^✅ 5: cleanup — design complete!/m);
  expect((await manifest()).stdout).toBe(before);
  expect(existsSync(path.join(caller, 'design-export', 'manifest.env.stale'))).toBe(false);
  expect(readFileSync(path.join(out, 'plan.txt'), 'utf8')).toBe(copied);
});
