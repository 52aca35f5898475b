/** How many alternatives `{a,b}` may unfold to. */
const alternativeLimit = 64;

/**
 * Whether a relative path with `/` matches a glob of `*`, `?`, `**` and `{a,b}`. A pattern without `/` is matched against
 * the file name. The pattern comes from a model, so matching takes at most (pattern × path) steps.
 */
export function matchesGlob(pattern: string, file: string): boolean {
  const segments = file.split('/');
  return unfold(pattern.replace(/^\.?\/+/, '')).some((plain) =>
    plain.includes('/')
      ? matchSegments(plain.split('/'), segments)
      : matchSegment(plain === '**' ? '*' : plain, segments.at(-1) ?? ''),
  );
}

function unfold(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  let unfolded = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = /\{([^{}]*)\}/.exec(next);
    unfolded += 1;
    if (braces === null || unfolded > alternativeLimit || done.length + open.length >= alternativeLimit) {
      done.push(next);
      continue;
    }
    const [before, after] = [next.slice(0, braces.index), next.slice(braces.index + braces[0].length)];
    for (const choice of (braces[1] ?? '').split(',')) open.push(before + choice + after);
  }
  return done;
}

/** The star algorithm over whole segments: `**` takes any number of them. */
function matchSegments(pattern: readonly string[], segments: readonly string[]): boolean {
  return matchWithStar(pattern, segments, '**', matchSegment);
}

function matchSegment(pattern: string, text: string): boolean {
  return matchWithStar([...pattern], [...text], '*', (wanted, found) => wanted === '?' || wanted === found);
}

/** On a mismatch only the last star takes one item more; earlier stars never need to. */
function matchWithStar(
  pattern: readonly string[],
  items: readonly string[],
  star: string,
  fits: (wanted: string, found: string) => boolean,
): boolean {
  let [at, item] = [0, 0];
  let retry: { at: number; item: number } | undefined;
  while (item < items.length) {
    const wanted = pattern[at];
    if (wanted === star) {
      retry = { at: at + 1, item };
      at += 1;
    } else if (wanted !== undefined && fits(wanted, items[item] ?? '')) {
      at += 1;
      item += 1;
    } else if (retry !== undefined) {
      retry.item += 1;
      [at, item] = [retry.at, retry.item];
    } else return false;
  }
  return pattern.slice(at).every((rest) => rest === star);
}
