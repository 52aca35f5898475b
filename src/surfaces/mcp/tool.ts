import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { toCharretteError } from '../../base/errors.ts';
import { type AskPerson, askPersonThrough } from './ask-person.ts';

/** What the server knows of its surroundings; the same for every call. */
export type ServerContext = {
  /** Where the server was started or told to work. */
  cwd: string;
  /** A configuration file named on the command line. */
  config: string | undefined;
  env: NodeJS.ProcessEnv;
  /** How this program is started again: interpreter and script. */
  program: readonly string[];
};

export type Call = {
  context: ServerContext;
  /** Aborted when the client cancels the call or goes away. */
  signal: AbortSignal;
  /** Tells the client how far it is; nothing happens when it did not ask. */
  progress: (position: number, message: string) => Promise<void>;
  /** Asks the person directly, where the client can. */
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

/** A tool as a function that puts it on a server; its types stay inside. */
export type Registration = { name: string; register: (server: McpServer, context: ServerContext) => void };

export const readsOnly: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Registration {
  const { name, title, description, input, output, annotations } = tool;
  const register: Registration['register'] = (server, context) => {
    const config = {
      title,
      description,
      // A name that nobody reads, such as that of a limit, must not go unnoticed.
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
            context,
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
