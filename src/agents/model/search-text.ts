import vm from 'node:vm';

/** The time a model's pattern gets for one text. A pattern can be written so that it never ends. */
const patternMs = 500;

export type TextSearch = (text: string, most: number) => { line: number; text: string }[];

/** A line search for a regular expression from a model; a pattern that does not parse is taken as plain text. */
export function textSearch(pattern: string, ignoreCase: boolean): TextSearch {
  const expression = compile(pattern, ignoreCase);
  return (text, most) => {
    const search = () => {
      const found: { line: number; text: string }[] = [];
      for (const [index, line] of text.split('\n').entries()) {
        if (found.length >= most) break;
        if (expression.test(line)) found.push({ line: index + 1, text: line.slice(0, 300) });
      }
      return found;
    };
    // Only V8's own interrupt stops a running expression; this is how it is asked for.
    return vm.runInNewContext('search()', { search }, { timeout: patternMs });
  };
}

function compile(pattern: string, ignoreCase: boolean): RegExp {
  const flags = ignoreCase ? 'iu' : 'u';
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll('\\-', '-'), flags);
  }
}
