import { isRecord } from '../../base/safe-json.ts';
import { classifyFailure } from '../failure-kinds.ts';
import type { LaneKind } from '../port.ts';

/** The protocol's own code for "log in first". */
export const authenticationRequired = -32000;

/** The earlier session cannot be continued; asking again with the whole prompt can still work. */
export class ResumeFailure extends Error {}

/** What a refused request means. Some agents put a provider's status into the code, some into their words. */
export function failureOfError(error: unknown): { kind: LaneKind; message: string } {
  if (error instanceof ResumeFailure) {
    return { kind: 'bad_output', message: `The earlier session cannot be continued: ${error.message}` };
  }
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const data = isRecord(error) || error instanceof Error ? (error as { data?: unknown }).data : undefined;
  const details = data === undefined ? '' : ` ${JSON.stringify(data).slice(0, 1000)}`;
  if (code === authenticationRequired) return { kind: 'auth', message };
  const status = code !== undefined && code >= 400 && code <= 599 ? code : undefined;
  return {
    kind: classifyFailure(`${message}${details}`, status),
    message: `${message}${details}`.slice(0, 2000),
  };
}

export function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** How agents begin when they say an error where an answer should be. */
const errorOpenings =
  /^\W*(?:(?:api|network|server|internal|authentication|request|stream|unknown|fatal|provider) )?error\b|^(?:ran into this error|stream disconnected|prompt is too long|we.re currently experiencing|the model returned an empty response|\{"error")/i;

/** The failure that an answer really is, if it is one. */
export function failureInAnswer(text: string): { kind: LaneKind; message: string } | undefined {
  if (text.length > 2000 || !errorOpenings.test(text)) return undefined;
  const kind = classifyFailure(text);
  return { kind: kind === 'crash' ? 'server' : kind, message: text };
}
