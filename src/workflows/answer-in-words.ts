import { isDeepStrictEqual } from 'node:util';
import { extractAnswer } from '../agents/extract-json.ts';
import type { Agent, JsonSchema, LaneResult } from '../agents/port.ts';
import { hasWords, isShown } from '../agents/repeated-json.ts';
import type { Comparison } from '../schema/judgements/comparison.ts';
import type { Verdict } from '../schema/judgements/verdict.ts';
import type { Vote } from '../schema/judgements/vote.ts';
import { type JudgementName, type JudgementReading, readJudgement } from '../schema/judgements.ts';
import { readTextAnswer } from './text-answers.ts';

export type Asked = {
  judgement: JudgementName;
  /** What the lane was asked: all JSON in it is by others. */
  prompt: string;
  input: unknown;
  schema: JsonSchema;
};

/**
 * An answer in words becomes the judgement that it holds, where the agent's word that it ended well can be believed: half
 * an answer in words looks like a whole one. It happens before the answer is kept, so that it is found again.
 */
export function readInWords(
  { capabilities }: Pick<Agent, 'capabilities'>,
  result: LaneResult,
  asked: Asked,
): LaneResult {
  const { message: _, value, ...answer } = result;
  if (result.kind !== 'ok' && result.kind !== 'bad_output') return result;
  try {
    const among = value !== undefined && standsAmongWords(result.text, value, asked.schema);
    const repeated = among && isShown(value, [asked.prompt]);
    const inJson = readJudgement(asked.judgement, repeated ? undefined : value);
    if (inJson.ok && !among) return result;
    const inText = textReading(result.text, asked);
    if (inJson.ok) {
      return inText.ok ? { ...result, ...joined(asked.judgement, inJson.value, inText.value) } : result;
    }
    if (inText.ok && capabilities.trust === 'terminal-event') {
      return { ...answer, kind: 'ok', value: inText.value };
    }
    return repeated ? { ...answer, kind: 'bad_output', message: repetition } : result;
  } catch (error) {
    return { ...result, kind: 'bad_output', message: unreadable(error) };
  }
}

const repetition = 'The JSON in the answer only repeats what was shown.';

/** A text made to break its reader is a bad answer of one lane, not the end of the run. */
export function unreadable(error: unknown): string {
  return `the answer cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

function textReading(text: string, { judgement, input }: Asked): JudgementReading<unknown> {
  if (text.trim() === '') return { ok: false, problems: [] };
  return readJudgement(judgement, readTextAnswer(judgement, text, input));
}

/** Whether the value was found in the text, rather than given beside it, with more around it than a fence. */
function standsAmongWords(text: string, value: unknown, schema: JsonSchema): boolean {
  return hasWords(text) && isDeepStrictEqual(extractAnswer(text, schema), value);
}

/** JSON and the lines beside it: of two that differ neither counts. Votes told twice are found out where they are counted. */
function joined(judgement: JudgementName, value: unknown, words: unknown): Partial<LaneResult> {
  const join = joins[judgement];
  if (join === undefined) return {};
  const both = join(value as never, words as never);
  return both === undefined
    ? {
        kind: 'bad_output',
        value: undefined,
        message: 'The answer says one thing in JSON and another in words.',
      }
    : { value: both };
}

const joins: Partial<Record<JudgementName, (value: never, words: never) => unknown>> = {
  vote: ({ votes }: Vote, words: Vote) => ({
    votes: [
      ...votes,
      ...words.votes.filter(({ id, vote }) => votes.some((own) => own.id === id && own.vote !== vote)),
    ],
  }),
  verdict: ({ verdicts }: Verdict, words: Verdict) => ({
    verdicts: [
      ...verdicts,
      ...words.verdicts.filter(({ decision, vote }) =>
        verdicts.some((own) => own.decision === decision && own.vote !== vote),
      ),
    ],
  }),
  comparison: (value: Comparison, words: Comparison) => (value.better === words.better ? value : undefined),
};
