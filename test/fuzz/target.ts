/** A reader of text by others, and what must hold for whatever it is given. */
export type Target = {
  name: string;
  /** What it reads, for the table in the docs. */
  reads: string;
  /** Texts to start from: what the reader is made for. */
  seeds: readonly string[];
  /** Reads the text and throws when a promise is broken. A CharretteError is an answer, every other error a finding. */
  run(text: string): unknown;
};

/** A promise that did not hold. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

export function holds(condition: boolean, promise: string): void {
  if (!condition) throw new Broken(promise);
}

/** Whether two values are the same as JSON sees them. */
export function same(one: unknown, two: unknown, promise: string): void {
  const [left, right] = [JSON.stringify(one), JSON.stringify(two)];
  if (left !== right) throw new Broken(`${promise}: ${excerpt(left)} and ${excerpt(right)}`);
}

function excerpt(text: string | undefined): string {
  return (text ?? 'nothing').slice(0, 300);
}
