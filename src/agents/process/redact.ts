import { blot, blotCommand, blotSetting } from '../../text/secrets.ts';

/** Shorter values are words; blotting them out would spoil what an agent says. */
const shortestSecret = 8;

/** What a program is given that is secret: the longest first, so that one that contains another goes whole. */
export function secretsIn(
  variables: Readonly<Record<string, string>>,
  command: readonly string[] = [],
): string[] {
  const given = Object.entries(variables).flatMap(([name, value]) => blotSetting(name, value).secrets);
  return [...new Set([...given, ...blotCommand(command).secrets])]
    .filter((secret) => secret.length >= shortestSecret)
    .sort((left, right) => right.length - left.length);
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
    const longest = Math.max(...this.#secrets.map((secret) => secret.length)) - 1;
    for (let length = Math.min(longest, text.length); length > 0; length -= 1) {
      const end = text.slice(text.length - length);
      if (this.#secrets.some((secret) => secret.startsWith(end))) return length;
    }
    return 0;
  }
}
