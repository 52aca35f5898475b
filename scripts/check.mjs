// Everything that can be said about the code without running it. All checks run, also after one has failed.
import { spawnSync } from 'node:child_process';

const checks = [
  ['types', 'tsc', []],
  ['types of the page', 'tsc', ['-p', 'web']],
  ['types of the examples', 'tsc', ['-p', 'examples/library']],
  ['types of workflow files', 'tsc', ['-p', 'examples/workflows']],
  ['format and lint', 'biome', ['check', '.']],
  ['unused code', 'knip', []],
  ['code that only tests use', 'knip', ['--production', '--include', 'files,exports,types']],
  ['package', 'publint', ['--strict']],
];

const failed = checks.filter(([title, program, args]) => {
  process.stdout.write(`== ${title}\n`);
  return spawnSync(program, args, { stdio: 'inherit' }).status !== 0;
});
for (const [title, program, args] of failed)
  process.stdout.write(`failed: ${title} (${[program, ...args].join(' ')})\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
