import { oneLine } from '../config/complete-config.ts';
import { conditionVariables, ordinalLevels, parseCondition } from '../model/condition.ts';

/** When a phase runs: an expression over outputs of earlier phases, or the words of the source where it is none. */
export type RunCondition = { condition?: string; runsWhen?: string };

const operand = String.raw`[A-Za-z_]\w*(?:\.\w+)*`;
const comparison = new RegExp(
  `(?:^|[─[(]|\\bif|\\bwhen)\\s*(${operand}\\s*(?:>=|<=|≥|≤|===?|!==?|<|>)\\s*["'\`]?\\w+["'\`]?)\\s*(?:→|->|[\\]):]|$)`,
  'i',
);
const conditional = /\b(?:if|when|unless|(?<!-)only|optional|conditional|triggered)\b|[<>≤≥]/i;
const vague = /^\(?(?:optional|conditional)\b/i;
const label =
  /^\s*(?:[-*]\s+)?\**(?:trigger|condition|execute (?:only )?(?:if|when)|runs? (?:only )?(?:if|when))\**\s*[:：]\**\s*(\S.*)$/im;
const longest = 160;

/**
 * S-014, S-064: the condition of a phase from the flow of its source, the note in its heading, or its own first lines. A
 * comparison in the flow counts only when the phase can be skipped: others choose what happens inside the phase.
 */
export function runConditionOf(
  flow: readonly string[],
  note: string,
  body: string,
  known: ReadonlySet<string>,
): RunCondition {
  const noted = conditional.test(note);
  const canSkip = noted || flow.some((line) => /\b(?:skip|else)\b/i.test(line));
  const spoken = canSkip
    ? flow.find((line) => comparison.test(line) && !/\bskip\b/i.test(line.split(arrow)[0] ?? ''))
    : undefined;
  for (const line of [...(spoken === undefined ? [] : [spoken]), note]) {
    const condition = expressionIn(line, known);
    if (condition !== undefined) return { condition };
  }
  const compared = comparison.exec(spoken ?? '')?.[1];
  const labelled = label.exec(body.slice(0, 600))?.[1];
  const words =
    noted && !vague.test(note)
      ? note
      : (compared ?? (noted ? branchesOf(flow) : undefined) ?? labelled ?? (noted ? note : undefined));
  if (words === undefined) return {};
  const [first = ''] = oneLine(words.replace(/^\((.*)\)$/s, '$1').replaceAll('**', '')).split(
    /\s*(?:→|->|;|\bskip to\b)/i,
  );
  const when = first
    .replace(/^(?:only )?(?:executed? |runs? )?(?:only )?(?:if|when) /i, '')
    .replace(/^skip(?:ped)? (?:if|when|with) /i, 'unless ')
    .replace(/^only /i, '')
    .slice(0, longest)
    .trim();
  return when === '' ? {} : { runsWhen: when };
}

const arrow = /→|->/;
const decision = /\bdecision\s*(?:\(([^)]*)\))?\s*[:：]\s*$/i;
const branch = /^[\s│├└─|+*-]+(\S.*?)\s*(?:→|->)\s*(\S.*)$/;

/** "Decision (source): code → Execute …, visual → Skip to Phase 7" runs the phase when "source: code". */
function branchesOf(flow: readonly string[]): string | undefined {
  const start = flow.findIndex((line) => decision.test(line));
  if (start < 0) return undefined;
  const rest = flow.slice(start + 1);
  const end = rest.findIndex((line) => !branch.test(line));
  const branches = rest.slice(0, end < 0 ? undefined : end).map((line) => branch.exec(line) ?? []);
  const skips = ([, , action = '']: readonly string[]) => /^skip\b/i.test(action);
  if (!branches.some(skips)) return undefined;
  const runs = branches.filter((found) => !skips(found)).map(([, when = '']) => when);
  if (runs.length === 0) return undefined;
  const subject = decision.exec(flow[start] ?? '')?.[1]?.trim();
  return `${subject === undefined || subject === '' ? '' : `${subject}: `}${runs.join(' or ').replace(/ ?\|+ ?/g, ' or ')}`;
}

function expressionIn(line: string, known: ReadonlySet<string>): string | undefined {
  const levels = new RegExp(`["'\`](${ordinalLevels.join('|')})["'\`]`, 'g');
  const expression = comparison.exec(line)?.[1]?.replace(levels, '$1');
  const reading = expression === undefined ? undefined : parseCondition(expression);
  if (reading?.ok !== true) return undefined;
  const variables = conditionVariables(reading.condition);
  return variables.length > 0 && variables.every((name) => known.has(name)) ? expression : undefined;
}
