import { at, type Draft, type Rule } from '../lint/rule.ts';
import type { SkillPackage } from '../model/package.ts';
import type { PhaseFile } from '../model/phase-file.ts';
import { samePath } from './compact.ts';

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

/** What a sentinel says against what its file holds. */
export const sentinelRules: readonly Rule[] = [
  {
    id: 'CP002',
    severity: 'error',
    fixable: true,
    fence: 'none',
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
    fence: 'none',
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
    fence: 'none',
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
    fence: 'none',
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
    fence: 'none',
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
    fence: 'none',
    summary: 'The sentinel stands right after the H1, before any H2.',
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
];
