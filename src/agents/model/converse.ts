import type { LanguageModelUsage, ModelMessage, ToolSet } from 'ai';
import { isRecord } from '../../base/safe-json.ts';
import {
  type AgentTask,
  type CallContext,
  type LaneKind,
  type TaskLimits,
  type Usage,
  unknownUsage,
} from '../port.ts';
import { OutputBudget, redact } from '../process/output.ts';
import { loadModel, type ModelChoice, providerTable } from './provider.ts';
import { readTools } from './read-tools.ts';

/** Fetches with one bound for the answers of all requests together, refusals included: beyond it nothing more is read. */
function boundedFetch(bytes: number, onExceeded: () => void): typeof fetch {
  const budget = new OutputBudget(bytes);
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (budget.take(chunk.byteLength) === chunk.byteLength) controller.enqueue(chunk);
        else {
          onExceeded();
          controller.error(new Error('The server said more than is read of it.'));
        }
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}

/** The tokens of one call: the sum of its steps. A step without figures makes the whole an unknown. */
function addUsage(total: Usage | undefined, step: LanguageModelUsage): Usage {
  const { inputTokens, outputTokens } = step;
  const before = total ?? { ...unknownUsage, basis: 'measured' };
  const measured = before.basis === 'measured' && inputTokens !== undefined && outputTokens !== undefined;
  const reasoning = (before.reasoningTokens ?? 0) + (step.outputTokenDetails.reasoningTokens ?? 0);
  return {
    basis: measured ? 'measured' : 'unknown',
    inputTokens: before.inputTokens + (inputTokens ?? 0),
    cachedInputTokens: before.cachedInputTokens + (step.inputTokenDetails.cacheReadTokens ?? 0),
    outputTokens: before.outputTokens + (outputTokens ?? 0),
    ...(reasoning > 0 ? { reasoningTokens: reasoning } : {}),
  };
}

/** Watches one call from outside: time limit, idle limit, output size, and the caller's request to stop. */
type Deadline = {
  signal: AbortSignal;
  /** The output is over its limit. */
  exceeded: () => void;
  /** Restarts the idle timer after output. */
  heard: () => void;
  /** Why the call was ended, when it was us. */
  ended: () => { kind: LaneKind; message: string } | undefined;
  release: () => void;
};

export function startDeadline({ wallMs, idleMs }: TaskLimits, caller: AbortSignal): Deadline {
  const controller = new AbortController();
  let ended: { kind: LaneKind; message: string } | undefined;
  const end = (kind: LaneKind, message: string) => {
    ended ??= { kind, message };
    controller.abort();
  };
  const cancel = () => end('cancelled', 'The call was cancelled.');
  const silence = () => end('timeout', `Nothing was heard for ${idleMs} ms.`);
  const wall = setTimeout(() => end('timeout', `The call took longer than ${wallMs} ms.`), wallMs);
  const idle = setTimeout(silence, idleMs);
  if (caller.aborted) cancel();
  caller.addEventListener('abort', cancel, { once: true });
  return {
    signal: controller.signal,
    exceeded: () => end('limit', 'The model wrote more than the output limit.'),
    heard: () => idle.refresh(),
    ended: () => ended,
    release: () => {
      clearTimeout(wall);
      clearTimeout(idle);
      caller.removeEventListener('abort', cancel);
    },
  };
}

/** Model turns of one call unless the task says otherwise. */
const defaultTurns = 30;

/** What has been heard from the model; kept outside so that a failure still reports its cost. */
export type Heard = { text: string; toolCalls: number; usage?: Usage };

export type Ending = { kind: LaneKind; message?: string; messages: ModelMessage[] };

/** One conversation to its end: the model asks for files, gets them, and answers. Throws what the SDK throws. */
export async function converse(options: {
  choice: ModelChoice;
  task: AgentTask;
  messages: ModelMessage[];
  context: CallContext;
  deadline: Deadline;
  heard: Heard;
  /** Bytes of all that the server says. */
  outputBytes: number;
  /** Redacted in the files that the model reads. */
  secrets: readonly string[];
}): Promise<Ending> {
  const { choice, task, messages, context, deadline, heard, outputBytes, secrets } = options;
  const { streamText, isStepCount, jsonSchema, tool } = await import('ai');
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const tools: ToolSet = Object.fromEntries(
    readTools.map(({ name, description, input, run }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<Record<string, unknown>>(input),
        execute: async (given) => redact(secrets, await run(task.directory, isRecord(given) ? given : {})),
      }),
    ]),
  );
  const turns = task.limits.turns ?? defaultTurns;
  const { outputTokens } = providerTable[choice.provider];
  const result = streamText({
    model: await loadModel(choice, boundedFetch(outputBytes, deadline.exceeded)),
    instructions: instructions(task),
    messages,
    tools,
    stopWhen: isStepCount(turns),
    maxRetries: 0,
    ...(outputTokens === undefined ? {} : { maxOutputTokens: outputTokens }),
    // Every turn sends the whole conversation again; elsewhere providers cache without being asked.
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    abortSignal: deadline.signal,
    onError: () => undefined,
  });
  let finishReason = 'other';
  for await (const part of result.fullStream) {
    deadline.heard();
    switch (part.type) {
      case 'start-step':
        heard.text = '';
        break;
      case 'text-delta':
        heard.text += part.text;
        context.onEvent({ type: 'text-delta', text: part.text });
        break;
      case 'tool-call':
        heard.toolCalls += 1;
        context.onEvent({
          type: 'tool-start',
          tool: part.toolName,
          detail: JSON.stringify(part.input).slice(0, 200),
        });
        break;
      case 'tool-result':
      case 'tool-error':
        context.onEvent({ type: 'tool-end', tool: part.toolName, failed: part.type === 'tool-error' });
        break;
      case 'finish-step':
        finishReason = part.finishReason;
        heard.usage = addUsage(heard.usage, part.usage);
        context.onEvent({ type: 'usage', usage: heard.usage });
        break;
      case 'error':
        throw part.error;
      case 'abort':
        throw new Error('The call was ended.');
    }
  }
  const ending = endingOf(finishReason, heard.text, turns);
  return { ...ending, messages: ending.kind === 'ok' ? await result.responseMessages : [] };
}

/** Only an explicit stop with words counts; everything else has a name. */
function endingOf(reason: string, text: string, turns: number): { kind: LaneKind; message?: string } {
  if (reason === 'stop') {
    return text.trim() === ''
      ? { kind: 'bad_output', message: 'The model answered nothing.' }
      : { kind: 'ok' };
  }
  if (reason === 'tool-calls') {
    return { kind: 'limit', message: `The model gave no answer after ${turns} turns.` };
  }
  if (reason === 'length') return { kind: 'limit', message: 'The answer was cut at the longest output.' };
  if (reason === 'content-filter')
    return { kind: 'bad_output', message: 'The provider withheld the answer.' };
  return { kind: 'stream', message: `The answer broke off (${reason}).` };
}

function instructions({ schema }: AgentTask): string {
  const look =
    'You work in a project that you can read with the tools read, grep and glob; you cannot change it. ' +
    'Look before you claim anything about the code.';
  if (schema === undefined) return look;
  const shape = JSON.stringify(schema);
  return `${look}\n\nYour final message is one JSON value and nothing else. It follows this JSON Schema:\n${shape}`;
}
