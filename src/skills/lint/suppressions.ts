import type { Document } from '../document/document.ts';
import { fenceAt, lineKind } from '../document/document.ts';

export type Suppression = {
  file: string;
  /** Counted from 0. */
  line: number;
  rules: readonly string[];
  reason: string;
  /** Lines it covers, counted from 0 and inclusive; undefined: the whole file. */
  range: readonly [number, number] | undefined;
};

const form = /<!--\s*lint-disable(-next-line)?\s+([A-Z]{2}\d{3}(?:\s*,\s*[A-Z]{2}\d{3})*)\s*([\s\S]*?)-->/g;

/** `<!-- lint-disable ID reason -->` covers its file, `lint-disable-next-line` the next line or the fence that begins there. */
export function readSuppressions(document: Document): Suppression[] {
  if (!document.text.includes('lint-disable')) return [];
  return document.comments.flatMap(({ line, text }) =>
    [...text.matchAll(form)].map((match) => ({
      file: document.path,
      line,
      rules: (match[2] ?? '').split(',').map((rule) => rule.trim()),
      reason: (match[3] ?? '').replace(/^[\s:–—-]+/, '').trim(),
      range: match[1] === undefined ? undefined : nextLines(document, line + text.split('\n').length),
    })),
  );
}

function nextLines(document: Document, from: number): readonly [number, number] {
  let line = from;
  while (document.kinds[line] === lineKind.blank) line += 1;
  const fence = document.kinds[line] === lineKind.fenceMark ? fenceAt(document, line) : undefined;
  return [line, fence?.closeLine ?? line];
}

export function covers(
  suppression: Suppression,
  finding: { rule: string; file: string; line: number },
): boolean {
  if (suppression.file !== finding.file || !suppression.rules.includes(finding.rule)) return false;
  if (suppression.range === undefined) return true;
  return finding.line - 1 >= suppression.range[0] && finding.line - 1 <= suppression.range[1];
}
