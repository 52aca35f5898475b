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

/** A text without any of them. */
export function blotOut(secrets: readonly string[], text: string): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, blot), text);
}

/** Blots secrets out of a stream of bytes, also where a chunk ends in the middle of one. */
export class Redactor {
  readonly #secrets: readonly string[];
  #held = '';

  constructor(secrets: readonly string[]) {
    // Bytes as characters: what is not text passes unchanged.
    this.#secrets = secrets.map((secret) => Buffer.from(secret, 'utf8').toString('latin1'));
  }

  push(chunk: Uint8Array): Uint8Array {
    if (this.#secrets.length === 0) return chunk;
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const text = this.#blot(this.#held + bytes.toString('latin1'));
    const held = this.#unfinished(text);
    this.#held = text.slice(text.length - held);
    return Buffer.from(text.slice(0, text.length - held), 'latin1');
  }

  /** What is left when the stream ends. */
  end(): Uint8Array {
    const rest = Buffer.from(this.#held, 'latin1');
    this.#held = '';
    return rest;
  }

  #blot(text: string): string {
    return blotOut(this.#secrets, text);
  }

  /** How many characters at the end may be the beginning of a secret. */
  #unfinished(text: string): number {
    return Math.max(...this.#secrets.map((secret) => overlap(text, secret)));
  }
}

/** How much of the end of a text is the beginning of a secret; only places with its first character are looked at. */
function overlap(text: string, secret: string): number {
  const first = secret.charAt(0);
  let at = text.indexOf(first, Math.max(0, text.length - secret.length + 1));
  while (at !== -1 && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at === -1 ? 0 : text.length - at;
}
