import { type Document, lineAt, lineText } from '../../base/markdown/document.ts';
import { containsAny, type Occurrence, occurrences, summarised } from '../lint/occurrences.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import { conditionVariables, ordinalLevels } from '../model/condition.ts';
import type { SkillPackage } from '../model/package.ts';
import type { PhaseFile } from '../model/phase-file.ts';
import { readPreferencePaths, readPreferenceUses } from '../model/preferences.ts';
import { mentionsIn } from './references.ts';

type Producer = { name: string; kind: 'variable' | 'file'; phase: number };

/** What each phase produces: its own Output section and the Output lines of the flow. */
export function producers({ skill, phases }: SkillPackage): Producer[] {
  const own = phases.flatMap(({ number, outputs }) =>
    number === undefined ? [] : outputs.map(({ name, kind }) => ({ name, kind, phase: number })),
  );
  return [...own, ...(skill?.flow.outputs ?? [])];
}

/** Phases that a condition guards. */
export function conditionalPhases({ skill }: SkillPackage): Set<number> {
  return new Set((skill?.flow.conditions ?? []).flatMap(({ phase }) => phase ?? []));
}

/** Every name that a package gives to a value. */
function namesIn(subject: SkillPackage): Set<string> {
  const { skill, documents } = subject;
  const names = new Set<string>(producers(subject).map(({ name }) => name));
  for (const { variables } of skill?.flow.edges ?? []) for (const name of variables) names.add(name);
  for (const { name } of skill?.flow.inputs ?? []) names.add(name);
  for (const phase of subject.phases) for (const { name } of phase.inputs) names.add(name);
  for (const document of documents) {
    const { reads, writes } = readPreferenceUses(document);
    for (const { key } of [...reads, ...writes]) names.add(key);
    for (const { keys } of readPreferencePaths(document)) for (const key of keys) names.add(key);
  }
  if (skill !== undefined) {
    for (const [, name = ''] of skill.document.text.matchAll(/\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)/g))
      names.add(name);
  }
  return names;
}

const careful =
  /\bif\b|\?\?|\?\.|\|\||\bexists?\b|\boptional|\botherwise\b|\bfallback\b|\bdefault|\bwhen (?:present|available|it)|\bunless\b|\babsent\b|\bskipped\b|若|如果|可选/i;

export const dataFlowRules: readonly Rule[] = [
  {
    id: 'DF001',
    severity: 'error',
    summary: 'The phase an edge starts from declares the variable as output.',
    why: 'Otherwise the next phase waits for a value that no phase writes.',
    hint: 'Name the variable in the Output section of the producing phase.',
    bad: 'phase3→phase4: resolvedArtifacts, phase 3 outputs none',
    check: (subject) => {
      const { skill } = subject;
      if (skill === undefined) return [];
      const made = new Set(producers(subject).map(({ name, phase }) => `${phase} ${name}`));
      return skill.flow.edges.flatMap(({ from, variables, line }): Draft[] => {
        if (from === 'input') return [];
        if (!subject.phases.some(({ number }) => number === from)) {
          return [at(skill.document, line, `The edge starts from phase ${from}, which does not exist.`)];
        }
        return variables
          .filter((name) => !made.has(`${from} ${name}`))
          .map((name) => at(skill.document, line, `Phase ${from} does not declare the output ${name}.`));
      });
    },
  },
  {
    id: 'DF002',
    severity: 'error',
    summary: 'Nothing is consumed before it is produced.',
    why: 'The phase would run with an empty value.',
    hint: 'Move the consumer behind the producer, or produce the value earlier.',
    bad: 'phase 2 uses planPath produced by 4',
    check: (subject) => {
      const { skill } = subject;
      if (skill === undefined) return [];
      const first = new Map<string, number>();
      for (const { name, phase } of producers(subject))
        first.set(name, Math.min(phase, first.get(name) ?? phase));
      const loops = subject.profile === 'loop';
      const early = (name: string, phase: number) => {
        const producer = first.get(name);
        return !loops && producer !== undefined && producer > phase ? producer : undefined;
      };
      const drafts: Draft[] = skill.flow.edges
        .filter(({ from, to }) => !loops && from !== 'input' && from >= to)
        .map(({ from, to, line }) =>
          at(skill.document, line, `The edge leads from phase ${from} back to phase ${to}.`),
        );
      for (const { name, phase, line } of skill.flow.inputs) {
        const producer = early(name, phase);
        if (producer !== undefined)
          drafts.push(
            at(skill.document, line, `Phase ${phase} uses ${name}, which phase ${producer} produces.`),
          );
      }
      for (const { document, number, inputs } of subject.phases) {
        for (const { name, line } of inputs) {
          const producer = number === undefined ? undefined : early(name, number);
          if (producer !== undefined)
            drafts.push(
              at(document, line, `Phase ${number} uses ${name}, which phase ${producer} produces.`),
            );
        }
      }
      return drafts;
    },
  },
  {
    id: 'DF003',
    severity: 'warning',
    in: { single: 'off', router: 'off' },
    summary: 'A variable that a phase outputs is consumed later.',
    why: 'An unused output is a lost thread, or work done for nothing.',
    hint: 'Use it in a later phase or drop it.',
    bad: 'contextPath unused later',
    check: ({ phases, skill }) => {
      const { edges = [], inputs = [], conditions = [] } = skill?.flow ?? {};
      const used = new Set([
        ...edges.flatMap(({ variables }) => variables),
        ...inputs.map(({ name }) => name),
      ]);
      const inConditions = mentionsIn(() => conditions.map(({ expression }) => expression));
      const inPhase = phases.map(({ document }) => mentionsIn(() => [document.text]));
      return phases
        .slice(0, -1)
        .flatMap((phase, index) =>
          phase.outputs
            .filter(
              ({ name, kind }) =>
                kind === 'variable' &&
                !used.has(name) &&
                !inConditions(name) &&
                !inPhase.some((mentions, later) => later > index && mentions(name)),
            )
            .map(({ name, line }) => at(phase.document, line, `No later phase uses ${name}.`)),
        );
    },
  },
  {
    id: 'DF004',
    severity: 'error',
    in: { single: 'off' },
    summary: 'A condition uses only known variables.',
    why: 'An unknown name is never true, so the phase is always skipped.',
    hint: 'Use the name under which the value is produced.',
    bad: 'if riskLevel >= medium, only conflictRisk exists',
    check: (subject) => {
      const { skill } = subject;
      if (skill === undefined || skill.flow.conditions.length === 0) return [];
      const known = namesIn(subject);
      const lines = new Set(skill.flow.conditions.map(({ line }) => line));
      const elsewhere = mentionsIn(() => [
        ...subject.phases.map(({ document }) => document.text),
        ...skill.document.lineStarts.flatMap((_, line) =>
          lines.has(line) ? [] : [lineText(skill.document, line)],
        ),
      ]);
      return skill.flow.conditions.flatMap(({ condition, line }): Draft[] => {
        if (condition === undefined) return [];
        return conditionVariables(condition)
          .filter(
            (name) =>
              !known.has(name) &&
              !known.has(name.split('.').at(-1) ?? '') &&
              !known.has(name.split('.')[0] ?? '') &&
              !elsewhere(name),
          )
          .map((name) => at(skill.document, line, `The condition uses ${name}, which nothing produces.`));
      });
    },
  },
  {
    id: 'DF005',
    severity: 'error',
    fence: 'fences',
    summary: 'Ordered levels are not compared as strings.',
    why: "As strings 'high' is less than 'medium', so the riskiest case is the one that is skipped.",
    hint: 'Compare positions in none < low < medium < high < critical, or write the level without quotes in a condition.',
    bad: "conflictRisk >= 'medium'",
    check: ({ documents }) =>
      documents.flatMap((document) => {
        if (!containsAny(document.text, quotedLevels)) return [];
        return summarised(
          document,
          occurrences(document, ordinalAsString, 'fences').filter(
            (found) => !endsPlaceholder(document, found),
          ),
          'A level is compared as a string',
        );
      }),
  },
  {
    id: 'DF006',
    severity: 'warning',
    in: { single: 'off' },
    summary: 'A phase that uses the output of a conditional phase has a fallback.',
    why: 'When the phase is skipped the value or file is missing.',
    hint: 'Say what to do when it is absent.',
    bad: 'phase 4 reads conflict-resolution.json unconditionally',
    check: (subject) => {
      const conditional = conditionalPhases(subject);
      if (conditional.size === 0) return [];
      const always = new Set(
        producers(subject).flatMap(({ name, phase }) => (conditional.has(phase) ? [] : [name])),
      );
      return subject.phases
        .filter(({ number }) => number !== undefined && conditional.has(number))
        .flatMap((source) =>
          source.outputs
            .filter(({ name }) => !always.has(name))
            .flatMap(({ name }) =>
              subject.phases.flatMap((consumer) => unguardedUse(source, consumer, name)),
            ),
        );
    },
  },
  {
    id: 'DF007',
    severity: 'warning',
    summary: 'One concept has one spelling.',
    why: 'Two spellings are two variables; one of them is empty.',
    hint: 'Use one spelling everywhere.',
    bad: 'conflictRisk and conflict_risk',
    check: (subject) => {
      const { skill } = subject;
      if (skill === undefined || subject.phases.length === 0) return [];
      const spellings = new Map<string, string>();
      const drafts: Draft[] = [];
      for (const name of namesIn(subject)) {
        if (name.includes('.')) continue;
        const key = name.replaceAll('_', '').toLowerCase();
        const other = spellings.get(key);
        if (other === undefined) spellings.set(key, name);
        else if (other !== name && other.toLowerCase() !== name) {
          const offset = skill.document.text.indexOf(name);
          drafts.push(
            at(
              skill.document,
              offset < 0 ? 0 : lineAt(skill.document, offset),
              `${name} and ${other} are one name in two spellings.`,
            ),
          );
        }
      }
      return drafts;
    },
  },
  {
    id: 'DF008',
    severity: 'error',
    in: { single: 'off' },
    summary: 'A skip branch leads to a phase that exists.',
    why: 'A last phase that is conditional has no next one to skip to.',
    hint: 'Skip to an existing phase or to completion.',
    bad: 'the last phase is conditional: Skip to Phase 7 of 6',
    check: ({ skill, phases }) => {
      if (skill === undefined || phases.length === 0) return [];
      return skill.flow.skips
        .filter(({ target }) => !phases.some(({ number }) => number === target))
        .map(({ target, line }) =>
          at(skill.document, line, `The branch skips to phase ${target}, which does not exist.`),
        );
    },
  },
];

/** The first line of a later phase that names the value, when neither it nor its neighbours look careful. */
function unguardedUse(source: PhaseFile, consumer: PhaseFile, name: string): Draft[] {
  if ((consumer.number ?? 0) <= (source.number ?? 0)) return [];
  const { document } = consumer;
  const offset = document.text.indexOf(name);
  if (offset < 0) return [];
  const line = lineAt(document, offset);
  for (let near = line - 2; near <= line + 2; near += 1) {
    if (near >= 0 && careful.test(lineText(document, near).slice(0, 400))) return [];
  }
  return [at(document, line, `${name} comes from phase ${source.number}, which may be skipped.`)];
}

const levels = ordinalLevels.join('|');
const quotedLevels = ordinalLevels.flatMap((level) => [`'${level}'`, `"${level}"`]);
const ordinalAsString = new RegExp(
  `[\\w$.\\])][ \\t]*(?:>=|<=|>|<)[ \\t]*(["'])(?:${levels})\\1|(["'])(?:${levels})\\2[ \\t]*(?:>=|<=|>|<)[ \\t]*[\\w$(]`,
  'g',
);

/** `<names, or "none"> (…)` is a placeholder whose end is not a comparison. */
function endsPlaceholder(document: Document, { line, offset, match }: Occurrence): boolean {
  const before = document.text.slice(document.lineStarts[line] ?? 0, offset);
  return /^["'].*>[ \t]*[\w$(]$/.test(match[0]) && /<[^<>]*$/.test(before);
}
