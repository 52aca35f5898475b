import { type Document, lineKind, lineText } from '../../base/markdown/document.ts';
import type { Checkpoint, LegacyMark } from '../model/compact.ts';
import {
  checkpointText,
  compactCell,
  compactRules,
  directiveText,
  handoffComment,
  sentinelText,
} from '../model/compact.ts';
import type { SkillPackage } from '../model/package.ts';
import { findHeading, type PhaseFile, readSteps } from '../model/phase-file.ts';
import type { PhaseTable } from '../model/phase-table.ts';
import { guardedPhases, samePath, uncheckedSteps } from '../rules/compact.ts';
import { applyLineEdits, type LineEdit } from './fix-sections.ts';

/** S-088: sentinel and checkpoints of one phase brought up to what the file holds. The same again changes nothing. */
export function syncPhase(phase: PhaseFile, guarded: boolean): string {
  const { document, compact } = phase;
  const edits: LineEdit[] = [...legacyEdits(document, compact.legacy)];
  if (guarded) edits.push(...sentinelEdits(phase));
  for (const checkpoint of compact.checkpoints) {
    const { namesStatus, namesProtocol, recovery } = checkpoint;
    const named = recovery !== undefined && samePath(recovery, document);
    if (!namesStatus || !namesProtocol || !named) edits.push(renewCheckpoint(phase, checkpoint));
  }
  if (guarded) {
    for (const step of uncheckedSteps(phase)) {
      edits.push({ from: step.line + 1, to: step.line + 1, insert: ['', ...checkpointLines(phase)] });
    }
  }
  return applyLineEdits(document, edits);
}

type Stepped = Pick<PhaseFile, 'document' | 'steps'>;

function renewCheckpoint(file: Stepped, { line, endLine }: Checkpoint): LineEdit {
  const extra = extraLines(file.document, line, endLine);
  return { from: line, to: endLine, insert: [...checkpointLines(file), ...extra] };
}

function checkpointLines({ document, steps }: Stepped): string[] {
  return checkpointText({
    first: steps[0]?.id ?? '1',
    last: steps.at(-1)?.id ?? '1',
    path: document.path,
  }).split('\n');
}

function sentinelEdits(phase: PhaseFile): LineEdit[] {
  const { document, steps, title, name, compact, number, titleNumber } = phase;
  const own = number ?? titleNumber ?? 0;
  const facts = {
    number: own,
    name: name || phase.slug,
    path: document.path,
    count: steps.length,
    first: steps[0]?.id ?? '',
    last: steps.at(-1)?.id ?? '',
  };
  const text = sentinelText(facts).split('\n');
  const place = title === undefined ? 0 : title.line + 1;
  const { sentinel } = compact;
  if (sentinel === undefined)
    return [{ from: place, to: place, insert: title === undefined ? [...text, ''] : ['', ...text] }];
  const right =
    sentinel.count === facts.count &&
    (facts.count === 0 || (sentinel.first === facts.first && sentinel.last === facts.last)) &&
    Number(sentinel.phase) === own &&
    sentinel.recovery?.replace(/^\.\//, '') === facts.path;
  const early =
    !document.headings.some(({ level, line }) => level >= 2 && line < sentinel.line) &&
    sentinel.line >= place;
  if (right && early) return [];
  const extra = extraLines(document, sentinel.line, sentinel.endLine);
  if (early) return [{ from: sentinel.line, to: sentinel.endLine, insert: [...text, ...extra] }];
  const after = document.kinds[sentinel.endLine] === lineKind.blank ? sentinel.endLine + 1 : sentinel.endLine;
  return [
    { from: sentinel.line, to: after, insert: [] },
    { from: place, to: place, insert: ['', ...text, ...extra] },
  ];
}

/** The text of generated marks, in this form and the older one. */
const ownLines: readonly RegExp[] = [
  /COMPACT\s+(?:SENTINEL|PROTECTION)/i,
  /\d\s+(?:execution\s+)?steps?\b|\d\s*个|can read this sentinel|context has been compressed|Recovery\s*[:：]/i,
  /CHECKPOINT\**\s*[:：]?\s*(?:$|before\b[^.]{0,60}\bverify\s*[:：]?\s*$|.*\b(?:active memory|protocol)\b)/i,
  /TodoWrite `?in_progress`?|Full protocol \(|if only (?:the |a )?(?:sentinel|summary) remains/i,
];

/** Longer ones are none of ours, and not worth a look from each of their blanks. */
const longestOwnLine = 500;

/** Lines that were added to a mark are kept. */
function extraLines(document: Document, from: number, to: number): string[] {
  const kept: string[] = [];
  for (let line = from; line < to; line += 1) {
    const text = lineText(document, line);
    const isOwn = text.length <= longestOwnLine && ownLines.some((own) => own.test(text));
    if (text.replace(/^[>\s]*/, '') !== '' && !isOwn) kept.push(text);
  }
  return kept;
}

/** S-089: the older form goes, its successor takes its place; other lines of its block stay. Checkpoints are renewed with the others. */
function legacyEdits(document: Document, legacy: readonly LegacyMark[]): LineEdit[] {
  return legacy.flatMap(({ form, line, endLine }): LineEdit[] => {
    if (form === 'checkpoint') return [];
    if (form === 'comment')
      return [{ from: line, to: endLine, insert: handoffLines(lineText(document, line)) }];
    if (form === 'anchor') return [{ from: line, to: endLine, insert: anchorLines(document, line) }];
    const insert = extraLines(document, line, endLine);
    const blank = insert.length === 0 && document.kinds[endLine] === lineKind.blank;
    return [{ from: line, to: blank ? endLine + 1 : endLine, insert }];
  });
}

/** In the indentation and the comment mark of the old line. */
function handoffLines(old: string): string[] {
  const [, indent = '', mark = '//'] = /^(\s*)(\/\/|#)/.exec(old) ?? [];
  const lines = handoffComment(/\bPhase (\d+)/.exec(old)?.[1] ?? 'The next phase');
  return lines.map((line) => `${indent}${mark} ${line}`);
}

function anchorLines(document: Document, line: number): string[] {
  if (/^\*\*Compact Rules\*\*/m.test(document.text)) return [];
  const named = /phases\/[\w.-]+\.md/.exec(lineText(document, line))?.[0];
  return compactRules(named ?? 'phases/NN-name.md').split('\n');
}

/** SKILL.md: Compact column, marks where a file has a sentinel, directive, older form. */
export function syncSkill(subject: SkillPackage): string | undefined {
  const { skill } = subject;
  if (skill === undefined) return undefined;
  const { document, compact, phaseTable } = skill;
  const guarded = new Set(
    [...guardedPhases(subject), ...sentinelPhases(subject)].map((phase) => phase.document.path),
  );
  const edits: LineEdit[] = legacyEdits(document, compact.legacy);
  if (subject.phases.length === 0) {
    const steps = readSteps(document);
    const old = new Set(compact.legacy.map(({ line }) => line));
    for (const checkpoint of compact.checkpoints) {
      const { line, recovery } = checkpoint;
      const exists = recovery === undefined || subject.files.listing.has(recovery.replace(/^\.\//, ''));
      if (!exists || old.has(line)) edits.push(renewCheckpoint({ document, steps }, checkpoint));
    }
  }
  for (const part of phaseTable?.parts ?? []) edits.push(...compactCells(document, part, guarded));
  if (guarded.size > 0 && compact.directive === undefined) {
    const flow = findHeading(document, /^execution flow$/i);
    const at = flow === undefined ? document.lineStarts.length : flow.line + 1;
    edits.push({ from: at, to: at, insert: ['', ...directiveText.split('\n')] });
  }
  return applyLineEdits(document, edits);
}

/** A Compact column for a table without one, else marks where a phase has a sentinel. */
function compactCells(
  document: Document,
  { table, rows, compactColumn }: PhaseTable['parts'][number],
  guarded: ReadonlySet<string>,
): LineEdit[] {
  if (compactColumn < 0)
    return [
      addCell(document, table.line, ' Compact |'),
      addCell(document, table.line + 1, ' --- |'),
      ...rows.map(({ line, target }) =>
        addCell(document, line, ` ${compactCell(guarded.has(target ?? ''))} |`),
      ),
    ];
  return rows
    .filter(({ target, guarded: marked }) => !marked && guarded.has(target ?? ''))
    .map(({ line, compact }) => ({
      from: line,
      to: line + 1,
      insert: [markRow(lineText(document, line), compactColumn, compact ?? '')],
    }));
}

/** The older directive at the head of a phase becomes a sentinel. */
export function hasOlderDirective({ legacy }: PhaseFile['compact']): boolean {
  return legacy.some(({ form }) => form === 'directive');
}

function sentinelPhases({ phases }: SkillPackage): PhaseFile[] {
  return phases.filter(({ compact }) => compact.sentinel !== undefined || hasOlderDirective(compact));
}

function addCell(document: Document, line: number, cell: string): LineEdit {
  const text = lineText(document, line).trimEnd();
  return { from: line, to: line + 1, insert: [text.endsWith('|') ? text + cell : `${text} |${cell}`] };
}

/** Puts the mark into one cell and leaves the others as they are. */
function markRow(row: string, column: number, old: string): string {
  let seen = row.trimStart().startsWith('|') ? -1 : 0;
  for (let index = 0; index < row.length; index += 1) {
    if (row[index] !== '|' || row[index - 1] === '\\') continue;
    seen += 1;
    if (seen !== column) continue;
    const end = row.indexOf('|', index + 1);
    const cell = old.trim() === '' ? compactCell(true) : `${old.trim()} + 🔄 sentinel`;
    return `${row.slice(0, index + 1)} ${cell} ${end < 0 ? '' : row.slice(end)}`.trimEnd();
  }
  return row;
}
