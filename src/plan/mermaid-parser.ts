import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isRecord, readJson } from '../base/safe-json.ts';
import type { ParserVerdict } from './diagram.ts';

const wallMs = 20_000;
const maximumOutput = 64 * 1024;

/** Where the parser program is: one file of the build, which starts three times as fast, or beside this file. */
const places = import.meta.url.endsWith('.ts')
  ? ['../../dist/mermaid-program.js', './mermaid-program.ts']
  : ['./mermaid-program.js', '../mermaid-program.js'];

/** L-760: parses a diagram with the real mermaid parser in a short-lived process. What cannot be run is `unavailable`, never `ok`. */
export function parseMermaid(mermaid: string): Promise<ParserVerdict> {
  const program = places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((file) => existsSync(file));
  if (program === undefined) {
    return Promise.resolve({
      kind: 'unavailable',
      message: 'the mermaid parser is not part of this installation',
    });
  }
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--max-old-space-size=512', program], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '' },
      timeout: wallMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < maximumOutput) output += text;
    });
    child.on('error', (error) => resolve({ kind: 'unavailable', message: error.message }));
    child.on('close', (code, signal) => resolve(readVerdict(output, code, signal)));
    child.stdin.on('error', () => undefined);
    child.stdin.end(mermaid);
  });
}

function readVerdict(output: string, code: number | null, signal: NodeJS.Signals | null): ParserVerdict {
  const reading = readJson(output, maximumOutput * 2);
  if (!reading.ok || !isRecord(reading.value)) {
    return {
      kind: 'unavailable',
      message: `the mermaid parser ended without a verdict (${signal ?? `exit ${code}`})`,
    };
  }
  if (reading.value['ok'] === true) return { kind: 'ok' };
  return { kind: 'error', message: String(reading.value['message'] ?? 'not understood') };
}
