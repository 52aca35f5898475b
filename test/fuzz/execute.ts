import { isCharretteError } from '../../src/base/errors.ts';
import type { Target } from './target.ts';

export type Fault = { kind: 'crash' | 'broken promise'; message: string };

/** What is wrong with how the target takes the text; nothing when it answers or refuses it by name. */
export async function execute(target: Target, text: string): Promise<Fault | undefined> {
  try {
    const answer = target.run(text);
    if (answer instanceof Promise) await answer;
    return undefined;
  } catch (error) {
    if (isCharretteError(error) && error.code !== 'internal') return undefined;
    if (error instanceof Error && error.name === 'Broken')
      return { kind: 'broken promise', message: error.message };
    return { kind: 'crash', message: describe(error) };
  }
}

/** Message and place; the same mistake has the same description, whatever the input was. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = /\bat .*?((?:src|node_modules)\/[^:)]+:\d+)/.exec(error.stack ?? '')?.[1] ?? 'unknown place';
  return `${error.name}: ${error.message.slice(0, 200)} (${place})`;
}

/** Faults that are the same but for what the input put into the message. */
export function faultKey({ kind, message }: Fault): string {
  return `${kind} ${message.replace(/"(?:[^"\\]|\\.)*"|\d+/g, '…').slice(0, 80)} ${/\(([^()]*)\)$/.exec(message)?.[1] ?? ''}`;
}

/** A shorter text with the same fault: pieces are left out as long as it stays. */
export async function shrink(target: Target, text: string, key: string, until: number): Promise<string> {
  let best = text;
  for (let size = Math.ceil(best.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length; ) {
      if (Date.now() > until) return best;
      const shorter = best.slice(0, at) + best.slice(at + size);
      const fault = await execute(target, shorter);
      if (fault !== undefined && faultKey(fault) === key) best = shorter;
      else at += size;
    }
  }
  return best;
}
