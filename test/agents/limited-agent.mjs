// limited-agent.mjs <calls> <home> <task> <command…>: an agent whose account is used up at its first attempt at a task, and in front of
// another one. It refuses while no mark of a used-up account is in the home; the mark says that it was heard.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const { CHARRETTE_TASK: task = '', CHARRETTE_SEAT: seat = '', CHARRETTE_ATTEMPT: attempt = '' } = process.env;
const [calls = '', home = '', limitedTask, command = '', ...words] = process.argv.slice(2);
const accounts = path.join(home, '.local', 'state', 'charrette', 'accounts');
const isMarked = existsSync(accounts) && readdirSync(accounts).some((name) => name.endsWith('.json'));
const prompt = readFileSync(0);
if (task === limitedTask && attempt === '1' && !isMarked) {
  const digest = createHash('sha256').update(prompt).digest('hex');
  appendFileSync(calls, `${task} ${seat} ${attempt} ${digest}\n`);
  process.stderr.write('402 You have no quota. It resets in 1s.\n');
  process.exitCode = 1;
} else {
  const { status } = spawnSync(command, words, { input: prompt, stdio: ['pipe', 'inherit', 'inherit'] });
  process.exitCode = status ?? 1;
}
