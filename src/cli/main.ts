import { version } from './version.ts';

// The two answers that must be instant are given before anything else is loaded.
const [first, ...rest] = process.argv.slice(2);
if ((first === '--version' || first === '-V') && rest.length === 0) {
  process.stdout.write(`${version}\n`);
} else {
  const { enableCompileCache } = await import('node:module');
  enableCompileCache?.();
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv.slice(2), process);
}
