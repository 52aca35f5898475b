import { oneLine } from '../config/complete-config.ts';
import { conditionVariables, ordinalLevels, parseCondition } from '../model/condition.ts';

/** When a phase runs: an expression over outputs of earlier phases, or the words of the source where it is none. */
export type RunCondition = { condition?: string; runsWhen?: string };

const operand = String.raw`[A-Za-z_]\w*(?:\.\w+)*`;
const comparison = new RegExp(
  `(?:^|[─[(]|\\bif|\\bwhen)\\s*(${operand}\\s*(?:>=|<=|≥|≤|===?|!==?|<|>)\\s*["'\`]?\\w+["'\`]?)\\s*(?:→|->|[\\])]|$)`,
  'i',
);
const conditional = /\b(?:if|when|unless|only|optional|conditional|triggered)\b|[<>≤≥]/i;
const label =
  /^\s*(?:[-*]\s+)?\**(?:trigger|condition|execute (?:only )?(?:if|when)|runs? (?:only )?(?:if|when))\**\s*[:：]\**\s*(\S.*)$/im;
const longest = 160;

/** S-014, S-064: the condition of a phase from the flow of its source, the note in its heading, or its own first lines. */
export function runConditionOf(
  flow: readonly string[],
  note: string,
  body: string,
  known: ReadonlySet<string>,
): RunCondition {
  const spoken = flow.find((line) => comparison.test(line) && !/\bskip\b/i.test(line.split(/→|->/)[0] ?? ''));
  for (const line of [...(spoken === undefined ? [] : [spoken]), note]) {
    const condition = expressionIn(line, known);
    if (condition !== undefined) return { condition };
  }
  const words = conditional.test(note)
    ? note.replace(/^\((.*)\)$/s, '$1')
    : (label.exec(body.slice(0, 600))?.[1] ?? comparison.exec(spoken ?? '')?.[1]);
  if (words === undefined) return {};
  const [first = ''] = oneLine(words.replaceAll('**', '')).split(/\s*(?:→|->|;|\bskip to\b)/i);
  return first.trim() === '' ? {} : { runsWhen: first.slice(0, longest).trim() };
}

function expressionIn(line: string, known: ReadonlySet<string>): string | undefined {
  const levels = new RegExp(`["'\`](${ordinalLevels.join('|')})["'\`]`, 'g');
  const expression = comparison.exec(line)?.[1]?.replace(levels, '$1');
  const reading = expression === undefined ? undefined : parseCondition(expression);
  if (reading?.ok !== true) return undefined;
  const variables = conditionVariables(reading.condition);
  return variables.length > 0 && variables.every((name) => known.has(name)) ? expression : undefined;
}
