import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readJson } from '../../base/safe-json.ts';
import { type Declaration, type ModuleLinks, matchModuleLinks } from './parse-script.ts';

type Script = { path: string; text: string };

export type ScriptRequest = { files: readonly Script[]; declare?: boolean };

export type ScriptAnswer = { links: ModuleLinks; milliseconds: number; declarations?: Declaration[] };

/** How a script was read: `parsed` is also safe to parse in this process, `matched` is not. */
export type ScriptReading = { basis: 'parsed' | 'matched'; links: ModuleLinks };

/** Reads scripts in a separate process, which may crash or hang without harm. */
export type ScriptReader = {
  read(files: readonly Script[]): Promise<ReadonlyMap<string, ScriptReading>>;
  close(): void;
};

/** What a reader puts up with. */
export type Patience = {
  /** For a batch or a file; a file of this size takes milliseconds. */
  milliseconds: number;
  /** Files that end the process before the rest is read by word rules: each costs a start, or the time limit. */
  failures: number;
};

const patience: Patience = { milliseconds: 10_000, failures: 4 };
/** How long a process may take until it is ready; processors may be shared with others. */
const startMilliseconds = 30_000;
/** Characters that are handed over at once. */
const batchSize = 128_000;
/** What takes longer is not parsed again in this process. */
const quickMilliseconds = 1_000;

/** Kilobytes of stack that JavaScript may use in the other process, which takes some away to parse with less than we have. */
const stack = '--stack-size=4000';

const places = import.meta.url.endsWith('.ts')
  ? ['./script-program.ts']
  : ['./script-program.js', '../script-program.js'];

/**
 * Starts the process that parses JavaScript and TypeScript. A file that ends it, or takes it too long, is read by word rules
 * instead; the others go to a new one.
 */
export function startScriptReader({ milliseconds, failures }: Patience = patience): ScriptReader {
  let line = startLine();
  let left = failures;
  const ask = async (files: readonly Script[]): Promise<ScriptAnswer[] | undefined> => {
    if (left <= 0) return undefined;
    line ??= startLine();
    const answers = await line?.ask({ files }, milliseconds);
    if (answers !== undefined) return answers;
    line?.close();
    line = undefined;
    if (files.length === 1) left -= 1;
    return undefined;
  };
  return {
    async read(files) {
      const readings = new Map<string, ScriptReading>();
      for (const batch of batchesOf(files)) {
        const together = await ask(batch);
        for (const [index, script] of batch.entries()) {
          const own = together?.[index] ?? (batch.length > 1 ? (await ask([script]))?.[0] : undefined);
          readings.set(script.path, readingOf(script, own));
        }
      }
      return readings;
    },
    close: () => line?.close(),
  };
}

/** Declarations of one script, parsed in a separate process; none if that ends without an answer. */
export function declareAside(script: Script): Declaration[] {
  const program = findProgram();
  if (program === undefined) return [];
  const { status, stdout } = spawnSync(process.execPath, [stack, program], {
    input: `${JSON.stringify({ files: [script], declare: true } satisfies ScriptRequest)}\n`,
    env: environment(),
    stdio: ['pipe', 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: startMilliseconds,
    killSignal: 'SIGKILL',
    maxBuffer: 64_000_000,
  });
  return status === 0
    ? (readAnswers(stdout.trimEnd().split('\n').at(-1) ?? '')?.[0]?.declarations ?? [])
    : [];
}

function readingOf({ text }: Script, answer: ScriptAnswer | undefined): ScriptReading {
  if (answer === undefined) return { basis: 'matched', links: matchModuleLinks(text) };
  const basis = answer.milliseconds <= quickMilliseconds ? 'parsed' : 'matched';
  return { basis, links: answer.links };
}

/** Files in their order, together as long as they are small. */
function batchesOf(files: readonly Script[]): Script[][] {
  const batches: Script[][] = [];
  let [batch, size]: [Script[], number] = [[], 0];
  for (const file of files) {
    if (batch.length > 0 && size + file.text.length > batchSize) {
      batches.push(batch);
      [batch, size] = [[], 0];
    }
    batch.push({ path: file.path, text: file.text });
    size += file.text.length;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

type Line = {
  /** The answer, or nothing when the process ended or was too slow. */
  ask(request: ScriptRequest, milliseconds: number): Promise<ScriptAnswer[] | undefined>;
  close(): void;
};

/** A running program to which one question is put at a time. */
function startLine(): Line | undefined {
  const program = findProgram();
  if (program === undefined) return undefined;
  const child = spawn(process.execPath, [stack, program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: environment(),
  });
  let settle: (answer: string | undefined) => void = () => undefined;
  let ended = false;
  let pieces: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    pieces.push(text);
    if (!text.endsWith('\n')) return;
    const answer = pieces.join('');
    pieces = [];
    settle(answer);
  });
  child.stdin.on('error', () => undefined);
  const end = () => {
    ended = true;
    settle(undefined);
  };
  child.on('error', end);
  child.on('close', end);
  const next = (milliseconds: number) =>
    new Promise<string | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), milliseconds);
      settle = (answer) => {
        clearTimeout(timer);
        resolve(answer);
      };
      if (ended) settle(undefined);
    });
  const ready = next(startMilliseconds);
  return {
    async ask(request, milliseconds) {
      if ((await ready) === undefined) return undefined;
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const text = await next(milliseconds);
      return text === undefined ? undefined : readAnswers(text);
    },
    close: () => stop(child),
  };
}

function stop(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.kill('SIGKILL');
}

/** The other end is our own program. */
function readAnswers(text: string): ScriptAnswer[] | undefined {
  const reading = readJson(text, 100_000_000);
  return reading.ok && Array.isArray(reading.value) ? (reading.value as ScriptAnswer[]) : undefined;
}

function findProgram(): string | undefined {
  return places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((file) => existsSync(file));
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '' };
}
