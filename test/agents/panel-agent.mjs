// A scripted agent for the `exec` protocol: answers every task of the panel with the same words each time.
// It appends one line per call to its calls file, and can be told to be slow, to fail a task, to have questions (`asks`) or to be silent at first (`moody`).
// A task named in a file CALLS.hold stays under way until that file is gone or names another.
// Where there is a file CALLS.spans, the beginning and the end of each call are appended to it, in their order.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { isHeld } from './hold.mjs';
import { panelAnswer } from './panel-answers.mjs';

const { CHARRETTE_TASK: task = '', CHARRETTE_SEAT: seat = '', CHARRETTE_ATTEMPT: attempt = '' } = process.env;
const [callsFile, delay, failTask, mode] = process.argv.slice(2);
if (callsFile) appendFileSync(callsFile, `${task} ${seat} ${attempt}\n`);
const tellSpan = (edge) =>
  existsSync(`${callsFile}.spans`) && appendFileSync(`${callsFile}.spans`, `${edge} ${task}\n`);
tellSpan('begin');
const prompt = readFileSync(0, 'utf8');
if (Number(delay) > 0 && !existsSync(`${callsFile}.hurry`))
  await new Promise((resolve) => setTimeout(resolve, Number(delay)));
while (callsFile && isHeld(callsFile, task)) await new Promise((resolve) => setTimeout(resolve, 20));
// `vote` fails a task, `vote!author` fails it on every seat but one.
if (failTask === task || (failTask?.startsWith(`${task}!`) && failTask !== `${task}!${seat}`)) {
  process.stderr.write('told to fail\n');
  process.exit(3);
}

const answer = panelAnswer(task, prompt, seat, mode);
// Once silent, then with words around the payload.
if (mode === 'moody' && attempt === '1') process.exit(0);
if (mode === 'moody') process.stdout.write('Sure, here is what you asked for:\n\n');
if (answer === undefined) {
  process.stderr.write(`no answer for the task ${task}\n`);
  process.exit(4);
}
tellSpan('end');
process.stdout.write(`${JSON.stringify(answer)}\n`);
