/** `1 file`, `3 files`: a number with its noun. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** L-037: `45s`, `2m31s`, `1h3m`; zero parts are dropped, hours never show seconds. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${unlessZero(seconds % 60, 's')}`;
  return `${Math.floor(minutes / 60)}h${unlessZero(minutes % 60, 'm')}`;
}

function unlessZero(value: number, unit: string): string {
  return value === 0 ? '' : `${value}${unit}`;
}

const maxHeadline = 200;

/** The first line of a text that says something, without the marks of a heading: what a whole document is listed under. */
export function headline(text: string): string {
  const line = text.split('\n').map(plainLine).find(Boolean) ?? '';
  const points = Array.from(line.slice(0, 2 * maxHeadline));
  return points.length <= maxHeadline && line.length <= 2 * maxHeadline
    ? line
    : `${points.slice(0, maxHeadline - 1).join('')}…`;
}

function plainLine(line: string): string {
  return line.trim().replace(/^#{1,6}(?:\s+|$)/, '');
}

/** The first of some names in a line, and how many there are besides. */
export function joinTruncated(names: readonly string[], most = 5, separator = ', '): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(separator)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `950`, `12.3k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  const [value, unit] = count < 999_950 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`;
}

/** The number in a text: digits, perhaps with a point. Rejects empty texts, blanks, signs, exponents and `0x`. */
export function plainNumber(text: string): number | undefined {
  const number = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** ` Did you mean \`x\`?` for the nearest candidate, or nothing when none is near. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : ` Did you mean \`${near}\`?`;
}

export function nearest(word: string, candidates: readonly string[]): string | undefined {
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance)[0]?.candidate;
}

/** Letters added, left out, replaced, or two neighbours swapped. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length] ?? 0;
}
