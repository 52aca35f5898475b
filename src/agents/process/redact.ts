import { blot, blotCommand, blotSetting } from '../../text/secrets.ts';

/** Shorter values are words; blotting them out would spoil what an agent says. */
export const shortestSecret = 8;

/** What a program is given that is secret: the longest first, so that one that contains another goes whole. */
export function secretsIn(
  variables: Readonly<Record<string, string>>,
  command: readonly string[] = [],
): string[] {
  const given = Object.entries(variables).flatMap(([name, value]) => blotSetting(name, value).secrets);
  const long = [...given, ...blotCommand(command).secrets].filter(
    (secret) => secret.length >= shortestSecret,
  );
  return longestFirst(long);
}

/** Each once, so that one that contains another goes whole. */
export function longestFirst(secrets: readonly string[]): string[] {
  return [...new Set(secrets)].sort((left, right) => right.length - left.length);
}

/** As a text has them, and as they stand in a line of JSON and in an answer of JSON on such a line. */
export function asSaid(secrets: readonly string[]): string[] {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
  return longestFirst(secrets.flatMap((secret) => [secret, quoted(secret), quoted(quoted(secret))]));
}

/** A text without any of them. */
export function blotOut(secrets: readonly string[], text: string): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, blot), text);
}

/** Blots secrets out of a text that comes in pieces, also where a piece ends in the middle of one. */
export class TextRedactor {
  readonly #secrets: readonly string[];
  #held = '';

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  push(piece: string): string {
    const text = blotOut(this.#secrets, this.#held + piece);
    const held = this.#unfinished(text);
    this.#held = text.slice(text.length - held);
    return text.slice(0, text.length - held);
  }

  /** What is left when nothing follows. */
  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }

  /** How many characters at the end may be the beginning of a secret. */
  #unfinished(text: string): number {
    return Math.max(0, ...this.#secrets.map((secret) => overlap(text, secret)));
  }
}

/** The same for a stream of bytes. */
export class Redactor {
  readonly #text: TextRedactor | undefined;

  constructor(secrets: readonly string[]) {
    // Bytes as characters: what is not text passes unchanged.
    const bytes = secrets.map((secret) => Buffer.from(secret, 'utf8').toString('latin1'));
    this.#text = secrets.length === 0 ? undefined : new TextRedactor(bytes);
  }

  push(chunk: Uint8Array): Uint8Array {
    if (this.#text === undefined) return chunk;
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    return Buffer.from(this.#text.push(bytes.toString('latin1')), 'latin1');
  }

  end(): Uint8Array {
    return Buffer.from(this.#text?.end() ?? '', 'latin1');
  }
}

/** How much of the end of a text is the beginning of a secret; only places with its first character are looked at. */
function overlap(text: string, secret: string): number {
  const first = secret.charAt(0);
  let at = text.indexOf(first, Math.max(0, text.length - secret.length + 1));
  while (at !== -1 && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at === -1 ? 0 : text.length - at;
}
