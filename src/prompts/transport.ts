import type { Transport } from './compile.ts';

export type TransportChoice = {
  /** What a person or the configuration asked for. */
  requested?: Transport;
  /** T-142: whether the agent can open files. */
  canRead: boolean;
  characters: number;
  /** Targets up to this size go into the prompt; 0 turns that off, so that the prefix never depends on the size. */
  inlineUpTo?: number;
};

/** lean/C-05: by reference, unless somebody asked otherwise, the agent cannot read, or the text is small. */
export function chooseTransport({
  requested,
  canRead,
  characters,
  inlineUpTo = 0,
}: TransportChoice): Transport {
  if (!canRead) return 'inline';
  if (requested !== undefined) return requested;
  return characters <= inlineUpTo ? 'inline' : 'reference';
}
