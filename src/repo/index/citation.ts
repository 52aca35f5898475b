import { linesOf, type Snapshot } from './snapshot.ts';

/** A place in the repository that a text cites. */
export type CitedPlace = { path: string; line: number; endLine: number; quote?: string };

export type CitationCheck =
  | { status: 'found'; path: string; line: number; endLine: number; text: string }
  | { status: 'moved'; path: string; line: number; endLine: number; text: string; reason: string }
  | { status: 'missing'; reason: string };

/** Reads `path:line`, `path:line:column`, `path:from-to`, `path:Lfrom-Lto` and `path#Lfrom`; `undefined` when it is none of them. */
export function readPlace(citation: string): CitedPlace | undefined {
  // Brackets and quotes go first: a pattern for all would look again from each of them.
  const bare = citation.trim().replace(/^[`'"(<]+/, '');
  const [, path = '', from = '', to] =
    /^([^\s:`][^:`\n]*?)(?::L?|#L)(\d{1,7})(?:[-–]L?(\d{1,7})|:\d{1,7})?[`'")>.,;:]*$/.exec(bare) ?? [];
  if (path === '') return undefined;
  const line = Number(from);
  return { path: path.replace(/^\.\//, ''), line, endLine: Math.max(line, Number(to ?? from)) };
}

/**
 * Checks a citation against the repository at the base commit. Without a quote it is found when the lines exist and are not
 * all blank; with one, the quoted text must be there, or near it, or once elsewhere (then it moved).
 */
export function checkCitation(
  snapshot: Snapshot,
  citation: string | CitedPlace,
  quote?: string,
): CitationCheck {
  const place = typeof citation === 'string' ? readPlace(citation) : citation;
  if (place === undefined) {
    return { status: 'missing', reason: `${JSON.stringify(citation)} is not of the form path:line` };
  }
  const wanted = normalise(quote ?? place.quote ?? '');
  const file = snapshot.files.find(({ path }) => path === place.path);
  if (file === undefined) return withoutFile(snapshot, place, wanted);
  const lines = linesOf(file.text);
  if (wanted === '') return checkLines(place, lines);
  const at = findQuote(lines, wanted, place.line);
  if (at !== undefined) {
    const result = {
      path: place.path,
      line: at.line,
      endLine: at.endLine,
      text: textOf(lines, at.line, at.endLine),
    };
    if (at.line <= place.endLine && at.endLine >= place.line) return { status: 'found', ...result };
    return { status: 'moved', ...result, reason: `the text is at line ${at.line}, not ${place.line}` };
  }
  return (
    elsewhere(snapshot, place, wanted) ?? {
      status: 'missing',
      reason: `the quoted text is not in ${place.path}`,
    }
  );
}

function checkLines(place: CitedPlace, lines: readonly string[]): CitationCheck {
  const { path, line, endLine } = place;
  if (line < 1 || line > lines.length) {
    return { status: 'missing', reason: `${path} has ${lines.length} lines, line ${line} does not exist` };
  }
  const end = Math.min(endLine, lines.length);
  const text = textOf(lines, line, end);
  if (text.trim() === '') return { status: 'missing', reason: `line ${line} of ${path} is blank` };
  return { status: 'found', path, line, endLine: end, text };
}

/** Handles a missing file: the path may be shortened, or the text may be in another file. */
function withoutFile(snapshot: Snapshot, place: CitedPlace, wanted: string): CitationCheck {
  const moved = wanted === '' ? undefined : elsewhere(snapshot, place, wanted);
  if (moved !== undefined) return moved;
  const same = snapshot.files.filter(({ path }) => path.endsWith(`/${place.path}`));
  const [only] = same;
  if (only !== undefined && same.length === 1) {
    const check = checkCitation(snapshot, { ...place, path: only.path });
    if (check.status !== 'missing') {
      return { ...check, status: 'moved', reason: `${place.path} is meant as ${only.path}` };
    }
  }
  const skipped = snapshot.skipped.find(({ path }) => path === place.path);
  if (skipped !== undefined)
    return { status: 'missing', reason: `${place.path} is not read: ${skipped.reason}` };
  return { status: 'missing', reason: `${place.path} does not exist at the base commit` };
}

const shortestQuote = 8;

/** Finds the quoted text in another file, if it is long enough and in one file only. */
function elsewhere(snapshot: Snapshot, place: CitedPlace, wanted: string): CitationCheck | undefined {
  if (wanted.length < shortestQuote) return undefined;
  const probe = longestLine(wanted);
  const hits = snapshot.files.flatMap((file) => {
    if (file.path === place.path || !normalise(file.text).includes(probe)) return [];
    const lines = linesOf(file.text);
    const at = findQuote(lines, wanted, place.line);
    return at === undefined ? [] : [{ path: file.path, ...at, text: textOf(lines, at.line, at.endLine) }];
  });
  const [hit] = hits;
  if (hit === undefined || hits.length > 1) return undefined;
  return { status: 'moved', ...hit, reason: `the text is in ${hit.path}, not in ${place.path}` };
}

const longestLine = (text: string): string =>
  text.split('\n').reduce((a, b) => (b.length > a.length ? b : a), '');

/** Finds the quote nearest to its cited line, ignoring white space; a line may hold more. */
function findQuote(
  lines: readonly string[],
  wanted: string,
  near: number,
): { line: number; endLine: number } | undefined {
  const parts = wanted.split('\n');
  const texts = lines.map(normalise);
  let best: { line: number; endLine: number } | undefined;
  for (let start = 0; start + parts.length <= texts.length; start += 1) {
    if (!parts.every((part, offset) => texts[start + offset]?.includes(part))) continue;
    const found = { line: start + 1, endLine: start + parts.length };
    if (best === undefined || Math.abs(found.line - near) < Math.abs(best.line - near)) best = found;
  }
  return best;
}

function normalise(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .join('\n')
    .trim();
}

const textOf = (lines: readonly string[], from: number, to: number): string =>
  lines.slice(from - 1, to).join('\n');
