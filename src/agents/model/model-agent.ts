import path from 'node:path';
import type { ModelMessage } from 'ai';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { redactText, withoutAddressCredentials } from '../../base/text/secrets.ts';
import { redactedCall } from '../call-events.ts';
import { extractAnswer } from '../extract-json.ts';
import { classifyFailure, retryAfterIn } from '../failure-kinds.ts';
import {
  type Agent,
  type AgentTask,
  type CallContext,
  type LaneKind,
  type LaneResult,
  unknownUsage,
} from '../port.ts';
import { longestFirst, redact, secretsAround, secretsIn } from '../process/output.ts';
import { defaultLimits } from '../process/process-tree.ts';
import { probeAgent } from '../registry.ts';
import { converse, type Ending, type Heard, startDeadline } from './converse.ts';
import { chooseModel, type ModelChoice, type ModelSettings, providerTable } from './provider.ts';

const fileName = 'conversation.json';

/** Keeps a conversation in the lane; its file is the session handle, and it is never changed again. */
export async function saveConversation(
  laneDirectory: string,
  messages: readonly ModelMessage[],
): Promise<string> {
  const file = path.resolve(laneDirectory, fileName);
  await writeJsonAtomic(file, { version: 1, messages });
  return file;
}

/** The messages of an earlier session, or `undefined` when the handle leads nowhere. */
export async function loadConversation(session: string): Promise<ModelMessage[] | undefined> {
  if (!path.isAbsolute(session) || path.basename(session) !== fileName) return undefined;
  const text = await readTextFile(session).catch(() => undefined);
  const reading = text === undefined ? undefined : readJson(text);
  if (!reading?.ok || !isRecord(reading.value)) return undefined;
  const { version, messages } = reading.value;
  // Written by us; the SDK checks the messages once more before it sends them.
  return version === 1 && Array.isArray(messages) ? (messages as ModelMessage[]) : undefined;
}

/** The `model` driver: any model behind an API, given eyes by a small loop of read-only tools. */

/** Makes an agent of a model. The key comes from the settings or, for its own vendor, from the environment. */
export function modelAgent(
  settings: ModelSettings & { family?: string },
  environment: Readonly<Record<string, string | undefined>>,
  outputBytes: number = defaultLimits.outputBytes,
): Agent {
  const choice = chooseModel(settings, environment);
  const call = (task: AgentTask, context: CallContext) =>
    callModel(choice, outputBytes, task, context, environment);
  const row = providerTable[choice.provider];
  return {
    id: settings.id,
    family: settings.family ?? row.family,
    title: `${row.title} ${choice.model}`,
    capabilities: {
      write: false,
      schema: false,
      resume: true,
      fork: true,
      usage: true,
      trust: 'terminal-event',
    },
    call,
    probe: (context) => probeAgent(call, context),
  };
}

async function callModel(
  choice: ModelChoice,
  outputBytes: number,
  task: AgentTask,
  context: CallContext,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<LaneResult> {
  const started = performance.now();
  const heard: Heard = { text: '', toolCalls: 0 };
  const redacted = redactedCall(context, []);
  const finish = (kind: LaneKind, more: Partial<LaneResult> = {}): LaneResult => ({
    kind,
    text: withoutAddressCredentials(heard.text),
    model: choice.model,
    usage: heard.usage ?? unknownUsage,
    toolCalls: heard.toolCalls,
    durationMs: Math.round(performance.now() - started),
    ...withoutAddressCredentials(more),
  });
  if (task.access === 'write') {
    return finish('unhealthy', { message: 'A model without an agent program can only read files.' });
  }
  if (choice.apiKey === undefined && choice.provider !== 'compatible') {
    const keys = providerTable[choice.provider].keys.join(' or ');
    return finish('auth', { message: `The key is missing: ${keys} is not set.` });
  }
  const earlier = task.resume === undefined ? [] : await loadConversation(task.resume.session);
  if (earlier === undefined) return finish('bad_output', { message: 'The session to resume is gone.' });

  const deadline = startDeadline(task.limits, context.signal);
  try {
    const messages: ModelMessage[] = [...earlier, { role: 'user', content: task.prompt }];
    const secrets = longestFirst(await secretsAround(task.directory, environment));
    const ending = await converse({
      choice,
      task,
      messages,
      context: redacted.context,
      deadline,
      heard,
      outputBytes,
      secrets,
    });
    const session = await saveConversation(
      task.laneDirectory,
      withoutAddressCredentials([...messages, ...ending.messages]),
    );
    return finish(ending.kind, { session, ...answerOf(ending, heard.text, task) });
  } catch (error) {
    const ended = deadline.ended();
    return ended === undefined
      ? finish(...withKind(failureOf(error, secretsOf(choice))))
      : finish(ended.kind, { message: ended.message });
  } finally {
    redacted.end();
    deadline.release();
  }
}

function secretsOf({ apiKey = '', baseUrl }: ModelChoice): string[] {
  return secretsIn({ API_KEY: apiKey, BASE_URL: baseUrl });
}

function answerOf({ kind, message }: Ending, text: string, task: AgentTask): Partial<LaneResult> {
  if (kind !== 'ok') return message === undefined ? {} : { message };
  if (task.schema === undefined) return {};
  const value = extractAnswer(text, task.schema);
  return value === undefined ? { kind: 'bad_output', message: 'The answer holds no JSON.' } : { value };
}

function withKind({ kind, ...more }: ReturnType<typeof failureOf>): [LaneKind, Partial<LaneResult>] {
  return [kind, more];
}

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
  const hidden = (text: string) => redactText(redact(secrets, text)).shown;
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
  // The request succeeded, but the response is not an answer.
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
