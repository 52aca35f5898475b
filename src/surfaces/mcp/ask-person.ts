import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { Question } from '../../engine/question.ts';
import { formAnswer, questionForm } from '../../engine/question-form.ts';

/** Puts a question to the person in front of the host; nothing when they would not answer. */
export type AskPerson = (question: Question) => Promise<string | undefined>;

/** A person thinks longer than a program answers. */
const patienceMs = 10 * 60_000;

/** Absent where the host cannot show forms: its model asks then, and hands the answer over with run_answer. */
export function askPersonThrough(
  { server }: Pick<McpServer, 'server'>,
  signal: AbortSignal,
): AskPerson | undefined {
  // A host that names no kind of elicitation has forms; the SDK reads it so.
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return undefined;
  return async (question) => {
    try {
      const reply = await server.elicitInput(questionForm(question), { timeout: patienceMs, signal });
      return formAnswer(reply, question);
    } catch (error) {
      // Nobody answered in time, or the host could not show the form after all.
      if (error instanceof McpError && !signal.aborted) return undefined;
      throw error;
    }
  };
}
