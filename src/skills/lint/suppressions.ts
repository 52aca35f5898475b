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

type Found = { rule: string; file: string; line: number };

/** Finds the first suppression that covers a finding. */
export function suppressionFinder(all: readonly Suppression[]): (finding: Found) => Suppression | undefined {
  const first = new Map<string, Suppression>();
  const add = (key: string, suppression: Suppression) => {
    if (!first.has(key)) first.set(key, suppression);
  };
  for (const suppression of all) {
    const { file, rules, range } = suppression;
    for (const rule of rules) {
      if (range === undefined) add(`${file} ${rule}`, suppression);
      // What begins at the same line also ends at the same.
      else if (!first.has(`${file} ${rule} ${range[0]}`))
        for (let line = range[0]; line <= range[1]; line += 1) add(`${file} ${rule} ${line}`, suppression);
    }
  }
  return ({ file, rule, line }) => {
    const whole = first.get(`${file} ${rule}`);
    const here = first.get(`${file} ${rule} ${line - 1}`);
    return whole === undefined || (here !== undefined && here.line < whole.line) ? here : whole;
  };
}
