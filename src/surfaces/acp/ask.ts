import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationRequest,
  RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import { untrustedLine, untrustedText } from '../../base/text/strings.ts';
import type { Question } from '../../engine/question.ts';
import { formAnswer, questionForm } from '../../engine/question.ts';
import { toolCallId } from './updates.ts';

/** How a question can be put to the person: as a form, as buttons, or as a message that the next prompt answers. */
export type Way = 'form' | 'buttons' | 'message';

export function wayFor(question: Question, capabilities: ClientCapabilities | undefined): Way {
  if (capabilities?.elicitation?.form != null) return 'form';
  return question.options === undefined || question.options.length === 0 ? 'message' : 'buttons';
}

/** Who asks. */
export type Asking = { sessionId: string; run: string };

/** The answer, or nothing when the person would not give one. */
export async function askPerson(
  client: AgentContext,
  { sessionId, run }: Asking,
  question: Question,
  way: Exclude<Way, 'message'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
  if (way === 'form') {
    const reply = await client.request('elicitation/create', formOf(sessionId, question), options);
    return formAnswer(reply, question);
  }
  const { outcome } = await client.request(
    'session/request_permission',
    buttonsOf({ sessionId, run }, question),
    options,
  );
  return outcome.outcome === 'selected' ? outcome.optionId : undefined;
}

export function formOf(sessionId: string, question: Question): CreateElicitationRequest {
  return { sessionId, ...questionForm(question) };
}

export function buttonsOf({ sessionId, run }: Asking, question: Question): RequestPermissionRequest {
  const { id, text, detail, options = [], recommended } = question;
  return {
    sessionId,
    toolCall: {
      toolCallId: toolCallId(run, `question-${id}`),
      title: untrustedLine(text),
      kind: 'other',
      status: 'pending',
      ...(detail === undefined
        ? {}
        : { content: [{ type: 'content', content: { type: 'text', text: untrustedText(detail) } }] }),
    },
    options: options.map(({ value, label }) => ({
      optionId: value,
      name: `${untrustedLine(label)}${value === recommended ? ' (recommended)' : ''}`,
      kind: value === 'no' ? 'reject_once' : 'allow_once',
    })),
  };
}

/** A question that the person answers by writing. */
export function questionMessage({ text, detail, recommended }: Question): string {
  return [
    `**${text}**`,
    ...(detail === undefined ? [] : [detail]),
    recommended === undefined ? 'Write your answer.' : `Write your answer, or “ok” for: ${recommended}`,
  ].join('\n\n');
}
