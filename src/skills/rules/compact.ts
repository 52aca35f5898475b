import { linesText, lineText } from '../../base/markdown/document.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import type { SkillPackage } from '../model/package.ts';
import { findHeading, type PhaseFile, type Step } from '../model/phase-file.ts';

/** Phases whose row is marked 🔄. */
export function guardedPhases({ skill, phases }: SkillPackage): PhaseFile[] {
  const rows = skill?.phaseTable?.rows ?? [];
  return phases.filter(({ document }) =>
    rows.some(({ target, guarded }) => guarded && target === document.path),
  );
}

/** Calls of an agent or of a command line agent. */
export const criticalCall =
  /\b(?:Task|Agent)\(|subagent_type|\bBash\([^\n]*\b(?:ccw cli|codex|gemini|claude|qwen|opencode)\b/;

/** S-086: steps that dispatch an agent, launch a command line agent or review. */
function isCriticalStep({ document }: PhaseFile, step: Step): boolean {
  if (/\breview\b/i.test(step.title)) return true;
  return criticalCall.test(linesText(document, step.line + 1, step.endLine));
}

/** Critical steps without a checkpoint in the step or right above its heading. */
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
    id: 'CP002',
    severity: 'error',
    fixable: true,
    summary: '🔄 in the table and a sentinel in the file go together.',
    why: 'A mark without a sentinel promises a recovery that does not happen; a sentinel without a mark is not looked for.',
    hint: 'Run `charrette skill sync`.',
    bad: 'a row marked 🔄, no sentinel in 04-x.md',
    check: ({ skill, phases }) => {
      const table = skill?.phaseTable;
      if (skill === undefined || table === undefined || table.compactColumn < 0) return [];
      return phases.flatMap(({ document, file, compact }): Draft[] => {
        const row = table.rows.find(({ target }) => target === document.path);
        if (row === undefined || row.guarded === (compact.sentinel !== undefined)) return [];
        return row.guarded
          ? [at(document, 0, `The table marks ${file} with 🔄 but the file has no sentinel.`)]
          : [at(skill.document, row.line, `${file} has a sentinel but its row is not marked 🔄.`)];
      });
    },
  },
  {
    id: 'CP003',
    severity: 'error',
    fixable: true,
    summary: 'The sentinel counts the step headings of its file.',
    why: 'The count is how a reader notices that steps are gone; a wrong one hides it.',
    hint: 'Run `charrette skill sync`.',
    bad: 'contains 4 execution steps, with 2.1, 2.2, 2.2b, 2.3, 2.4',
    check: (subject) =>
      sentinels(subject, ({ steps }, { count }) => {
        if (count === undefined) return 'The sentinel names no number of steps.';
        return count === steps.length
          ? undefined
          : `The sentinel says ${count} steps, the file has ${steps.length}.`;
      }),
  },
  {
    id: 'CP004',
    severity: 'error',
    fixable: true,
    summary: 'The sentinel names the first and the last step of its file.',
    why: 'A reader checks the ends of the range first.',
    hint: 'Run `charrette skill sync`.',
    bad: '(Step 4.1 — 4.4) while the first is 4.0',
    check: (subject) =>
      sentinels(subject, ({ steps }, { first, last }) => {
        const [from, to] = [steps[0]?.id, steps.at(-1)?.id];
        if (from === undefined || to === undefined || first === undefined) return undefined;
        return first === from && last === to
          ? undefined
          : `The sentinel says Step ${first} — ${last}, the file has ${from} — ${to}.`;
      }),
  },
  {
    id: 'CP005',
    severity: 'error',
    fixable: true,
    summary: 'The sentinel has the phase number of its file name and heading.',
    why: 'It is read without the rest of the file, so the number is all there is.',
    hint: 'Correct the heading, or run `charrette skill sync` for the sentinel.',
    bad: '[Phase 5: …] in a file headed Phase 2',
    check: ({ phases }) =>
      phases.flatMap(({ document, number, titleNumber, compact: { sentinel } }): Draft[] => {
        const own = number ?? titleNumber;
        if (sentinel?.phase === undefined || own === undefined) return [];
        const named = Number(sentinel.phase);
        if (named !== own)
          return [at(document, sentinel.line, `The sentinel says Phase ${named}, the file is Phase ${own}.`)];
        if (titleNumber === undefined || titleNumber === own) return [];
        const message = `The sentinel says Phase ${named} like the file name, the heading Phase ${titleNumber}.`;
        return [{ ...at(document, sentinel.line, message), fixable: false }];
      }),
  },
  {
    id: 'CP006',
    severity: 'error',
    fixable: true,
    summary: 'The recovery path of sentinels and checkpoints is this file, and exists.',
    why: 'Recovery that reads another file continues with the wrong protocol.',
    hint: 'Run `charrette skill sync`.',
    bad: 'Read("phases/02-lite-execute.md") in a package without phases/',
    check: (subject) => [
      ...sentinels(subject, ({ document }, { recovery }) => {
        if (recovery === undefined) return 'The sentinel has no recovery path.';
        return samePath(recovery, document)
          ? undefined
          : `The sentinel recovers from ${recovery}, this file is ${document.path}.`;
      }),
      ...missingRecoveries(subject),
    ],
  },
  {
    id: 'CP007',
    severity: 'warning',
    fixable: true,
    summary: 'The sentinel follows the H1, before any H2.',
    why: 'Summaries keep the head of a file.',
    hint: 'Run `charrette skill sync`.',
    bad: 'a sentinel at line 80',
    check: (subject) =>
      sentinels(subject, ({ document, title }, { line }) => {
        const early = document.headings.some(({ level, line: heading }) => level >= 2 && heading < line);
        return early || (title !== undefined && line < title.line)
          ? 'The sentinel does not stand right after the H1.'
          : undefined;
      }),
  },
  {
    id: 'CP008',
    severity: 'warning',
    in: { single: 'off' },
    fixable: true,
    summary: 'SKILL.md has a compact directive when any phase is marked 🔄.',
    why: 'It names what a compaction must keep whole.',
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
    summary: 'Step ids belong to their phase: N.k.',
    why: 'Step 2.1 in phase 5 is looked for in phase 2.',
    hint: 'Renumber the steps, then run `charrette skill sync`.',
    bad: 'Step 2.1 in phase 5',
    check: ({ phases }) =>
      phases.flatMap((phase) => {
        if (phase.number === undefined) return [];
        const misplaced = phase.steps.filter(
          ({ id }) => id.includes('.') && Number(id.split('.', 1)[0]) !== Math.floor(phase.number ?? 0),
        );
        const [first] = misplaced;
        if (first === undefined) return [];
        return [
          at(
            phase.document,
            first.line,
            `Step ${first.id} stands in phase ${phase.number} (${misplaced.length} such).`,
          ),
        ];
      }),
  },
];

/** In a phase that has a sentinel, with it at hand. */
function sentinels(
  subject: SkillPackage,
  look: (phase: PhaseFile, sentinel: NonNullable<PhaseFile['compact']['sentinel']>) => string | undefined,
): Draft[] {
  return subject.phases.flatMap((phase) => {
    const { sentinel } = phase.compact;
    if (sentinel === undefined) return [];
    const message = look(phase, sentinel);
    return message === undefined ? [] : [at(phase.document, sentinel.line, message)];
  });
}

/** Checkpoints, and a sentinel in SKILL.md, that name a file the package does not have. */
function missingRecoveries({ skill, phases, files }: SkillPackage): Draft[] {
  const own = skill?.compact.sentinel;
  const marked = [
    ...(skill === undefined
      ? []
      : [{ ...skill, marks: [...skill.compact.checkpoints, ...(own === undefined ? [] : [own])] }]),
    ...phases.map((phase) => ({ ...phase, marks: phase.compact.checkpoints })),
  ];
  return marked.flatMap(({ document, marks }) =>
    marks.flatMap(({ line, recovery }): Draft[] => {
      if (recovery === undefined || /[{}<>$*]/.test(recovery)) return [];
      if (files.listing.has(recovery.replace(/^\.\//, ''))) return [];
      const found = at(document, line, `The recovery path ${recovery} does not exist.`);
      const coordinates = document.path === 'SKILL.md' && phases.length > 0;
      return [coordinates ? { ...found, fixable: false } : found];
    }),
  );
}
