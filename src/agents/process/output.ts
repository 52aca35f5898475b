import { type FileHandle, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { parseEnv } from 'node:util';
import { readTextFile } from '../../base/files/bounded.ts';
import {
  addressCredentials,
  redactCommand,
  redactionMark,
  redactSetting,
  unfinishedAddressLength,
  withoutAddressCredentials,
} from '../../base/text/secrets.ts';
import { recordsAround } from '../settings.ts';

/** Cuts a stream of bytes into lines and holds at most one line in memory. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #limit: number;
  readonly #onLine: (line: string) => void;
  #held = '';
  #skipping = false;

  constructor(limit: number, onLine: (line: string) => void) {
    this.#limit = limit;
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    this.#take(this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
  }

  /** The last line may lack its end. */
  end(): void {
    this.#take(this.#decoder.end());
    if (this.#held !== '' && !this.#skipping) this.#onLine(this.#held);
    this.#held = '';
  }

  #take(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const line = this.#held + text.slice(from, end);
      if (!this.#skipping && line.length <= this.#limit) this.#onLine(line.replace(/\r$/, ''));
      this.#held = '';
      this.#skipping = false;
      from = end + 1;
    }
    if (this.#skipping) return;
    this.#held += text.slice(from);
    if (this.#held.length > this.#limit) {
      this.#held = '';
      this.#skipping = true;
    }
  }
}

/** Counts what both streams of a process have written against one bound. */
export class OutputBudget {
  readonly #limit: number;
  used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How much of the chunk may still be kept; fewer bytes than it has means the bound is reached. */
  take(bytes: number): number {
    const kept = Math.max(0, Math.min(bytes, this.#limit - this.used));
    this.used += bytes;
    return kept;
  }

  get exhausted(): boolean {
    return this.used > this.#limit;
  }
}

/** Records a stream to a file and hands its bytes on; the file sets the pace, so memory stays bounded. */
export async function recordStream(options: {
  stream: Readable;
  file: string;
  budget: OutputBudget;
  /** Never written, never handed on. */
  secrets: readonly string[];
  onBytes: (chunk: Uint8Array) => void;
  onExhausted: () => void;
}): Promise<void> {
  const { stream, file, budget, secrets, onBytes, onExhausted } = options;
  const redactor = new Redactor(secrets);
  // When a process exits, Node drains a stream without listeners; this keeps it until the file is open.
  stream.on('readable', () => {});
  const handle: FileHandle = await open(file, 'w');
  // Leaving the loop destroys the stream, so what went wrong here is kept apart from how the stream ended.
  let failure: { error: unknown } | undefined;
  const keep = async (bytes: Uint8Array) => {
    if (bytes.byteLength === 0) return;
    await handle.write(bytes);
    onBytes(bytes);
  };
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      try {
        await keep(redactor.push(chunk.subarray(0, budget.take(chunk.byteLength))));
        if (budget.exhausted) onExhausted();
      } catch (error) {
        failure = { error };
        break;
      }
    }
  } catch (error) {
    if (!stream.destroyed) failure ??= { error };
  }
  try {
    if (failure === undefined) await keep(redactor.end());
  } catch (error) {
    failure = { error };
  } finally {
    await handle.close();
  }
  if (failure !== undefined) throw failure.error;
}

/** Keeps the last part of a text stream, for messages. */
export class Tail {
  readonly #decoder = new StringDecoder('utf8');
  readonly #limit: number;
  #text = '';

  constructor(limit = 4000) {
    this.#limit = limit;
  }

  push(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.write(Buffer.from(chunk))).slice(-this.#limit);
  }

  get text(): string {
    return this.#text;
  }
}

/** Larger ones hold no keys. */
const largest = 256 * 1024;
/** `.env`, `.env.local`; templates hold placeholders. */
const environmentFile = /^\.env(?:\.(?!example$|sample$|template$|dist$)[\w-]+)*$/;
/** Words, alone or joined: redacting `postgres` everywhere would make answers unreadable. */
const words = /^[\p{L}]+(?:[\s._-]+[\p{L}]+)*$/u;

/**
 * Secrets that an agent may find where it works without being given them: in `.env` files at the top of the project and in
 * the environment of this process. No other files of keys are opened for this.
 */
export async function secretsAround(
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const records = recordsAround(directory);
  const places = [directory, ...(records === undefined ? [] : [path.dirname(records)])];
  const files = await Promise.all(
    places.map(async (place) => {
      const names = (await readdir(place).catch(() => [])).filter((name) => environmentFile.test(name));
      return Promise.all(names.map((name) => textOf(path.join(place, name))));
    }),
  );
  const variables = files.flat().flatMap((text) => Object.entries(parseEnv(text)));
  const found = [...variables, ...Object.entries(environment)].flatMap(([name, value = '']) =>
    secretsIn({ [name]: value }),
  );
  // Each line of a multi-line value, such as a private key, counts separately.
  const lines = found.flatMap((secret) => secret.split(/\r?\n/)).map((line) => line.trim());
  return [...new Set(lines)].filter(
    (line) => line.length >= shortestSecret && !words.test(line) && !line.includes('${'),
  );
}

async function textOf(file: string): Promise<string> {
  return (await readTextFile(file, largest).catch(() => undefined)) ?? '';
}

/** Shorter values are words; redacting them would make answers unreadable. */
const shortestSecret = 8;

/** What a program is given that is secret: the longest first, so that one that contains another goes whole. */
export function secretsIn(
  variables: Readonly<Record<string, string>>,
  command: readonly string[] = [],
): string[] {
  const given = Object.entries(variables).flatMap(([name, value]) => redactSetting(name, value).secrets);
  const long = [...given, ...redactCommand(command).secrets].filter(
    (secret) => secret.length >= shortestSecret,
  );
  return longestFirst(long);
}

/** Each once, so that one that contains another goes whole. */
export function longestFirst(secrets: readonly string[]): string[] {
  return [...new Set(secrets)].sort((left, right) => right.length - left.length);
}

/** In plain form, and escaped as in a line of JSON and in a JSON answer on such a line. */
export function asSaid(secrets: readonly string[]): string[] {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
  return longestFirst(secrets.flatMap((secret) => [secret, quoted(secret), quoted(quoted(secret))]));
}

/** A text without any of them, and without passwords in addresses. */
export function redact(secrets: readonly string[], text: string): string {
  return withoutAddressCredentials(
    secrets.reduce((left, secret) => left.replaceAll(secret, redactionMark), text),
  );
}

/**
 * Redacts secrets and passwords in addresses in streamed text, also where a piece ends in the middle of one. What may still become a secret is
 * held unredacted: a whole shorter one may be the beginning of a longer one.
 */
export class TextRedactor {
  readonly #secrets: readonly string[];
  #held = '';
  /** How many held characters belong to a secret whose mark was already emitted. */
  #marked = 0;
  /** Whether anything was redacted so far. */
  found = false;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  push(piece: string): string {
    const text = this.#held + piece;
    return this.#tell(text, text.length - this.#unfinished(text));
  }

  /** What is left when nothing follows. */
  end(): string {
    return this.#tell(this.#held, this.#held.length);
  }

  /** Tells a text up to a place and holds the rest. Every secret that begins before that place must be whole. */
  #tell(text: string, until: number): string {
    let told = '';
    let next = this.#marked;
    const found = [...occurrences(this.#secrets, text), ...addressCredentials(text)];
    for (const { start, end } of found.sort((left, right) => left.start - right.start)) {
      if (start >= until) break;
      this.found = true;
      // Overlapping secrets share one mark.
      if (start >= next) told += text.slice(next, start) + redactionMark;
      next = Math.max(next, end);
    }
    told += text.slice(next, Math.max(next, until));
    this.#held = text.slice(until);
    this.#marked = Math.max(0, next - until);
    return told;
  }

  /** How many characters at the end may be the beginning of a secret. */
  #unfinished(text: string): number {
    return Math.max(unfinishedAddressLength(text), ...this.#secrets.map((secret) => overlap(text, secret)));
  }
}

/** The same for a stream of bytes. */
export class Redactor {
  readonly #text: TextRedactor;

  constructor(secrets: readonly string[]) {
    // Bytes as characters: what is not text passes unchanged.
    const bytes = secrets.map((secret) => Buffer.from(secret, 'utf8').toString('latin1'));
    this.#text = new TextRedactor(bytes);
  }

  push(chunk: Uint8Array): Uint8Array {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    return Buffer.from(this.#text.push(bytes.toString('latin1')), 'latin1');
  }

  end(): Uint8Array {
    return Buffer.from(this.#text.end(), 'latin1');
  }
}

/** The places of secrets in a text, in order, also overlapping ones. */
function occurrences(secrets: readonly string[], text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const secret of secrets)
    for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + 1))
      found.push({ start, end: start + secret.length });
  return found;
}

/** How much of the end of a text is the beginning of a secret; only places with its first character are checked. */
function overlap(text: string, secret: string): number {
  const first = secret.charAt(0);
  let at = text.indexOf(first, Math.max(0, text.length - secret.length + 1));
  while (at !== -1 && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at === -1 ? 0 : text.length - at;
}
