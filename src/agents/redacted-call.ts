import { withoutAddressCredentials } from '../base/text/secrets.ts';
import type { Reading } from './drivers/reading.ts';
import type { AgentEvent, CallContext } from './port.ts';
import { blotOut, TextRedactor } from './process/redact.ts';

/**
 * The context of a call whose events tell no secret. Many agents send their text in small pieces, each in a line of its own,
 * so that none of the lines has the whole secret: the end of a piece that may begin one waits for what follows. Usage, retries and
 * the like come in the middle of a message; a tool that starts ends it, and so does the end of the call.
 */
export function redactedCall(
  context: CallContext,
  secrets: readonly string[],
): { context: CallContext; end: () => void; cameInPieces: () => boolean } {
  const redactor = new TextRedactor(secrets);
  const say = (text: string) => {
    if (text !== '') context.onEvent({ type: 'text-delta', text });
  };
  const end = () => say(redactor.end());
  return {
    context: {
      ...context,
      onEvent(event) {
        if (event.type === 'text-delta') return say(redactor.push(event.text));
        if (event.type === 'tool-start') end();
        context.onEvent(redactedEvent(event, secrets));
      },
    },
    end,
    // The stream was redacted before it was read: what is still found here was in no line of it as a whole.
    cameInPieces: () => redactor.found,
  };
}

/** The event without any secret in its words. */
function redactedEvent(event: AgentEvent, secrets: readonly string[]): AgentEvent {
  switch (event.type) {
    case 'tool-start': {
      const { tool, detail } = event;
      const given = detail === undefined ? {} : { detail: blotOut(secrets, detail) };
      return { ...event, tool: blotOut(secrets, tool), ...given };
    }
    case 'tool-end':
      return { ...event, tool: blotOut(secrets, event.tool) };
    case 'retry':
      return { ...event, reason: blotOut(secrets, event.reason) };
    case 'error':
      return { ...event, message: blotOut(secrets, event.message) };
    default:
      return event;
  }
}

/** What was said in pieces is whole here. */
export function redactedReading(reading: Reading, secrets: readonly string[]): Reading {
  const { text, lastText, failure, value } = reading;
  return {
    ...reading,
    ...(value === undefined ? {} : { value: withoutAddressCredentials(value) }),
    text: blotOut(secrets, text),
    lastText: blotOut(secrets, lastText),
    ...(failure === undefined ? {} : { failure: { ...failure, message: blotOut(secrets, failure.message) } }),
  };
}
