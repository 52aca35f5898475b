import { untrustedLine, untrustedText } from '../base/text/untrusted.ts';
import type { Question } from './question.ts';

/** A question as a form with one field, in the shape that editors (ACP) and hosts (MCP) show. */
export function questionForm({ text, detail, options, recommended }: Question) {
  return {
    mode: 'form' as const,
    message: untrustedText(detail === undefined ? text : `${text}\n\n${detail}`),
    requestedSchema: {
      type: 'object' as const,
      properties: {
        answer: {
          type: 'string' as const,
          title: untrustedLine(text),
          ...(options === undefined || options.length === 0
            ? {}
            : { oneOf: options.map(({ value, label }) => ({ const: value, title: untrustedLine(label) })) }),
          ...(recommended === undefined ? {} : { default: recommended }),
        },
      },
      required: ['answer'],
    },
  };
}

/** What the person chose; a form that was sent without a change means its default. */
export function formAnswer(
  reply: { action: string; content?: unknown },
  { recommended }: Question,
): string | undefined {
  if (reply.action !== 'accept') return undefined;
  const value = (reply.content as Record<string, unknown> | null | undefined)?.['answer'];
  return typeof value === 'string' ? value : recommended;
}
