import type { CommandSpec } from './command.ts';
import { globalOptions } from './help.ts';

/**
 * P-011, T-01: between two words of the text a flag of `flagsAtEnds` is one of them, so `explain the -y flag` switches
 * nothing on and loses nothing. Gives the flags, and behind `--` the text.
 */
export function withTextLast(
  { options = [], flagsAtEnds = [] }: CommandSpec,
  words: readonly string[],
): string[] {
  const valued = new Set(
    [...options.map((option) => option.flags), ...globalOptions.map(([flags]) => flags)]
      .filter((flags) => flags.includes('<'))
      .flatMap((flags) => flags.match(/--?[a-z][a-z-]*/g) ?? []),
  );
  const [flags, text, held]: [string[], string[], string[]] = [[], [], []];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') {
      text.push(...held.splice(0), ...words.slice(index + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') text.push(...held.splice(0), word);
    else if (valued.has(word)) {
      index += 1;
      // Without its value the words are wrong as they are; the parser says so.
      if (index === words.length) return [...words];
      flags.push(word, words[index] ?? '');
    } else if (text.length > 0 && flagsAtEnds.includes(word)) held.push(word);
    else flags.push(word);
  }
  return [...flags, ...held, ...(text.length === 0 ? [] : ['--', ...text])];
}
