import { type Document, fenceAt, lineKind, linesText, lineText } from '../document/document.ts';
import { parseDocument } from '../document/parse.ts';
import type { Edit } from './fidelity.ts';

/** S-064: what a coordinator writes down between phases ("After Phase 1: update the notes", with its code) is part of SKILL.md. */
export function takePostPhase(body: string): { text: string; moved: string; edits: Edit[] } {
  const document = parseDocument('body.md', body);
  const edits: Edit[] = [];
  let text = '';
  let line = 0;
  while (line < document.lineStarts.length) {
    const end = updateEnd(document, line);
    if (end === undefined) text += linesText(document, line, line + 1);
    else edits.push({ kind: 'moved-to-skill', line, before: linesText(document, line, end), after: '' });
    line = end ?? line + 1;
  }
  return { text, moved: edits.map(({ before }) => before.trim()).join('\n\n'), edits };
}

const opening = /^\s*\*\*After Phase \d+(?:\.\d+)?[a-z]?\*\*\s*[:：]/i;
const writes = /\b(?:updat|initiali[sz]|append|record|writ|sav|stor)\w*/i;

/** The line behind an update that begins here: its paragraph, and a fence that follows. */
function updateEnd(document: Document, start: number): number | undefined {
  const { kinds } = document;
  if (kinds[start] !== lineKind.text || !opening.test(lineText(document, start))) return undefined;
  let end = start;
  while (kinds[end] === lineKind.text) end += 1;
  if (!writes.test(linesText(document, start, end))) return undefined;
  let next = end;
  while (kinds[next] === lineKind.blank) next += 1;
  const fence = kinds[next] === lineKind.fenceMark ? fenceAt(document, next) : undefined;
  return fence === undefined ? end : fence.closeLine + 1;
}
