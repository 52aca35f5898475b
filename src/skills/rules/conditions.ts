import { type Document, lineText } from '../document/document.ts';
import { containsAny, type Occurrence, occurrences, summarised } from '../lint/occurrences.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import { conditionVariables, ordinalLevels } from '../model/condition.ts';
import { namesIn } from './data-flow.ts';
import { mentionsIn } from './mentions.ts';

const levels = ordinalLevels.join('|');
const quotedLevels = ordinalLevels.flatMap((level) => [`'${level}'`, `"${level}"`]);
const ordinalAsString = new RegExp(
  `[\\w$.\\])][ \\t]*(?:>=|<=|>|<)[ \\t]*(["'])(?:${levels})\\1|(["'])(?:${levels})\\2[ \\t]*(?:>=|<=|>|<)[ \\t]*[\\w$(]`,
  'g',
);

/** `<names, or "none"> (…)` is a placeholder whose end is no comparison. */
function endsPlaceholder(document: Document, { line, offset, match }: Occurrence): boolean {
  const before = document.text.slice(document.lineStarts[line] ?? 0, offset);
  return /^["'].*>[ \t]*[\w$(]$/.test(match[0]) && /<[^<>]*$/.test(before);
}

/** What conditions of phases compare, and where their skip branches lead. */
export const conditionRules: readonly Rule[] = [
  {
    id: 'DF004',
    severity: 'error',
    in: { single: 'off' },
    fence: 'none',
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
    id: 'DF008',
    severity: 'error',
    in: { single: 'off' },
    fence: 'none',
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
