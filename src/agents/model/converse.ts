import type { ModelMessage, ToolSet } from 'ai';
import { isRecord } from '../../base/safe-json.ts';
import type { AgentTask, CallContext, LaneKind, Usage } from '../port.ts';
import { blotOut } from '../process/redact.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { Deadline } from './deadline.ts';
import { loadModel, type ModelChoice, providerTable } from './provider.ts';
import { readTools } from './read-tools.ts';
import { addUsage } from './usage.ts';

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
  /** Blotted out of the files that the model is shown. */
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
        execute: async (given) => blotOut(secrets, await run(task.directory, isRecord(given) ? given : {})),
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
    return { kind: 'limit', message: `The model was still looking around after ${turns} turns.` };
  }
  if (reason === 'length') return { kind: 'limit', message: 'The answer was cut at the longest output.' };
  if (reason === 'content-filter')
    return { kind: 'bad_output', message: 'The provider withheld the answer.' };
  return { kind: 'stream', message: `The answer broke off (${reason}).` };
}

function instructions({ schema }: AgentTask): string {
  const look =
    'You work in a project that you can look at with the tools read, grep and glob; you cannot change it. ' +
    'Look before you claim anything about the code.';
  if (schema === undefined) return look;
  const shape = JSON.stringify(schema);
  return `${look}\n\nYour final message is one JSON value and nothing else. It follows this JSON Schema:\n${shape}`;
}
