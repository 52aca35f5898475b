import path from 'node:path';
import type { ModelMessage } from 'ai';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { withoutAddressCredentials } from '../../base/text/secrets.ts';
import { probeAgent } from '../detect.ts';
import { extractAnswer } from '../extract-json.ts';
import {
  type Agent,
  type AgentTask,
  type CallContext,
  type LaneKind,
  type LaneResult,
  unknownUsage,
} from '../port.ts';
import { defaultLimits } from '../process/limits.ts';
import { longestFirst, secretsAround, secretsIn } from '../process/redact.ts';
import { redactedCall } from '../redacted-call.ts';
import { converse, type Ending, type Heard, startDeadline } from './converse.ts';
import { failureOf } from './failure.ts';
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
      readOnly: 'enforced',
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
    return finish('unhealthy', { message: 'A model without a program around it can only read.' });
  }
  if (choice.apiKey === undefined && choice.provider !== 'compatible') {
    const keys = providerTable[choice.provider].keys.join(' or ');
    return finish('auth', { message: `There is no key: ${keys} is not set.` });
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
