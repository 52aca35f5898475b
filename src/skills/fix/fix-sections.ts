import { type Document, type Heading, lineKind, lineText } from '../../base/markdown/document.ts';
import { compactCell } from '../model/compact.ts';
import type { SkillPackage } from '../model/package.ts';
import { findHeading, type PhaseFile } from '../model/phase-file.ts';
import { provenanceNotes } from '../rules/hygiene.ts';

/** HY004: provenance lines go, with the blank line after them. */
export function removeProvenance({ document }: PhaseFile): string {
  const edits: LineEdit[] = [];
  for (const { line } of provenanceNotes(document)) {
    const kind = document.kinds[line];
    if (kind !== lineKind.text && kind !== lineKind.quote) continue;
    const blankBefore = line === 0 || document.kinds[line - 1] === lineKind.blank;
    const to = blankBefore && document.kinds[line + 1] === lineKind.blank ? line + 2 : line + 1;
    edits.push({ from: line, to, insert: [] });
  }
  return applyLineEdits(document, edits);
}

/** SC005: Objective after the head of the file, Output before the closing section. */
export function addPhaseSections({
  document,
  title,
  name,
  number,
  titleNumber,
  nextPhase,
  completion,
}: PhaseFile): string {
  const edits: LineEdit[] = [];
  const firstSection = document.headings.find(({ level }) => level >= 2)?.line ?? document.lineStarts.length;
  if (findHeading(document, /^(?:objectives?|goals?|目标)$/i) === undefined) {
    edits.push({
      from: firstSection,
      to: firstSection,
      insert: spaced(document.lineStarts.length, firstSection, [
        '## Objective',
        '',
        `- Complete ${name || title?.title || 'this phase'}.`,
      ]),
    });
  }
  if (
    findHeading(document, /^(?:outputs?|output (?:artifacts|files|specification|format)|输出)$/i) ===
    undefined
  ) {
    const at = nextPhase?.line ?? completion?.line ?? document.lineStarts.length;
    edits.push({
      from: at,
      to: at,
      insert: spaced(document.lineStarts.length, at, [
        '## Output',
        '',
        `- **TodoWrite**: Mark ${phaseOf(number ?? titleNumber)} completed`,
      ]),
    });
  }
  return applyLineEdits(document, edits);
}

const phaseOf = (number: number | undefined) => (number === undefined ? 'this phase' : `Phase ${number}`);

const atTheEnd = 'Return to the orchestrator. The workflow is complete; report the outputs of every phase.';

/** A line that is nothing but the way to another phase. */
const wayOn =
  /^[\s>*-]*(?:return to (?:the )?orchestrator[,.;]?\s*)?(?:then\s+)?(?:(?:auto-?)?(?:continue|proceed|go on|move on|next)\s*(?:to|with|:)?\s*)?\**\[[^\]]*\]\([^)]*\)\**[.。]?\s*$/i;

/** RF006: every phase but the last leads on, the last one ends. A last one that goes back to an earlier one is left. */
export function addNextPhase(
  phase: PhaseFile,
  next: PhaseFile | undefined,
  { router, goesBack }: { router: boolean; goesBack: boolean },
): string {
  const { document, nextPhase, completion } = phase;
  // Files without numbers have no order that could be followed.
  if (!router && (phase.number ?? phase.titleNumber) === undefined) return document.text;
  const append = (...lines: string[]) => {
    const end = document.lineStarts.length;
    return applyLineEdits(document, [{ from: end, to: end, insert: ['', ...lines] }]);
  };
  if (next === undefined || router) {
    if (completion !== undefined) return document.text;
    if (nextPhase === undefined) return append('## Completion', '', atTheEnd);
    return router || goesBack ? document.text : applyLineEdits(document, endHere(document, nextPhase));
  }
  const following = next.number ?? next.titleNumber;
  if (nextPhase !== undefined || following === undefined) return document.text;
  const link = `Return to orchestrator, then auto-continue to [Phase ${following}: ${next.name}](${next.file}).`;
  return append('## Next Phase', '', link);
}

/** The section keeps what it says; only its name and the way to a phase that is not there change. */
function endHere(document: Document, { line: heading, endLine }: Heading): LineEdit[] {
  const title = lineText(document, heading).replace(/next\s+phase/i, 'Completion');
  const edits: LineEdit[] = [{ from: heading, to: heading + 1, insert: [title] }];
  let told = false;
  for (let line = heading + 1; line < endLine; line += 1) {
    const kind = document.kinds[line];
    const prose = kind === lineKind.text || kind === lineKind.quote;
    if (prose && wayOn.test(lineText(document, line).slice(0, 1_000))) {
      edits.push({ from: line, to: line + 1, insert: told ? [] : [atTheEnd] });
      told = true;
    } else if (kind !== lineKind.blank) told = true;
  }
  if (!told) edits.push({ from: heading + 1, to: heading + 1, insert: ['', atTheEnd] });
  return edits;
}

/** S-099: the table of phases, from the phase files. */
export function addPhaseTable({ skill, phases }: SkillPackage): string | undefined {
  if (skill === undefined || skill.phaseTable !== undefined || phases.length === 0) return undefined;
  const flow = findHeading(skill.document, /^execution flow$/i);
  const at = flow?.endLine ?? skill.document.lineStarts.length;
  const rows = phases.map(({ number, document, name, compact }) => {
    const purpose = (name || document.path).replaceAll('|', '\\|');
    return `| ${number ?? ''} | [${document.path}](${document.path}) | ${purpose} | ${compactCell(compact.sentinel !== undefined)} |`;
  });
  const block = [
    '### Phase Reference Documents',
    '',
    '| Phase | Document | Purpose | Compact |',
    '| --- | --- | --- | --- |',
    ...rows,
  ];
  return applyLineEdits(skill.document, [
    { from: at, to: at, insert: spaced(skill.document.lineStarts.length, at, block) },
  ]);
}

function spaced(count: number, at: number, block: readonly string[]): string[] {
  return at >= count ? ['', ...block] : [...block, ''];
}

/** Lines of a text with their endings kept apart, so that edits do not change how a file ends its lines. */
type Lines = { lines: string[]; newline: '\n' | '\r\n'; finalNewline: boolean };

function toLines(text: string): Lines {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const finalNewline = text.endsWith('\n');
  const lines = text.split(/\r?\n/);
  if (finalNewline) lines.pop();
  return { lines, newline, finalNewline };
}

function fromLines({ lines, newline, finalNewline }: Lines): string {
  return lines.join(newline) + (finalNewline ? newline : '');
}

/** Replaces `[from, to)` by other lines. Of several at one place the later one comes first. */
export type LineEdit = { from: number; to: number; insert: readonly string[] };

export function applyLineEdits(document: Document, edits: readonly LineEdit[]): string {
  if (edits.length === 0) return document.text;
  const parts = toLines(document.text);
  const lines: string[][] = [];
  let done = 0;
  for (const { from, to, insert } of edits.toReversed().sort((a, b) => a.from - b.from || a.to - b.to)) {
    lines.push(parts.lines.slice(done, from), [...insert]);
    done = Math.max(done, to);
  }
  lines.push(parts.lines.slice(done));
  return fromLines({ ...parts, lines: lines.flat() });
}
