// A separate program: reads lines of {"files": [{path, text}], "declare": boolean} on stdin and answers each with a line on
// stdout, after a first one when it is ready. It parses with less stack than others have: what fits here fits there, and what
// does not fit ends only this process.
import { Worker } from 'node:worker_threads';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { parseDeclarations, readModuleLinks } from './parse-script.ts';
import type { ScriptAnswer, ScriptRequest } from './script-reader.ts';

/** Unused arguments: they take 2 MB of the stack, twice what JavaScript ever uses of it. */
const ballast = new Array<unknown>(262_144);

let watched = false;
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text: string) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) respond(line);
});
process.stdin.on('end', () => process.exit(0));
process.stdout.write('[]\n');

function respond(line: string): void {
  const reading = readJson(line, 100_000_000);
  if (!reading.ok || !isRecord(reading.value)) process.exit(2);
  if (!watched) watchParent();
  watched = true;
  const request = reading.value as unknown as ScriptRequest;
  ballast[0] = () => process.stdout.write(`${JSON.stringify(answer(request))}\n`);
  Reflect.apply((run: () => void) => run(), undefined, ballast);
}

function answer({ files, declare = false }: ScriptRequest): ScriptAnswer[] {
  return files.map(({ path, text }) => {
    const started = performance.now();
    const links = readModuleLinks(path, text);
    const milliseconds = Math.round(performance.now() - started);
    return { links, milliseconds, ...(declare ? { declarations: parseDeclarations(path, text) } : {}) };
  });
}

/** The parent may be killed while the parser hangs: then a thread ends this process. */
function watchParent(): void {
  const watch = `const parent = process.ppid;
    setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 1000);`;
  new Worker(watch, { eval: true }).unref();
}
