import { type Document, lineKind, lineText } from '../../base/markdown/document.ts';
import { literalPattern, slugify } from '../../base/text/strings.ts';
import type { SkillPackage } from '../model/package.ts';
import type { PhaseFile } from '../model/phase-file.ts';
import { applyLineEdits, type LineEdit } from './fix-sections.ts';

export type Renumbering = {
  /** New texts by new path. */
  texts: Map<string, string>;
  /** Old path to new path of the files that move. */
  moved: Map<string, string>;
  /** Lines that name a number which several phases had, and do not say which of them they mean. */
  byHand: { path: string; line: string; number: number; files: readonly string[] }[];
};

/** A phase with its new number and file. */
type Place = { phase: PhaseFile; number: number; file: string };

/** S-003: phases become 01, 02, … in their present order, and everything that refers to them follows. */
export function renumber({ skill, phases }: SkillPackage): Renumbering {
  const plan = phases.map((phase, index): Place => {
    const number = index + 1;
    const slug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(phase.slug)
      ? phase.slug
      : slugify(phase.slug, 50, `phase-${number}`);
    return { phase, number, file: `${String(number).padStart(2, '0')}-${slug}.md` };
  });
  const files = new Map(plan.map(({ phase, file }) => [phase.file, file]));
  const texts = new Map<string, string>();
  const moved = new Map<string, string>();
  const byHand: Renumbering['byHand'] = [];
  const rewrite = (path: string, before: string, change: (numbers: Numbers) => string, own?: Place) => {
    const open = new Map<string, { number: number; places: readonly Place[] }>();
    const text = change(newNumbers(plan, own, (line, number, places) => open.set(line, { number, places })));
    const after = renameFiles(text, files);
    texts.set(path, after);
    const lines = after.split(/\r?\n/);
    before.split(/\r?\n/).forEach((line, index) => {
      const { number, places } = open.get(line) ?? { number: 0, places: [] };
      if (places.length > 0)
        byHand.push({
          path,
          line: (lines[index] ?? '').trim(),
          number,
          files: places.map(({ file }) => file),
        });
    });
  };
  if (skill !== undefined) {
    const { document } = skill;
    rewrite('SKILL.md', document.text, (numbers) => renumberSkill(document, numbers));
  }
  for (const place of plan) {
    const { phase, file } = place;
    const path = `phases/${file}`;
    rewrite(path, phase.document.text, (numbers) => renumberPhase(place, numbers), place);
    if (file !== phase.file) moved.set(`phases/${phase.file}`, path);
  }
  return { texts, moved, byHand };
}

/** The new number for one in a line, with the text after it. */
type Numbers = (number: string, line: string, after: string) => string;

/**
 * Several phases can have the same number. Then the title after it tells which one is meant, or the only one of their
 * files that the line names, or by the file that contains the line; an ambiguous line is kept and reported.
 */
function newNumbers(
  plan: readonly Place[],
  own: Place | undefined,
  open: (line: string, number: number, places: readonly Place[]) => void,
): Numbers {
  return (text, line, after) => {
    const places = plan.filter(({ phase }) => phase.number === Number(text));
    const title = /^\s*[:：—–-]\s*(.*)/s.exec(after)?.[1] ?? '';
    const only = (found: readonly Place[]) => (found.length === 1 ? found[0] : undefined);
    const meant =
      only(places) ??
      only(places.filter(({ phase }) => phase.name !== '' && title.startsWith(phase.name))) ??
      only(places.filter(({ phase }) => line.includes(phase.file))) ??
      only(places.filter((place) => place === own));
    if (meant === undefined && places.length > 1) open(line, Number(text), places);
    return meant === undefined ? text : String(meant.number);
  };
}

/** In the coordinator every "Phase N" means a phase; so do first cells of the phase table and `phaseN` in edges. */
function renumberSkill(document: Document, numbers: Numbers): string {
  const edits: LineEdit[] = [];
  const tableLines = new Set(
    document.tables
      .filter(({ header }) => /^(?:#|phase)$/i.test(header[0] ?? ''))
      .flatMap(({ rows }) => rows.map(({ line }) => line)),
  );
  for (let line = 0; line < document.lineStarts.length; line += 1) {
    if (document.kinds[line] === lineKind.frontmatter) continue;
    const before = lineText(document, line);
    let after = phaseWords(before, numbers).replace(
      /\bphase(\d+)\b/g,
      (_, number: string) => `phase${numbers(number, before, '')}`,
    );
    if (tableLines.has(line))
      after = after.replace(
        /^(\s*\|\s*)(\d+(?:\.\d+)?)(\s*\|)/,
        (_, open: string, number: string, close: string) => open + numbers(number, before, '') + close,
      );
    if (after !== before) edits.push({ from: line, to: line + 1, insert: [after] });
  }
  return applyLineEdits(document, edits);
}

function phaseWords(text: string, numbers: Numbers): string {
  return text.replace(
    /\b(Phase\s+)(\d+(?:\.\d+)?)\b/g,
    (all, word: string, number: string, at: number) =>
      word + numbers(number, text, text.slice(at + all.length)),
  );
}

/** In a phase only its own head, its step ids and what speaks of other phases changes; inner stages keep their names. */
function renumberPhase({ phase, number: to }: Place, numbers: Numbers): string {
  const { document, number, title, steps, nextPhase } = phase;
  const edits: LineEdit[] = [];
  const stepLines = new Map(steps.map((step) => [step.line, step]));
  for (let line = 0; line < document.lineStarts.length; line += 1) {
    const before = lineText(document, line);
    let after = before;
    if (line === title?.line) after = before.replace(/(phase\s+)\d+(?:\.\d+)?/i, `$1${to}`);
    else if (stepLines.has(line) || document.kinds[line] === lineKind.quote)
      after = stepIds(phaseWords(before, numbers), number, to);
    else if (nextPhase !== undefined && line > nextPhase.line && line < nextPhase.endLine)
      after = phaseWords(before, numbers);
    else if (/\*\*(?:TodoWrite|TaskUpdate|Variable|File)\*\*/.test(before))
      after = phaseWords(before, numbers);
    if (after !== before) edits.push({ from: line, to: line + 1, insert: [after] });
  }
  return applyLineEdits(document, edits);
}

/** `Step 3.2` and the ends of `Step 3.1 — 3.4`. */
function stepIds(text: string, from: number | undefined, to: number): string {
  if (from === undefined || from === to) return text;
  const id = `${String(from).replace('.', '\\.')}\\.(\\d+[A-Za-z]?(?:\\.\\d+)*)`;
  return text
    .replace(new RegExp(`(step\\s+)${id}`, 'gi'), `$1${to}.$2`)
    .replace(new RegExp(`((?:—|–|--|-)\\s*(?:Step\\s+)?)${id}(?=\\s*\\))`, 'gi'), `$1${to}.$2`);
}

/** File names are unlike other words, so all of them are replaced in one pass. */
function renameFiles(text: string, files: ReadonlyMap<string, string>): string {
  const changed = [...files].filter(([from, to]) => from !== to);
  if (changed.length === 0) return text;
  const names = changed.map(([from]) => literalPattern(from)).sort((a, b) => b.length - a.length);
  return text.replace(
    new RegExp(`(?<![\\w.-])(?:${names.join('|')})(?![\\w-])`, 'g'),
    (name) => files.get(name) ?? name,
  );
}
