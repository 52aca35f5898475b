import { linesText, lineText } from '../document/document.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import type { SkillPackage } from '../model/package.ts';
import { findHeading, type PhaseFile } from '../model/phase-file.ts';
import type { Step } from '../model/steps.ts';

/** Phases whose row is marked 🔄. */
export function guardedPhases({ skill, phases }: SkillPackage): PhaseFile[] {
  const rows = skill?.phaseTable?.rows ?? [];
  return phases.filter(({ document }) =>
    rows.some(({ target, guarded }) => guarded && target === document.path),
  );
}

/** Signs of an agent or a command line agent at work. */
export const criticalCall =
  /\b(?:Task|Agent)\(|subagent_type|\bBash\([^\n]*\b(?:ccw cli|codex|gemini|claude|qwen|opencode)\b/;

/** S-086: steps that dispatch an agent, launch a command line agent or review. */
function isCriticalStep({ document }: PhaseFile, step: Step): boolean {
  if (/\breview\b/i.test(step.title)) return true;
  return criticalCall.test(linesText(document, step.line + 1, step.endLine));
}

/** Critical steps without a checkpoint; one counts that stands in the step or right above its heading. */
export function uncheckedSteps(phase: PhaseFile): Step[] {
  const { compact, document, steps } = phase;
  let next = 0;
  return steps.filter((step) => {
    // Steps and checkpoints are both in the order of the file.
    while ((compact.checkpoints[next]?.line ?? step.line) < step.line) next += 1;
    const [above, inside] = [compact.checkpoints[next - 1], compact.checkpoints[next]];
    if (inside !== undefined && inside.line < step.endLine) return false;
    if (above !== undefined && linesText(document, above.endLine, step.line).trim() === '') return false;
    return isCriticalStep(phase, step);
  });
}

/** The path that a recovery line names is that of the document. */
export function samePath(recovery: string, document: { path: string }): boolean {
  return recovery.replace(/^\.\//, '') === document.path;
}

export const compactRules: readonly Rule[] = [
  {
    id: 'CP001',
    severity: 'warning',
    in: { single: 'off' },
    fixable: true,
    fence: 'none',
    summary: 'The phase table has a Compact column.',
    why: 'It says which phases carry a sentinel, so that a compacted context can be repaired by the table alone.',
    hint: 'Add a Compact column; mark guarded phases with 🔄 sentinel.',
    bad: 'a phase table with three columns',
    check: ({ skill }) =>
      skill?.phaseTable === undefined || skill.phaseTable.compactColumn >= 0
        ? []
        : [at(skill.document, skill.phaseTable.table.line, 'The phase table has no Compact column.')],
  },
  {
    id: 'CP008',
    severity: 'warning',
    in: { single: 'off' },
    fixable: true,
    fence: 'none',
    summary: 'SKILL.md has a compact directive when any phase is marked 🔄.',
    why: 'It tells whoever compacts what to keep whole.',
    hint: 'Run `charrette skill fix`.',
    bad: 'no directive block',
    check: (subject) => {
      const { skill } = subject;
      if (skill === undefined || skill.compact.directive !== undefined) return [];
      const marked = skill.phaseTable?.rows.some(({ guarded }) => guarded) ?? false;
      const line = findHeading(skill.document, /^execution flow$/i)?.line ?? 0;
      return marked ? [at(skill.document, line, 'There is no compact directive.')] : [];
    },
  },
  {
    id: 'CP009',
    severity: 'warning',
    fixable: true,
    fence: 'none',
    summary:
      'In a guarded phase every step that dispatches an agent, launches a CLI or reviews has a checkpoint.',
    why: 'These steps are long; what was in context before may be gone when they start.',
    hint: 'Run `charrette skill sync`.',
    bad: 'a CLI launch step without a checkpoint',
    check: (subject) =>
      guardedPhases(subject).flatMap((phase) =>
        uncheckedSteps(phase).map((step) =>
          at(phase.document, step.line, `Step ${step.id} has no checkpoint.`),
        ),
      ),
  },
  {
    id: 'CP010',
    severity: 'warning',
    fixable: true,
    fence: 'none',
    summary: 'A checkpoint names both conditions and its own file.',
    why: 'Half a checkpoint passes when it should not.',
    hint: 'Run `charrette skill sync`.',
    bad: 'one line: re-read if only a summary remains',
    check: ({ phases }) =>
      phases.flatMap(({ document, compact }) =>
        compact.checkpoints.flatMap(({ line, namesStatus, namesProtocol, recovery }): Draft[] => {
          const lacks = [
            ...(namesStatus ? [] : ['the in_progress condition']),
            ...(namesProtocol ? [] : ['the condition that all steps are present']),
            ...(recovery !== undefined && samePath(recovery, document) ? [] : ['the path of this file']),
          ];
          return lacks.length === 0 ? [] : [at(document, line, `The checkpoint lacks ${lacks.join(', ')}.`)];
        }),
      ),
  },
  {
    id: 'CP011',
    severity: 'warning',
    fence: 'none',
    summary: 'A phase that another phase hands over to is marked 🔄.',
    why: 'A direct handoff runs deep in a conversation, where compaction is likely.',
    hint: 'Mark the target’s row with 🔄 and run `charrette skill sync`.',
    bad: 'phase 1 reads phases/02-x.md, row 2 unmarked',
    check: ({ skill, phases, references }) => {
      const rows = skill?.phaseTable?.rows ?? [];
      if (skill?.phaseTable === undefined || skill.phaseTable.compactColumn < 0) return [];
      const seen = new Set<string>();
      return references.flatMap(({ kind, target, document, line }): Draft[] => {
        if (kind !== 'read' || document.path === 'SKILL.md' || document.path === target || seen.has(target))
          return [];
        if (/^\s*>/.test(lineText(document, line))) return [];
        const row = rows.find((candidate) => candidate.target === target);
        if (row === undefined || row.guarded || !phases.some((phase) => phase.document.path === target))
          return [];
        seen.add(target);
        return [at(document, line, `${target} is handed over to but not marked 🔄.`)];
      });
    },
  },
  {
    id: 'CP012',
    severity: 'info',
    fixable: true,
    fence: 'none',
    summary: 'No markers of the older compact form.',
    why: 'The older form forbade compaction, which no file can do.',
    hint: 'Run `charrette skill fix`.',
    bad: '⚠️ COMPACT PROTECTION',
    check: ({ phases, skill }) =>
      [
        ...(skill === undefined ? [] : [{ document: skill.document, compact: skill.compact }]),
        ...phases.map(({ document, compact }) => ({ document, compact })),
      ].flatMap(({ document, compact }) =>
        compact.legacy.map(({ line }) => at(document, line, 'This marker has the older form.')),
      ),
  },
  {
    id: 'CP013',
    severity: 'warning',
    fence: 'none',
    summary: 'Step ids belong to their phase: N.k.',
    why: 'Step 2.1 in phase 5 is looked for in phase 2.',
    hint: 'Renumber the steps, then run `charrette skill sync`.',
    bad: 'Step 2.1 in phase 5',
    check: ({ phases }) =>
      phases.flatMap((phase) => {
        if (phase.number === undefined) return [];
        const strangers = phase.steps.filter(
          ({ id }) => id.includes('.') && Number(id.split('.', 1)[0]) !== Math.floor(phase.number ?? 0),
        );
        const [first] = strangers;
        if (first === undefined) return [];
        return [
          at(
            phase.document,
            first.line,
            `Step ${first.id} stands in phase ${phase.number} (${strangers.length} such).`,
          ),
        ];
      }),
  },
];
