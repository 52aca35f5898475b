import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWithDocuments } from '../support/design-project.ts';

const program = path.resolve(import.meta.dirname, '../../bin/charrette');
const run = (cwd: string, ...args: string[]) =>
  spawnSync(process.execPath, [program, ...args], { cwd, encoding: 'utf8' });

test('M-040, A-67: the built program prints the block on stdout and the log on stderr', () => {
  const root = projectWithDocuments({ spec: 'x' });
  expect(run(root, 'context')).toMatchObject({
    status: 0,
    stdout: '## Design Context (from .moai/design/)\n\n> source: .moai/design/spec.md\nx\n',
    stderr: 'design_docs not configured — using defaults\n',
  });
});

test('the quick command can load settings, project specs and the tokenizer on demand', () => {
  const root = projectWithDocuments({ spec: 'x' }, 'design:\n  design_docs: {token_budget: 7}\n');
  expect(run(root, 'context', '--explain', '--exact').stdout).toMatch(/of 7 tokens used.*o200k/s);
  expect(run(root, 'context', '--for', 'plan').stdout).toContain('> source: .moai/design/spec.md');
});

test('survives a reader that closes the pipe early', async () => {
  const root = projectWithDocuments({ spec: 'words\n'.repeat(2_000_000) });
  const child = spawn(process.execPath, [program, 'context', '--budget', '100000000'], { cwd: root });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const [code] = await once(child, 'close');
  expect({ code, errors }).toEqual({ code: 0, errors: 'design_docs not configured — using defaults\n' });
});

test('reports a file of 200 MB and a FIFO in one line each', () => {
  const big = Buffer.alloc(200 * 1024 * 1024, 'line of words\n');
  const root = projectWithDocuments({ spec: big });
  spawnSync('mkfifo', [path.join(root, '.moai/design/system.md')]);
  const { status, stdout } = run(root, 'context');
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /> truncated: spec\.md at char_offset=\d+\n\n> warnings: \[system unreadable: not a regular file\]\n$/,
  );
});
