import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Question } from '../engine/question.ts';
import { formAnswer, questionForm } from '../engine/question-form.ts';

/** Puts a question to the person in front of the host; nothing when they would not answer. */
export type AskPerson = (question: Question) => Promise<string | undefined>;

/** A person thinks longer than a program answers. */
const patienceMs = 10 * 60_000;

/** Absent where the host cannot show forms: its model asks then, and hands the answer over with run_answer. */
export function askPersonThrough({ server }: McpServer, signal: AbortSignal): AskPerson | undefined {
  const { elicitation } = server.getClientCapabilities() ?? {};
  if (elicitation === undefined) return undefined;
  return async (question) => {
    const reply = await server.elicitInput(questionForm(question), { timeout: patienceMs, signal });
    return formAnswer(reply, question);
  };
}
