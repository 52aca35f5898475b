import { lineKind, lineText } from '../document/document.ts';
import { compactCell } from '../generate/compact-text.ts';
import type { SkillPackage } from '../model/package.ts';
import { findHeading, type PhaseFile } from '../model/phase-file.ts';
import { applyLineEdits, type LineEdit } from './lines.ts';

const provenance =
  /^[ \t>]*(?:[-*][ \t]+)?[*_]{0,3}(?:(?:source|origin|provenance|来源|出处|源)[*_]{0,3}\s*[:：][*_]{0,3}.*(?:convert|extract|migrat|转换|迁移|commands\/)|(?:converted|extracted|migrated|ported|转换)\s*(?:from|自).*(?:commands?\/|\bcommand\b|\.md))/i;

/** HY004: provenance lines go, with the blank line after them. */
export function removeProvenance({ document }: PhaseFile): string {
  const edits: LineEdit[] = [];
  for (let line = 0; line < document.lineStarts.length; line += 1) {
    const kind = document.kinds[line];
    if (kind !== lineKind.text && kind !== lineKind.quote) continue;
    if (!provenance.test(lineText(document, line))) continue;
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
        `- **TodoWrite**: Mark Phase ${number ?? 'N'} completed`,
      ]),
    });
  }
  return applyLineEdits(document, edits);
}

/** RF006: every phase but the last leads on, the last one ends. */
export function addNextPhase(
  { document, nextPhase, completion }: PhaseFile,
  next: PhaseFile | undefined,
  router: boolean,
): string {
  const end = document.lineStarts.length;
  const done = [
    '## Completion',
    '',
    'Return to the orchestrator. The workflow is complete; report the outputs of every phase.',
  ];
  if (next === undefined || router) {
    if (completion !== undefined) return document.text;
    if (nextPhase === undefined || router)
      return nextPhase === undefined
        ? applyLineEdits(document, [{ from: end, to: end, insert: ['', ...done] }])
        : document.text;
    return applyLineEdits(document, [{ from: nextPhase.line, to: nextPhase.endLine, insert: done }]);
  }
  if (nextPhase !== undefined) return document.text;
  const link = `Return to orchestrator, then auto-continue to [Phase ${next.number ?? ''}: ${next.name}](${next.file}).`;
  return applyLineEdits(document, [{ from: end, to: end, insert: ['', '## Next Phase', '', link] }]);
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
