import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type CallToolResult, McpError, type ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { toCharretteError } from '../../base/errors.ts';
import type { Question } from '../../engine/question.ts';
import { formAnswer, questionForm } from '../../engine/question.ts';
import type { Project } from '../../service/project.ts';

export type Call = {
  project: Project;
  /** Aborted when the client cancels the call or goes away. */
  signal: AbortSignal;
  /** Reports progress to a client that asked for it. */
  progress: (position: number, message: string) => Promise<void>;
  /** Asks the user directly, where the client can show forms. */
  ask?: AskPerson | undefined;
};

export type Tool<Input extends z.ZodObject, Output extends z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  call: (input: z.output<Input>, call: Call) => Promise<z.input<Output>>;
};

/** A tool as a function that registers it; its types stay inside. */
export type Registration = { name: string; register: (server: McpServer, project: Project) => void };

export const readsOnly: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Registration {
  const { name, title, description, input, output, annotations } = tool;
  const register: Registration['register'] = (server, project) => {
    const config = {
      title,
      description,
      // An unknown name, such as a mistyped limit, must be rejected.
      inputSchema: (input as z.ZodObject).strict(),
      outputSchema: output,
      annotations,
    };
    server.registerTool(name, config, async (given, extra) => {
      const token = extra._meta?.progressToken;
      const progress: Call['progress'] = async (position, message) => {
        if (token === undefined) return;
        const params = { progressToken: token, progress: position, message };
        await extra.sendNotification({ method: 'notifications/progress', params });
      };
      try {
        // The server has checked the input against the schema.
        return successOf(
          await tool.call(given as z.output<Input>, {
            project,
            signal: extra.signal,
            progress,
            ask: askPersonThrough(server, extra.signal),
          }),
        );
      } catch (thrown) {
        return failureOf(thrown);
      }
    });
  };
  return { name, register };
}

function successOf(value: Record<string, unknown>): CallToolResult {
  return { structuredContent: value, content: [{ type: 'text', text: JSON.stringify(value) }] };
}

/** The error document of the contract as text: structured content would have to fit the schema of a success. */
function failureOf(thrown: unknown): CallToolResult {
  const { code, message, fix, retryable } = toCharretteError(thrown);
  const text = JSON.stringify({ error: { code, message, fix, retryable } });
  return { isError: true, content: [{ type: 'text', text }] };
}

/** Puts a question to the user of the host; nothing when they decline. */
export type AskPerson = (question: Question) => Promise<string | undefined>;

/** How long a user may think. */
const answerLimitMs = 10 * 60_000;

/** Absent where the host cannot show forms: its model asks then, and answers with run_answer. */
export function askPersonThrough(
  { server }: Pick<McpServer, 'server'>,
  signal: AbortSignal,
): AskPerson | undefined {
  // A host that names no kind of elicitation has forms; the SDK reads it so.
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return undefined;
  return async (question) => {
    try {
      const reply = await server.elicitInput(questionForm(question), { timeout: answerLimitMs, signal });
      return formAnswer(reply, question);
    } catch (error) {
      // There was no answer in time, or the host could not show the form after all.
      if (error instanceof McpError && !signal.aborted) return undefined;
      throw error;
    }
  };
}
