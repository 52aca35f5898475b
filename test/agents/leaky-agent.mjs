// Says its whole environment and its arguments on both streams before it answers like the panel's agent. The file CALLS.keys gets the
// last argument: what it was really given.
import { appendFileSync } from 'node:fs';

const { argv, env } = process;
appendFileSync(`${argv[2]}.keys`, `${argv.at(-1)}\n`);
process.stderr.write(`${JSON.stringify(env)} ${argv.join(' ')}\n`);
process.stdout.write(`I was given ${Object.values(env).join(' ')} ${argv.join(' ')}\n`);
await import('./panel-agent.mjs');
