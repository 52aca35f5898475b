import { type Document, lineAt, type Zone, zoneAt } from '../../base/markdown/document.ts';
import { trimEndChars } from '../../base/text/strings.ts';
import type { PhaseFile } from './phase-file.ts';

export type Reference = {
  kind: 'link' | 'ref' | 'read';
  /** Path as written, without anchor. */
  target: string;
  anchor: string | undefined;
  /** Link text, or the words around a marker. */
  label: string;
  document: Document;
  line: number;
  offset: number;
  zone: Zone;
};

/** A link or a picture; between angle brackets its target may have blanks. */
const link = /\[([^\]\n]{0,300})\]\((?:<([^<>\n]{1,500})>|([^)\s>\n]{1,500}))(?:\s+["'][^"'\n]*["'])?\)/g;
/** `[label]: target "title"`; `[^1]:` is a footnote. */
const definition =
  /^ {0,3}\[([^\]\n^][^\]\n]{0,300})\]:[ \t]+(?:<([^<>\n]{1,500})>|(\S{1,500}))(?:[ \t]+["'(][^\n]*["')])?[ \t]*$/gm;
const label = /\[([^[\]\n]{1,300})\](?!:)/g;
const marker = /\bRef:\s*`?(\[[^\]\n]{0,200}\]\()?([^\s`)\]]{1,300})/g;
const read = /\bRead\(\s*["'`]([^"'`\n]{1,300})["'`]/g;

/** Links and pictures of the prose, the definitions that it uses, and `Ref:` markers and all `Read("…")` calls. */
export function readReferences(document: Document): Reference[] {
  const { text } = document;
  const found: Reference[] = [];
  const add = (kind: Reference['kind'], raw: string, label: string, offset: number) => {
    const hash = raw.indexOf('#');
    found.push({
      kind,
      target: decode(hash < 0 ? raw : raw.slice(0, hash)),
      anchor: hash < 0 ? undefined : decode(raw.slice(hash + 1)),
      label,
      document,
      line: lineAt(document, offset),
      offset,
      zone: zoneAt(document, offset),
    });
  };
  if (text.includes('](')) {
    for (const match of text.matchAll(link)) {
      const target = match[2] ?? match[3] ?? '';
      if (isExternal(target) || zoneAt(document, match.index) !== 'prose') continue;
      // `![alt](url)` shows how pictures are written.
      if (text[match.index - 1] === '!' && !/\.[a-z0-9]{1,5}$/i.test(target)) continue;
      add('link', target, match[1] ?? '', match.index);
    }
  }
  if (text.includes(']:')) {
    const used = new Set([...text.matchAll(label)].map((match) => match[1]?.toLowerCase()));
    for (const match of text.matchAll(definition)) {
      const target = match[2] ?? match[3] ?? '';
      // `[Note]: word` has the form of a definition too.
      const isPath = /\.[a-z][a-z0-9]{0,11}(?:#|$)|\//i.test(target);
      if (!isPath || isExternal(target) || zoneAt(document, match.index) !== 'prose') continue;
      if (used.has(match[1]?.toLowerCase())) add('link', target, match[1] ?? '', match.index);
    }
  }
  if (text.includes('Ref:')) {
    for (const match of text.matchAll(marker)) {
      if (match[1] !== undefined) continue;
      const target = trimEndChars(match[2] ?? '', '.,;');
      if (/\.[a-z]{1,5}(?:#|$)/i.test(target) && !isExternal(target)) add('ref', target, 'Ref', match.index);
    }
  }
  if (text.includes('Read(')) {
    for (const match of text.matchAll(read)) add('read', match[1] ?? '', 'Read', match.index);
  }
  return found;
}

/** A scheme, a protocol-relative address or an anchor inside the same file. */
function isExternal(target: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//') || target.startsWith('#');
}

/** S1: `phases/0N-xxx.md`, `{name}.md`, `<file>`, globs: teaching text, not a path. */
export function isPlaceholder(target: string): boolean {
  return /[{}<>*$|]|xxx|\.\.\.|…|(?:^|\/)(?:NN|0N|N)[-.]|\bYYYY\b|path\/to\//.test(target);
}

function decode(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

/** The direct handoff of a phase: the first `Read("phases/…")` of another phase in one of its fences. */
export function handoffOf(
  phase: PhaseFile,
  phases: readonly PhaseFile[],
  references: readonly Reference[],
): { target: PhaseFile; line: number } | undefined {
  const found = references.find(
    ({ kind, document, target, zone }) =>
      kind === 'read' && zone === 'fence' && document === phase.document && target !== phase.document.path,
  );
  const target = phases.find(({ document }) => document.path === found?.target);
  return found === undefined || target === undefined ? undefined : { target, line: found.line };
}

/** The first circle in which phases hand over to each other, such as `[1, 2, 1]`; each phase hands over to one at most. */
export function handoffCycle(next: ReadonlyMap<number, number>): number[] | undefined {
  const settled = new Set<number>();
  for (const start of next.keys()) {
    const path: number[] = [];
    let at: number | undefined = start;
    while (at !== undefined && !settled.has(at)) {
      const seen = path.indexOf(at);
      if (seen >= 0) return [...path.slice(seen), at];
      path.push(at);
      at = next.get(at);
    }
    for (const number of path) settled.add(number);
  }
  return undefined;
}
