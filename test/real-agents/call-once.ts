/** `node call-once.ts PROGRAM MODEL_URL auto|off PROMPT`: calls a real agent in a separate folder, to be killed by a test. */
import { openBench, type Program } from './harness.ts';

const [program, url = '', jail, prompt = ''] = process.argv.slice(2);
const bench = openBench();
const agent = await bench.agent(program as Program, url, jail === 'off' ? 'off' : 'auto');
process.stdout.write(`${bench.root}\n`);
await bench.call(agent, () => prompt, { access: 'write' });
