// A scripted agent for the `exec` protocol that is caught in the middle of its work: `node faulty-agent.mjs <calls> <mode> <task>`.
// Its first call of that task stops half-way (`halts`), waits for a program of its own (`waits`) or is refused (`busy`); all other
// calls are answered as the panel's scripted agent does. Several agents with one calls file are caught once in all.
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { panelAnswer } from './panel-answers.mjs';

const { CHARRETTE_TASK: task = '', CHARRETTE_SEAT: seat = '', CHARRETTE_ATTEMPT: attempt = '' } = process.env;
const [callsFile, mode, caughtIn] = process.argv.slice(2);
appendFileSync(callsFile, `${task} ${seat} ${attempt}\n`);
const answer = `${JSON.stringify(panelAnswer(task, readFileSync(0, 'utf8'), seat))}\n`;
const isCaught = task === caughtIn && isFirst();

if (isCaught && mode === 'busy') {
  process.stderr.write('rate limit exceeded\n');
  process.exit(1);
}
if (isCaught && mode === 'halts') {
  process.stdout.write(answer.slice(0, answer.length / 2));
  setInterval(() => {}, 1000);
} else {
  if (isCaught && mode === 'waits') {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', `child of ${callsFile}`]);
    await new Promise((resolve) => child.on('exit', resolve));
  }
  process.stdout.write(answer);
}

function isFirst() {
  try {
    writeFileSync(`${callsFile}.caught`, '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
