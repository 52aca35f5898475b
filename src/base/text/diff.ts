import { formatPatch, structuredPatch } from 'diff';

export type DiffOptions = {
  /** Names in the `---` and `+++` lines. */
  before?: string;
  after?: string;
  /** Unchanged lines around a change. */
  context?: number;
  /** Beyond this many characters on one side no diff is computed. */
  maximumCharacters?: number;
  /** Beyond this many changed lines no diff is computed. */
  maximumEdits?: number;
};

export type DiffResult =
  | { kind: 'same' }
  | { kind: 'diff'; text: string; added: number; removed: number }
  | { kind: 'too-large'; beforeLines: number; afterLines: number };

const limits = { maximumCharacters: 4_000_000, maximumEdits: 4_000, context: 3 } as const;

/** The unified diff between two snapshots of a text, or the fact that they are too large or too different for one. */
export function unifiedDiff(before: string, after: string, options: DiffOptions = {}): DiffResult {
  if (before === after) return { kind: 'same' };
  const maximumCharacters = options.maximumCharacters ?? limits.maximumCharacters;
  const tooLarge = {
    kind: 'too-large',
    beforeLines: countLines(before),
    afterLines: countLines(after),
  } as const;
  if (before.length > maximumCharacters || after.length > maximumCharacters) return tooLarge;
  const patch = structuredPatch(
    options.before ?? 'before',
    options.after ?? 'after',
    before,
    after,
    undefined,
    undefined,
    {
      context: options.context ?? limits.context,
      maxEditLength: options.maximumEdits ?? limits.maximumEdits,
    },
  );
  if (patch === undefined) return tooLarge;
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    kind: 'diff',
    text: formatPatch(patch, { includeIndex: false, includeUnderline: false, includeFileHeaders: true }),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

/** Lines as a reader counts them: a final newline ends the last line and starts none. */
export function countLines(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) count += 1;
  return count;
}
