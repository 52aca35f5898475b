// `node scripts/run.mjs <command> [args…]`: sets up if needed, then runs the command on the checkout's own Node. Tools that
// read only the sources do not wait for a build.
import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { currentNode, setUp } from './setup.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [command, ...args] = process.argv.slice(2);
/** These read only the sources. */
const sourceTools = ['tsc', 'biome', 'knip'];
setUp({ built: !sourceTools.includes(command) });
const path = [`${root}node_modules/node/bin`, `${root}node_modules/.bin`, process.env.PATH].join(delimiter);
const child = spawn(command === 'node' ? currentNode : command, args, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: path },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  process.exitCode = signal ? 1 : (code ?? 1);
});
