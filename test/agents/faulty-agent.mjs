// A scripted agent for the `exec` protocol that is caught in the middle of its work: `node faulty-agent.mjs <calls> <mode>`.
// Its first sketch stops half-way (`halts`), waits for a program of its own (`waits`) or is refused (`busy`); all other
// calls are answered as the panel's scripted agent does.
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { panelAnswer } from './panel-answers.mjs';

const { CHARRETTE_TASK: task = '', CHARRETTE_SEAT: seat = '', CHARRETTE_ATTEMPT: attempt = '' } = process.env;
const [callsFile, mode] = process.argv.slice(2);
appendFileSync(callsFile, `${task} ${seat} ${attempt}\n`);
const answer = `${JSON.stringify(panelAnswer(task, readFileSync(0, 'utf8'), seat))}\n`;
const isFirst = task === 'sketch' && attempt === '1';

if (isFirst && mode === 'busy') {
  process.stderr.write('rate limit exceeded\n');
  process.exit(1);
}
if (isFirst && mode === 'halts') {
  process.stdout.write(answer.slice(0, answer.length / 2));
  setInterval(() => {}, 1000);
} else {
  if (isFirst && mode === 'waits') {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', `child of ${callsFile}`]);
    await new Promise((resolve) => child.on('exit', resolve));
  }
  process.stdout.write(answer);
}
