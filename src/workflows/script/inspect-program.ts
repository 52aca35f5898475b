// A separate program: reads {"file", "text"} on stdin and answers with the inspection of that workflow file on stdout. The
// parser is native code, so what others wrote is parsed only here.
import { stripTypeScriptTypes } from 'node:module';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { inspect } from './inspect.ts';

let input = '';
process.stdin.setEncoding('utf8').on('data', (text: string) => {
  input += text;
});
process.stdin.on('end', () => {
  const reading = readJson(input, 100_000_000);
  if (!reading.ok || !isRecord(reading.value)) process.exit(2);
  const { file, text } = reading.value;
  const inspection = inspect(String(file), String(text));
  if (/\.[cm]?ts$/.test(String(file)) && inspection.problems.every(({ kind }) => kind === 'warning'))
    strip(inspection, String(text));
  process.stdout.write(JSON.stringify(inspection));
});

/** W-160: types become spaces. A top-level `return` is only allowed inside a function. */
function strip(inspection: ReturnType<typeof inspect>, text: string): void {
  const [before, after] = ['async function body(){', '}'];
  try {
    const stripped = stripTypeScriptTypes(before + inspection.body + after);
    inspection.body = stripped.slice(before.length, -after.length);
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    // The parser tells the place only here: `:3`, then lines of the text with a mark below.
    const line = Number(/^:(\d+)$/m.exec(stack ?? '')?.[1] ?? 1);
    const mark = /^ *(?=\^)/m.exec(stack ?? '')?.[0].length ?? 0;
    const column = Math.max(0, line === 1 ? mark - before.length : mark) + 1;
    const source = (text.split('\n')[line - 1] ?? '').slice(0, 200);
    const what = 'Only types that can be removed are allowed: no enum, namespace or parameter property';
    inspection.problems.push({
      kind: 'syntax',
      message: `${what} (${message})`,
      ...{ line, column, source },
    });
  }
}
