import type { Reading } from './drivers/reading.ts';
import type { CallContext } from './port.ts';
import { blotOut, TextRedactor } from './process/redact.ts';

/**
 * The context of a call whose events tell no secret. Many agents send their text in small pieces, each in a line of its own,
 * so that none of the lines has the whole secret: the end of a piece that may begin one waits for what follows.
 */
export function redactedCall(
  context: CallContext,
  secrets: readonly string[],
): { context: CallContext; end: () => void } {
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
        end();
        context.onEvent(event);
      },
    },
    end,
  };
}

/** What was said in pieces is whole here. */
export function redactedReading(reading: Reading, secrets: readonly string[]): Reading {
  const { text, lastText, failure } = reading;
  return {
    ...reading,
    text: blotOut(secrets, text),
    lastText: blotOut(secrets, lastText),
    ...(failure === undefined ? {} : { failure: { ...failure, message: blotOut(secrets, failure.message) } }),
  };
}
