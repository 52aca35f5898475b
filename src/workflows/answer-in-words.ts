import { isDeepStrictEqual } from 'node:util';
import { extractAnswer, readJsonAnswer, wantedBy } from '../agents/extract-json.ts';
import type { Agent, JsonSchema, LaneResult } from '../agents/port.ts';
import { type JudgementName, type JudgementReading, readJudgement } from '../base/schema/judgements.ts';
import { readTextAnswer } from './text-answers.ts';

export type Asked = {
  judgement: JudgementName;
  /** What the lane was asked: all JSON in it is by others. */
  prompt: string;
  input: unknown;
  schema: JsonSchema;
};

/**
 * Reads the judgement out of an answer, before the answer is saved. JSON goes first, and words around it never count. An answer
 * without any JSON is read as plain text, but only from an agent whose end of answer is reliable: half a text looks like a whole one.
 */
export function readInWords(
  { capabilities }: Pick<Agent, 'capabilities'>,
  result: LaneResult,
  asked: Asked,
): LaneResult {
  const { message: _, value, ...answer } = result;
  if (result.kind !== 'ok' && result.kind !== 'bad_output') return result;
  try {
    const { judgement, schema, prompt } = asked;
    // Some programs give the value next to the text; it is final.
    if (value !== undefined && !isDeepStrictEqual(extractAnswer(result.text, schema), value)) return result;
    const inJson = readJsonAnswer(result.text, {
      ...wantedBy(schema),
      fits: (each) => readJudgement(judgement, each).ok,
      shown: [prompt],
    });
    if (inJson.kind === 'found') return { ...answer, kind: 'ok', value: inJson.value };
    // The repair turn says what is wrong with it.
    if (inJson.kind === 'unfit') return { ...result, value: inJson.value };
    if (inJson.kind === 'repeated') return { ...answer, kind: 'bad_output', message: repetition };
    if (inJson.value !== undefined && ballots.includes(judgement)) return result;
    const inText = textReading(result.text, asked);
    return inText.ok && capabilities.trust === 'terminal-event'
      ? { ...answer, kind: 'ok', value: inText.value }
      : result;
  } catch (error) {
    return { ...result, kind: 'bad_output', message: unreadable(error) };
  }
}

/** These need no snippets: any object in such an answer is meant as the answer, also one of the wrong form. */
const ballots: readonly JudgementName[] = ['vote', 'verdict', 'comparison'];

const repetition = 'The JSON in the answer only repeats what was shown.';

/** A text made to break its reader is a bad answer of one lane, not the end of the run. */
export function unreadable(error: unknown): string {
  return `the answer cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

function textReading(text: string, { judgement, input }: Asked): JudgementReading<unknown> {
  if (text.trim() === '') return { ok: false, problems: [] };
  return readJudgement(judgement, readTextAnswer(judgement, text, input));
}
