import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isRecord, readJson } from '../base/safe-json.ts';
import { toLines } from '../base/text/labelled-block.ts';
import type { ParserVerdict } from './diagram.ts';

const wallMs = 20_000;
const maximumOutput = 64 * 1024;

/** The parser program: the built file, which starts three times as fast, or the source next to this file. */
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

export type FenceHeading = 'architecture' | 'code-flow' | 'unknown';

type MermaidFence = {
  /** The lines between opener and closer. */
  lines: string[];
  heading: FenceHeading;
  closed: boolean;
};

type OpenFence = { mark: string; length: number; mermaid: MermaidFence | undefined };

/** L-751: every mermaid fence of a document; fences inside another open fence are content. An unclosed one runs to the end. */
export function mermaidFences(text: string): MermaidFence[] {
  const fences: MermaidFence[] = [];
  const outside: string[] = [];
  let open: OpenFence | undefined;
  for (const line of toLines(text)) {
    if (open) {
      if (closes(line, open)) {
        if (open.mermaid) open.mermaid.closed = true;
        open = undefined;
      } else open.mermaid?.lines.push(line);
      continue;
    }
    open = opens(line, outside);
    if (open?.mermaid) fences.push(open.mermaid);
    else if (!open && line.trim() !== '') outside.push(line);
  }
  return fences;
}

/** Up to three spaces, three or more marks, an info string; an info string after backticks has no backtick. */
function opens(line: string, outside: readonly string[]): OpenFence | undefined {
  const match = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
  const [, marks = '', info = ''] = match ?? [];
  const mark = marks[0];
  if (mark === undefined || (mark === '`' && info.includes('`'))) return undefined;
  const mermaid = info.trim().toLowerCase() === 'mermaid';
  return {
    mark,
    length: marks.length,
    mermaid: mermaid ? { lines: [], heading: headingOf(outside), closed: false } : undefined,
  };
}

function closes(line: string, { mark, length }: OpenFence): boolean {
  const marks = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return marks !== undefined && marks[0] === mark && marks.length >= length;
}

/** L-756: the heading among the last five non-blank lines before the fence. */
function headingOf(outside: readonly string[]): FenceHeading {
  const near = outside.slice(-5).map((line) => line.trim().toLowerCase());
  if (near.includes('## code flow diagram')) return 'code-flow';
  return near.includes('## architecture diagram') ? 'architecture' : 'unknown';
}
