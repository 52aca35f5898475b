import { isRecord } from '../../base/safe-json.ts';
import { redactText } from '../../base/text/secrets.ts';
import { classifyFailure, retryAfterIn } from '../failure-kinds.ts';
import type { LaneKind, LaneResult } from '../port.ts';
import { blotOut } from '../process/redact.ts';

type Failure = Required<Pick<LaneResult, 'message'>> & Pick<LaneResult, 'retryAfterMs'> & { kind: LaneKind };

/** Names of the SDK's errors that say something without a status; classes cannot be compared across lazy imports. */
const kindsByName: Readonly<Record<string, LaneKind>> = {
  AI_LoadAPIKeyError: 'auth',
  AI_NoSuchModelError: 'unhealthy',
  AI_TypeValidationError: 'stream',
  AI_JSONParseError: 'stream',
  AI_InvalidResponseDataError: 'stream',
  AI_InvalidStreamPartError: 'stream',
  AI_EmptyResponseBodyError: 'stream',
  AI_NoContentGeneratedError: 'bad_output',
  AI_NoOutputGeneratedError: 'stream',
};

/**
 * What an error of the SDK means for the lane. The vendor's words are read too: a 400 may be a context that is too long. They
 * may repeat the key, which is among `secrets`.
 */
export function failureOf(error: unknown, secrets: readonly string[]): Failure {
  const details = isRecord(error) || error instanceof Error ? (error as Partial<SdkError>) : {};
  const body = typeof details.responseBody === 'string' ? details.responseBody.slice(0, 2000) : '';
  // Before anything is cut: half a key is not recognized any more.
  const hidden = (text: string) => redactText(blotOut(secrets, text)).shown;
  const message = oneLine(hidden(details.message ?? String(error)));
  const words = `${message} ${body} ${causesOf(details.cause)}`;
  const { statusCode } = details;
  const retryAfterMs = pauseIn(details.responseHeaders?.['retry-after']) ?? retryAfterIn(words);
  return {
    kind: kindOf(details.name ?? '', statusCode, words),
    message:
      statusCode === undefined
        ? `${message}${reason(hidden(causesOf(details.cause)))}`
        : `${statusCode}: ${message}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

type SdkError = {
  name: string;
  message: string;
  statusCode: number;
  responseBody: string;
  responseHeaders: Record<string, string>;
  cause: unknown;
};

function kindOf(name: string, status: number | undefined, words: string): LaneKind {
  if (status === 404) return 'unhealthy';
  // The request went through and what came back is no answer.
  if (status !== undefined && status < 300) return 'stream';
  const byName = kindsByName[name];
  if (byName !== undefined) return byName;
  if (/terminated|ECONNRESET|UND_ERR_SOCKET|other side closed/.test(words)) return 'stream';
  return classifyFailure(words, status);
}

function causesOf(cause: unknown): string {
  const parts: string[] = [];
  for (let depth = 0, next = cause; depth < 4 && next instanceof Error; depth += 1, next = next.cause) {
    parts.push(next.message, 'code' in next ? String(next.code) : '');
    if (next instanceof AggregateError) parts.push(...next.errors.map(String));
  }
  return parts.join(' ');
}

function reason(causes: string): string {
  const words = oneLine(causes);
  return words === '' ? '' : ` (${words.slice(0, 200)})`;
}

/** `retry-after` in seconds; a date is left to our own back-off. */
function pauseIn(header: string | undefined): number | undefined {
  const seconds = Number(header);
  return header === undefined || !Number.isFinite(seconds) || seconds < 0 ? undefined : seconds * 1000;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 500);
