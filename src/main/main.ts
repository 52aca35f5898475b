import { version } from '../base/version.ts';

// The answer that must be instant is given before anything else is loaded.
const [first, ...rest] = process.argv.slice(2);
if ((first === '--version' || first === '-V') && rest.length === 0) {
  process.stdout.write(`${version}\n`);
} else {
  const { enableCompileCache } = await import('node:module');
  enableCompileCache?.();
  // Deprecations inside libraries do not concern users of a command.
  process.noDeprecation = true;
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv.slice(2), process);
  // Whatever a library left open must not keep a finished command from ending.
  setTimeout(() => process.exit(), 1000).unref();
}
