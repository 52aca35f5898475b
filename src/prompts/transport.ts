import type { Transport } from './compile.ts';

export type TransportChoice = {
  /** What the caller asked for. */
  requested?: Transport;
  /** T-142: whether the agent can open files. */
  canRead: boolean;
  characters: number;
  /** Targets up to this size go into the prompt, longer ones by reference. */
  inlineUpTo?: number;
};

/** I5: the text under review is in the prompt, unless the caller asked otherwise or it is longer than allowed. */
export function chooseTransport({ requested, canRead, characters, inlineUpTo }: TransportChoice): Transport {
  if (!canRead) return 'inline';
  if (inlineUpTo !== undefined) return characters <= inlineUpTo ? 'inline' : 'reference';
  return requested ?? 'inline';
}
