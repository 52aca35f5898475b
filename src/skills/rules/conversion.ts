import { allowedEdits, compareBodies, type Fidelity, measure } from '../convert/fidelity.ts';
import type { ConvertedPhase, Draft, Rule, Surroundings } from '../lint/rule.ts';
import type { SkillPackage } from '../model/package.ts';

type Compared = { phase: ConvertedPhase; fidelity: Fidelity };

/** Extracted phases whose source still exists, compared with it. Computed once for all rules. */
const cache = new WeakMap<SkillPackage, Compared[]>();

function compared(subject: SkillPackage, { conversion }: Surroundings): Compared[] {
  const known = cache.get(subject);
  if (known !== undefined) return known;
  const made = (conversion?.phases ?? []).flatMap((phase): Compared[] => {
    const text = subject.files.texts.get(phase.file);
    if (phase.source === undefined || text === undefined) return [];
    return [{ phase, fidelity: compareBodies(phase.source, text, phase.edits) }];
  });
  cache.set(subject, made);
  return made;
}

function perPhase(look: (compared: Compared) => string | undefined) {
  return (subject: SkillPackage, surroundings: Surroundings): Draft[] =>
    compared(subject, surroundings).flatMap((item) => {
      const message = look(item);
      return message === undefined ? [] : [{ file: item.phase.file, line: 0, message }];
    });
}

const percent = (ratio: number) => `${Math.floor(ratio * 100)} %`;

/** A moved package has no source to compare with: the lines that the report counted tell whether much of a phase is gone. */
function shrunk(
  { files }: SkillPackage,
  { conversion }: Surroundings,
  isWanted: (ratio: number) => boolean,
): Draft[] {
  return (conversion?.phases ?? []).flatMap(({ file, source, lines }): Draft[] => {
    const text = files.texts.get(file);
    if (source !== undefined || lines === undefined || text === undefined) return [];
    const now = measure(text).lines;
    if (!isWanted(now / Math.max(1, lines))) return [];
    return [
      { file, line: 0, message: `The phase has ${now} of the ${lines} lines that it was converted with.` },
    ];
  });
}

/** S-093, C-16: limits of the line ratio. */
export const ratioLimits = { error: 0.7, warning: 0.9 } as const;

export const conversionRules: readonly Rule[] = [
  {
    id: 'CF001',
    severity: 'error',
    summary: 'An extracted phase has at least 70 % of the lines of its source.',
    why: 'Less means the text was summarised.',
    hint: 'Convert again; extraction copies the body as it is.',
    bad: 'a source of 404 lines, a phase of 180',
    check: (subject, surroundings) => [
      ...perPhase(({ fidelity: { ratio, source, phase } }) =>
        ratio < ratioLimits.error
          ? `The phase has ${phase.lines} of ${source.lines} lines (${percent(ratio)}).`
          : undefined,
      )(subject, surroundings),
      ...shrunk(subject, surroundings, (ratio) => ratio < ratioLimits.error),
    ],
  },
  {
    id: 'CF002',
    severity: 'warning',
    summary: 'An extracted phase has at least 90 % of the lines of its source.',
    why: 'Something was left out.',
    hint: 'Compare with the source and restore what is missing.',
    bad: '404 lines become 330',
    check: (subject, surroundings) => [
      ...perPhase(({ fidelity: { ratio, source, phase } }) =>
        ratio >= ratioLimits.error && ratio < ratioLimits.warning
          ? `The phase has ${phase.lines} of ${source.lines} lines (${percent(ratio)}).`
          : undefined,
      )(subject, surroundings),
      ...shrunk(subject, surroundings, (ratio) => ratio >= ratioLimits.error && ratio < ratioLimits.warning),
    ],
  },
  {
    id: 'CF003',
    severity: 'error',
    fence: 'fences',
    summary: 'No agent call of the source is lost.',
    why: 'A lost call is lost work.',
    hint: 'Restore the call with its whole prompt.',
    bad: 'a source with 3 Task( calls, a phase with 2',
    check: perPhase(({ fidelity: { source, phase } }) =>
      phase.agentCalls < source.agentCalls
        ? `The phase has ${phase.agentCalls} of ${source.agentCalls} agent calls.`
        : undefined,
    ),
  },
  {
    id: 'CF004',
    severity: 'warning',
    fence: 'fences',
    summary: 'Every fenced block and table of the source is in the phase, character by character.',
    why: 'Line counts can be met by padding; hashes cannot.',
    hint: 'Restore the block.',
    bad: 'a bash block missing',
    check: perPhase(({ fidelity: { lostBlocks } }) => {
      const [first] = lostBlocks;
      if (first === undefined) return undefined;
      return `${lostBlocks.length} blocks of the source are not in the phase, the first a ${first.kind} at its line ${first.line + 1}.`;
    }),
  },
  {
    id: 'CF005',
    severity: 'error',
    summary: 'Nothing was changed but by a recorded edit of the allowed kinds.',
    why: 'A reworded sentence in a prompt is another prompt.',
    hint: 'Restore the source text, or convert again so that the edit is recorded.',
    bad: 'a prompt sentence reworded',
    check: perPhase(({ phase: { edits }, fidelity: { lostLines } }) => {
      const strange = edits.find(({ kind }) => !(allowedEdits as readonly string[]).includes(kind));
      if (strange !== undefined) return `The edit "${strange.kind}" is not allowed.`;
      const [first] = lostLines;
      return first === undefined
        ? undefined
        : `${lostLines.length} lines of the source were changed or lost, the first: "${first.text.slice(0, 80)}".`;
    }),
  },
  {
    id: 'CF006',
    severity: 'info',
    summary: 'The sources of a conversion can be compared with the package.',
    why: 'Where they are out of reach, only the size of a phase tells whether text was lost.',
    hint: 'Lint the package where its sources are, or keep the sources at the recorded place.',
    bad: 'a package that was moved away from the commands it was made from',
    check: (_, { conversion }) => {
      const away = (conversion?.phases ?? []).filter(({ source }) => source === undefined);
      const [first] = away;
      if (first === undefined) return [];
      const places = [...new Set(away.flatMap(({ from }) => from))];
      const message = `The sources of ${away.length} phases are out of reach (${places.slice(0, 3).join(', ')}).`;
      return [{ file: 'SKILL.md', line: 0, message }];
    },
  },
];
