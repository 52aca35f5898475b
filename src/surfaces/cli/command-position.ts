import { globalOptions } from './help.ts';

/** Flags before a command that take the next word with them. */
const valued = new Set(
  globalOptions
    .filter(([flags]) => flags.includes('<'))
    .flatMap(([flags]) => flags.match(/--?[a-z][a-z-]*/g) ?? []),
);

/** Index of the command: the first word before `--` that is neither a flag nor the value of a global flag. */
export function indexOfCommand(words: readonly string[]): number | undefined {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') return undefined;
    if (valued.has(word)) index += 1;
    else if (!word.startsWith('-')) return index;
  }
  return undefined;
}
