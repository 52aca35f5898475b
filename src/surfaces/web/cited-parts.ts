import { citationsIn } from '../../base/text/citations.ts';

export type CitedPart =
  | { kind: 'text'; text: string }
  | { kind: 'citation'; text: string; path: string; line: number; endLine: number };

const token = /[^\s`"'<>,;|*]+/g;

/** A text cut where it cites places in the repository, so that each can be made a link. Nothing of the text is lost. */
export function citedParts(text: string): CitedPart[] {
  const parts: CitedPart[] = [];
  let from = 0;
  for (const match of text.matchAll(token)) {
    const [citation] = match[0].includes(':') ? citationsIn(match[0]) : [];
    if (citation === undefined) continue;
    const { file, line, endLine } = citation;
    const shown = `${file}:${line}${endLine === undefined ? '' : `-${endLine}`}`;
    const at = match[0].indexOf(shown);
    if (at < 0) continue;
    const start = match.index + at;
    if (start > from) parts.push({ kind: 'text', text: text.slice(from, start) });
    parts.push({
      kind: 'citation',
      text: shown,
      path: file.replace(/^\.\//, ''),
      line,
      endLine: Math.max(line, endLine ?? line),
    });
    from = start + shown.length;
  }
  if (from < text.length || parts.length === 0) parts.push({ kind: 'text', text: text.slice(from) });
  return parts;
}
