import { slugify } from '../../text/slug.ts';
import { type Document, lineKind, lineText } from '../document/document.ts';
import type { SkillPackage } from '../model/package.ts';
import type { PhaseFile } from '../model/phase-file.ts';
import { applyLineEdits, type LineEdit } from './lines.ts';

export type Renumbering = {
  /** New texts by new path. */
  texts: Map<string, string>;
  /** Old path to new path of the files that move. */
  moved: Map<string, string>;
};

/** S-003: phases become 01, 02, … in their present order, and everything that refers to them follows. */
export function renumber({ skill, phases }: SkillPackage): Renumbering {
  const plan = phases.map((phase, index) => {
    const number = index + 1;
    const slug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(phase.slug)
      ? phase.slug
      : slugify(phase.slug, 50, `phase-${number}`);
    return { phase, number, file: `${String(number).padStart(2, '0')}-${slug}.md` };
  });
  const files = new Map(plan.map(({ phase, file }) => [phase.file, file]));
  const numbers = new Map(
    plan.flatMap(({ phase, number }) =>
      phase.number === undefined ? [] : [[phase.number, number] as const],
    ),
  );
  const texts = new Map<string, string>();
  const moved = new Map<string, string>();
  if (skill !== undefined) texts.set('SKILL.md', renameFiles(renumberSkill(skill.document, numbers), files));
  for (const { phase, number, file } of plan) {
    texts.set(`phases/${file}`, renameFiles(renumberPhase(phase, number, numbers), files));
    if (file !== phase.file) moved.set(`phases/${phase.file}`, `phases/${file}`);
  }
  return { texts, moved };
}

type Numbers = ReadonlyMap<number, number>;

function map(numbers: Numbers, text: string): string {
  const next = numbers.get(Number(text));
  return next === undefined ? text : String(next);
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
      (_, number: string) => `phase${map(numbers, number)}`,
    );
    if (tableLines.has(line))
      after = after.replace(
        /^(\s*\|\s*)(\d+(?:\.\d+)?)(\s*\|)/,
        (_, open: string, number: string, close: string) => open + map(numbers, number) + close,
      );
    if (after !== before) edits.push({ from: line, to: line + 1, insert: [after] });
  }
  return applyLineEdits(document, edits);
}

function phaseWords(text: string, numbers: Numbers): string {
  return text.replace(
    /\b(Phase\s+)(\d+(?:\.\d+)?)\b/g,
    (_, word: string, number: string) => word + map(numbers, number),
  );
}

/** In a phase only its own head, its step ids and what speaks of other phases changes; inner stages keep their names. */
function renumberPhase(
  { document, number, title, steps, nextPhase }: PhaseFile,
  to: number,
  numbers: Numbers,
): string {
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

/** File names are unlike other words, so they are replaced wherever they stand, all at once. */
function renameFiles(text: string, files: ReadonlyMap<string, string>): string {
  const changed = [...files].filter(([from, to]) => from !== to);
  if (changed.length === 0) return text;
  const names = changed
    .map(([from]) => from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .sort((a, b) => b.length - a.length);
  return text.replace(
    new RegExp(`(?<![\\w.-])(?:${names.join('|')})(?![\\w-])`, 'g'),
    (name) => files.get(name) ?? name,
  );
}
