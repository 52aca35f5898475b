import { isRecord } from '../../base/safe-json.ts';
import type { Signal } from '../drivers/driver.ts';
import { extractAnswer } from '../extract-json.ts';
import type { AgentTask, LaneKind } from '../port.ts';
import { failureInAnswer } from './failure.ts';
import { answerIn, type Transcript, trailingRemark } from './transcript.ts';
import { reportsUsage, usageIn } from './usage.ts';

export type Turn = {
  /** The answer to the prompt request, as it came. */
  response: unknown;
  transcript: Transcript;
  /** The agent's own name for itself. */
  agent: string;
  request: { task: Pick<AgentTask, 'schema'> };
  /** Whether we asked the agent to stop. */
  stopped: boolean;
};

/**
 * What the end of a prompt means. Several agents end a failed turn like a good one, with the error as their text: a turn
 * without figures from an agent that always gives them, or a text that opens like an error, is a failure.
 */
export function judgeTurn({ response, transcript, agent, request, stopped }: Turn): Signal[] {
  const answer = answerIn(transcript);
  const usage = usageIn(response, agent);
  const cost: Signal[] = usage === undefined ? [] : [{ type: 'usage', ...usage }];
  const fail = (kind: LaneKind, message: string): Signal[] => [...cost, { type: 'failure', kind, message }];
  if (stopped) return fail('cancelled', 'The call was cancelled.');
  const reason = isRecord(response) ? String(response['stopReason']) : 'nothing';
  if (reason !== 'end_turn')
    return fail(...(endings[reason] ?? ['bad_output', `The agent ended its turn with ${reason}.`]));
  const remark = trailingRemark(transcript);
  if (usage === undefined && reportsUsage(agent)) {
    const message = remark === '' ? answer : remark;
    const named = failureInAnswer(message);
    if (named !== undefined) return fail(named.kind, named.message);
    return fail('stream', message === '' ? 'The agent ended without an answer.' : message);
  }
  const { schema } = request.task;
  const isJson = schema !== undefined && extractAnswer(answer, schema) !== undefined;
  const hidden = isJson ? undefined : failureInAnswer(remark === '' ? answer : remark);
  if (hidden !== undefined) return fail(hidden.kind, hidden.message);
  return [...cost, { type: 'success', text: answer }];
}

const endings: Readonly<Record<string, [LaneKind, string]>> = {
  max_tokens: ['limit', 'The answer was cut at the longest output.'],
  max_turn_requests: ['limit', 'The agent used up its turns.'],
  refusal: ['bad_output', 'The agent refused to answer.'],
  // Some give up the turn when a permission is refused.
  cancelled: ['bad_output', 'The agent broke off its turn.'],
};
