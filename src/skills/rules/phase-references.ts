import path from 'node:path';
import { type Document, lineText } from '../../base/markdown/document.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import type { SkillPackage } from '../model/package.ts';
import { findHeading, type PhaseFile } from '../model/phase-file.ts';
import { handoffCycle, handoffOf, isPlaceholder } from '../model/references.ts';
import { normal } from './references.ts';

/** Files of `phases/` that a document names, whatever the notation. */
function phasesNamed(document: Document): Set<string> {
  return new Set(
    [...document.text.matchAll(/phases\/([^\s)\]`"'|,;#]{1,200}?\.md)/g)].map((match) => match[1] ?? ''),
  );
}

/** A link may shorten the title it leads to. */
const sameTitle = (a: string, b: string) => {
  const [left, right] = [normal(a), normal(b)];
  return left.includes(right) || right.includes(left);
};

/** How SKILL.md and phases refer to phases: table, flow, next phase, orphans. */
export const phaseReferenceRules: readonly Rule[] = [
  {
    id: 'RF002',
    severity: 'error',
    in: { single: 'off' },
    fixable: true,
    summary: 'SKILL.md has a Phase Reference Documents table.',
    why: 'It is the one place that says which file a phase is, also after compaction.',
    hint: 'Add a table with the columns Phase, Document, Purpose, Compact.',
    bad: 'a flow without a table',
    check: ({ skill, phases }) =>
      skill === undefined || skill.phaseTable !== undefined || phases.length === 0
        ? []
        : [
            at(
              skill.document,
              findHeading(skill.document, /^execution flow$/i)?.line ?? 0,
              'There is no table of phase documents.',
            ),
          ],
  },
  {
    id: 'RF003',
    severity: 'error',
    in: { single: 'off' },
    summary: 'Each phase has one row in the table, and number and file of a row agree.',
    why: 'The coordinator looks phases up by number.',
    hint: 'Give every phase a row with its own number and path.',
    bad: 'row 2 pointing to phases/03-x.md',
    check: ({ skill, phases }) => {
      if (skill?.phaseTable === undefined) return [];
      const { rows, table } = skill.phaseTable;
      const drafts: Draft[] = [];
      for (const { line, number, target } of rows) {
        const inFile = target === undefined ? undefined : /phases\/(\d+(?:\.\d+)?)/.exec(target)?.[1];
        if (number !== undefined && inFile !== undefined && Number(inFile) !== number) {
          drafts.push(at(skill.document, line, `Row ${number} points to ${target}.`));
        }
      }
      for (const { document, file } of phases) {
        if (!rows.some(({ target }) => target === document.path)) {
          drafts.push(at(skill.document, table.line, `${file} has no row in the phase table.`));
        }
      }
      return drafts;
    },
  },
  {
    id: 'RF004',
    severity: 'warning',
    in: { single: 'off' },
    fence: 'everywhere',
    summary: 'Each phase has a Ref in the Execution Flow, or is in the routing table.',
    why: 'The flow is where the coordinator learns to load the file.',
    hint: 'Add Ref: phases/NN-slug.md under the phase in Execution Flow.',
    bad: 'a phase named only in the table',
    check: ({ skill, phases }) => {
      if (skill === undefined) return [];
      const { document, phaseTable, routing } = skill;
      const flow = findHeading(document, /^execution flow$/i);
      if (flow === undefined) return [];
      const tableLines = new Set(phaseTable?.rows.map(({ line }) => line));
      const named = new Set<string>(routing?.rows.flatMap(({ targets }) => targets));
      for (let line = flow.line; line < flow.endLine; line += 1) {
        if (tableLines.has(line)) continue;
        for (const found of lineText(document, line).matchAll(/phases\/[^\s)\]`"'|,;#]{1,200}?\.md/g))
          named.add(found[0]);
      }
      return phases
        .filter((phase) => !named.has(phase.document.path))
        .map(({ file }) => at(document, flow.line, `The flow has no Ref to ${file}.`));
    },
  },
  {
    id: 'RF005',
    severity: 'error',
    summary: 'The Next Phase link resolves, and its number, title and file agree.',
    why: 'A link that says one phase and opens another runs the wrong one.',
    hint: 'Link the next file with its own heading as text: `[Phase N: Name](NN-slug.md)`.',
    bad: '[Phase 3: Gen](04-gen.md)',
    check: (subject) => subject.phases.flatMap((phase) => nextPhaseProblems(subject, phase)),
  },
  {
    id: 'RF006',
    severity: 'warning',
    in: { single: 'off', router: 'info' },
    fixable: true,
    summary: 'Every phase but the last has a Next Phase section, the last one Completion.',
    why: 'Without it the model stops, or continues past the end.',
    hint: 'Add ## Next Phase with a link, or ## Completion in the last phase.',
    bad: 'the last phase links to Phase 6 of 5',
    check: ({ phases, profile }) =>
      phases.flatMap((phase, index) => {
        const { document, nextPhase, completion } = phase;
        const last = index === phases.length - 1;
        if (!last && profile === 'router' && completion !== undefined) return [];
        if (!last)
          return nextPhase === undefined
            ? [at(document, document.lineStarts.length - 1, 'There is no Next Phase section.')]
            : [];
        if (nextPhase !== undefined && !goesBack(phase, phases)) {
          return [at(document, nextPhase.line, 'The last phase has a Next Phase section.')];
        }
        return completion === undefined && nextPhase === undefined
          ? [at(document, document.lineStarts.length - 1, 'The last phase has no Completion section.')]
          : [];
      }),
  },
  {
    id: 'RF007',
    severity: 'warning',
    summary: 'No orphan files in phases/.',
    why: 'A file without a reference is never read, or is an old version that will be.',
    hint: 'Refer to it or delete it.',
    bad: 'phases/99-old.md',
    check: ({ skill, phases, references }) => {
      if (skill === undefined) return [];
      const named = phasesNamed(skill.document);
      for (const { kind, target, document } of references) {
        if (kind === 'link' && !document.path.endsWith(target)) named.add(path.posix.basename(target));
      }
      for (const phase of phases) {
        for (const file of phasesNamed(phase.document)) if (file !== phase.file) named.add(file);
      }
      return phases
        .filter(({ file }) => !named.has(file))
        .map(({ document, file }) => at(document, 0, `Nothing refers to ${file}.`));
    },
  },
];

/** A loop's last phase may go back to an earlier one. */
export function goesBack({ document, nextPhase }: PhaseFile, phases: readonly PhaseFile[]): boolean {
  const files = new Set(phases.map(({ file }) => file));
  const { line: from, endLine: to } = nextPhase ?? { line: 0, endLine: 0 };
  for (let line = from; line < to; line += 1) {
    const target = /\]\((?:\.\/|phases\/)?([^)\s]{1,200}\.md)/.exec(lineText(document, line))?.[1];
    if (target !== undefined && files.has(target) && !document.path.endsWith(target)) return true;
  }
  return false;
}

function nextPhaseProblems(subject: SkillPackage, phase: PhaseFile): Draft[] {
  const { document, nextPhase } = phase;
  if (nextPhase === undefined) return [];
  const drafts: Draft[] = [];
  for (const reference of subject.references) {
    const { line, target, label, kind } = reference;
    if (
      reference.document !== document ||
      kind !== 'link' ||
      line < nextPhase.line ||
      line >= nextPhase.endLine
    )
      continue;
    if (isPlaceholder(target)) continue;
    const file = path.posix.basename(target);
    const next = subject.phases.find((candidate) => candidate.file === file);
    // RF001 reports a target that does not exist.
    if (next === undefined) continue;
    const named = /phase\s+(\d+(?:\.\d+)?)\s*(?:[:：—–-]\s*(.+))?$/i.exec(label);
    if (named?.[1] !== undefined && Number(named[1]) !== next.number) {
      drafts.push(at(document, line, `The link says Phase ${named[1]} and opens ${file}.`));
    } else if (named?.[2] !== undefined && next.name !== '' && !sameTitle(named[2], next.name)) {
      drafts.push(
        at(
          document,
          line,
          `The link says "${named[2].slice(0, 60)}", the file is headed "${next.name.slice(0, 60)}".`,
        ),
      );
    }
  }
  return drafts;
}

/** Direct handoffs between the phases of one package. */
export const handoffRules: readonly Rule[] = [
  {
    id: 'HO001',
    severity: 'warning',
    in: { single: 'off' },
    fence: 'fences',
    summary: 'Phases do not hand over to each other in a circle.',
    why: 'Each would start the next for ever; a repetition that ends belongs in Loop Control, with its condition.',
    hint: 'Remove one of the handoffs, or describe the repetition in Loop Control.',
    bad: 'phase 1 reads phases/02-x.md, phase 2 reads phases/01-y.md',
    check: ({ phases, references }): Draft[] => {
      const found = phases.flatMap((phase) => {
        const handoff = handoffOf(phase, phases, references);
        if (handoff?.target.number === undefined || phase.number === undefined) return [];
        return [
          { from: phase.number, to: handoff.target.number, document: phase.document, line: handoff.line },
        ];
      });
      const cycle = handoffCycle(new Map(found.map(({ from, to }) => [from, to])));
      const place = found.find(({ from }) => from === cycle?.at(-2));
      if (cycle === undefined || place === undefined) return [];
      return [at(place.document, place.line, `The phases ${cycle.join(' → ')} hand over in a circle.`)];
    },
  },
];
