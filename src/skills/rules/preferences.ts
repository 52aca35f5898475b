import { type Document, lineAt } from '../../base/markdown/document.ts';
import { isTeaching, occurrences, summarised } from '../lint/occurrences.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import { closingBracket } from '../model/calls.ts';
import {
  bareLabel,
  readPreferencePaths,
  readPreferenceUses,
  readQuestionCalls,
} from '../model/preferences.ts';

/** Limits of the question tool. */
export const questionLimits = { questions: 4, fewestOptions: 2, mostOptions: 4, header: 12 } as const;

const brokenFlagPattern = /(?<=[/(|"'`])\\\\?b(?:\((?:\?:)?)?--?[A-Za-z]|(?<=\/)\\b\((?:\?:)?-{1,2}[a-z]/g;
const substringTest = /\$ARGUMENTS\s*\.\s*(?:includes|indexOf)\(\s*["'`]--?[A-Za-z]/g;
const autoGuard =
  /\bif\s*\(\s*(?:workflowPreferences\s*\.\s*)?(?:autoYes|autoMode|isAuto)\s*(?:===\s*true\s*)?\)\s*\{/g;

export const preferenceRules: readonly Rule[] = [
  {
    id: 'PR001',
    severity: 'error',
    in: { single: 'off' },
    fence: 'fences',
    neverInherited: true,
    summary: 'Every preference a phase reads is set in SKILL.md, on all paths.',
    why: 'A path that forgets a key leaves it undefined, which mostly means "no", silently.',
    hint: 'Set the key in every workflowPreferences object of SKILL.md.',
    bad: 'the automatic path sets interactive, another path leaves it undefined',
    check: ({ skill, phases }) => {
      if (skill === undefined) return [];
      const paths = readPreferencePaths(skill.document);
      const own = readPreferenceUses(skill.document);
      const written = new Set(own.writes.map(({ key }) => key));
      const seen = new Set<string>();
      return phases.flatMap(({ document }) =>
        readPreferenceUses(document).reads.flatMap(({ key, line }): Draft[] => {
          if (seen.has(key) || written.has(key) || isTeaching(document, line)) return [];
          seen.add(key);
          if (paths.length === 0) {
            const named = new RegExp(`\\b${key.replaceAll('$', '\\$')}\\b`).test(skill.document.text);
            return named
              ? []
              : [at(document, line, `workflowPreferences.${key} is set nowhere in SKILL.md.`)];
          }
          const without = paths.filter(({ keys, spreads }) => !spreads && !keys.includes(key));
          const [first] = without;
          if (first === undefined) return [];
          if (without.length === paths.length)
            return [at(document, line, `workflowPreferences.${key} is set nowhere in SKILL.md.`)];
          return [
            at(
              skill.document,
              first.line,
              `This path leaves workflowPreferences.${key} undefined, which ${document.path} reads.`,
            ),
          ];
        }),
      );
    },
  },
  {
    id: 'PR002',
    severity: 'warning',
    in: { single: 'off' },
    fence: 'fences',
    summary: 'Every preference that is set is read somewhere.',
    why: 'People are asked a question whose answer changes nothing.',
    hint: 'Use the key in a phase or drop the question.',
    bad: 'forceExplore collected, no phase reads it',
    check: ({ skill, phases, documents }) => {
      if (skill === undefined || phases.length === 0) return [];
      const read = new Set(
        documents.flatMap((document) => readPreferenceUses(document).reads.map(({ key }) => key)),
      );
      const seen = new Set<string>();
      return readPreferencePaths(skill.document).flatMap(({ keys, line }) =>
        keys.flatMap((key): Draft[] => {
          if (read.has(key) || seen.has(key) || isTeaching(skill.document, line)) return [];
          seen.add(key);
          const used = phases.some(({ document }) =>
            new RegExp(`\\b${key.replaceAll('$', '\\$')}\\b`).test(document.text),
          );
          return used ? [] : [at(skill.document, line, `Nothing reads the preference ${key}.`)];
        }),
      );
    },
  },
  {
    id: 'PR003',
    severity: 'error',
    fence: 'fences',
    summary: 'Flags are not looked for with \\b before a dash, nor by substring.',
    why: 'A blank and a dash have no word boundary between them: -y is never found, and x-y is.',
    hint: 'Split the arguments into words, honour quotes and --, and compare whole words.',
    bad: '/\\b(-y|--yes)\\b/.test(args)',
    check: ({ documents }) =>
      documents.flatMap((document) => {
        const broken = document.text.includes('\\b')
          ? occurrences(document, brokenFlagPattern, 'fences')
          : [];
        const substring =
          document.path === 'SKILL.md' ? occurrences(document, substringTest, 'fences', '$ARGUMENTS') : [];
        return [
          ...summarised(document, broken, 'A word boundary stands before a dash, so the flag never matches'),
          ...summarised(document, substring, 'A flag is searched as a substring of all arguments'),
        ];
      }),
  },
  {
    id: 'PR004',
    severity: 'warning',
    fence: 'fences',
    summary: 'Questions keep the limits: at most 4 a call, 2 to 4 options, header at most 12 characters.',
    why: 'The host refuses the call, and the run stops at its first question.',
    hint: 'Split the call, merge options, shorten the header.',
    bad: 'header: "Convergence Review"',
    check: ({ documents }) =>
      documents.flatMap((document) =>
        readQuestionCalls(document).flatMap(({ line, questions }): Draft[] => {
          if (isTeaching(document, line)) return [];
          const { fewestOptions, mostOptions, header: longest } = questionLimits;
          return [
            ...(questions.length > questionLimits.questions
              ? [at(document, line, `One call asks ${questions.length} questions.`)]
              : []),
            ...questions.flatMap(({ line: own, header, labels, open }): Draft[] => [
              ...(header !== undefined && [...header].length > longest
                ? [
                    at(
                      document,
                      own,
                      `The header "${header.slice(0, 40)}" has ${[...header].length} characters.`,
                    ),
                  ]
                : []),
              ...(!open && (labels.length < fewestOptions || labels.length > mostOptions)
                ? [at(document, own, `The question has ${labels.length} options.`)]
                : []),
            ]),
          ];
        }),
      ),
  },
  {
    id: 'PR005',
    severity: 'warning',
    fence: 'fences',
    summary: 'Answers are compared with labels that exist.',
    why: 'The comparison is never true.',
    hint: 'Compare with the label of an option, or with its key.',
    bad: "=== 'Yes' with the options Interactive and Auto",
    check: ({ documents }) => documents.flatMap(strangeLabels),
  },
  {
    id: 'PR006',
    severity: 'error',
    fence: 'fences',
    summary: 'The automatic path asks nothing.',
    why: 'An unattended run waits forever for an answer.',
    hint: 'Use the default on the automatic path and ask only in the other branch.',
    bad: 'AskUserQuestion reachable when autoYes',
    check: ({ documents }) =>
      documents.flatMap((document) => {
        if (!document.text.includes('AskUserQuestion(')) return [];
        const asking = occurrences(document, autoGuard, 'fences').filter(({ match }) => {
          const start = match.index === undefined ? 0 : match.index + match[0].length;
          const end = closingBracket(document.text, start, '{', '}');
          return (
            end !== undefined &&
            document.text
              .slice(start, end)
              .replace(/\/\/[^\n]*/g, '')
              .includes('AskUserQuestion(')
          );
        });
        return summarised(document, asking, 'The automatic branch asks a question');
      }),
  },
];

function strangeLabels(document: Document): Draft[] {
  const calls = readQuestionCalls(document);
  if (calls.length === 0 || calls.some(({ questions }) => questions.some(({ open }) => open))) return [];
  const labels = new Set(calls.flatMap(({ questions }) => questions.flatMap((question) => question.labels)));
  const known = new Set([...labels].flatMap((label) => [label, bareLabel(label)]));
  const variables = new Set(calls.flatMap(({ variable }) => variable ?? []));
  return [...variables].flatMap((variable) => {
    const pattern = new RegExp(
      `\\b${variable.replaceAll('$', '\\$')}(?:\\??\\.[\\w$]+|\\[[^\\]\\n]{1,60}\\])+\\s*(?:===?|!==?)\\s*(?:"([^"\\n]*)"|'([^'\\n]*)')`,
      'g',
    );
    return [...document.text.matchAll(pattern)].flatMap((match): Draft[] => {
      const label = match[1] ?? match[2] ?? '';
      const line = lineAt(document, match.index);
      if (known.has(label) || isTeaching(document, line)) return [];
      return [at(document, line, `No option has the label "${label.slice(0, 60)}".`)];
    });
  });
}
