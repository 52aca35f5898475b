import { readJson } from '../../src/base/safe-json.ts';
import { recordOf } from './json.ts';
import type { RequestView, Turn } from './view.ts';

/** What the scripted model does, one tool step per turn, then its answer. */
export type Step =
  | { verb: 'read' | 'write' | 'shell'; argument: string }
  | { verb: 'call'; tool: string; input: Record<string, unknown> };

export type Script = {
  steps: Step[];
  /** The final answer. Default: a summary of what the model has seen. */
  say?: string;
  /** The final answer as JSON, given by the agent's own structured-output tool where it offers one. */
  json?: unknown;
  delayMs?: number;
};

/** A script and the turn that asked for it; tool results after that turn are its progress. */
export type Assignment = { script: Script; turn: number };

const marker = /⟦(read|write|shell|call|say|json|delay)\s+([^⟧]*)⟧/g;

/** The script in a prompt: `⟦read FILE⟧ ⟦write FILE⟧ ⟦shell COMMAND⟧ ⟦call TOOL {…}⟧ ⟦say TEXT⟧ ⟦json {…}⟧ ⟦delay MS⟧`. */
export function scriptIn(text: string): Script | undefined {
  const script: Script = { steps: [] };
  let found = false;
  for (const [, verb, raw = ''] of text.matchAll(marker)) {
    found = true;
    const argument = raw.trim();
    if (verb === 'say') script.say = argument;
    else if (verb === 'json') script.json = valueIn(argument);
    else if (verb === 'delay') script.delayMs = Number(argument);
    else if (verb === 'call') script.steps.push(callStep(argument));
    else if (verb === 'read' || verb === 'write' || verb === 'shell') script.steps.push({ verb, argument });
  }
  return found ? script : undefined;
}

/** The last prompt of the conversation that carries a script. */
export function assignmentIn({ turns }: RequestView): Assignment | undefined {
  for (const [turn, { role, text }] of [...turns.entries()].reverse()) {
    const script = role === 'user' ? scriptIn(text) : undefined;
    if (script !== undefined) return { script, turn };
  }
  return undefined;
}

/** How many different scripted prompts the conversation holds: more than one after a resume. */
export function promptsIn(turns: readonly Turn[]): number {
  const scripted = turns.filter(({ role, text }) => role === 'user' && scriptIn(text) !== undefined);
  return new Set(scripted.map(({ text }) => text)).size;
}

function callStep(argument: string): Step {
  const [, tool = '', input = ''] = /^(\S+)\s*([\s\S]*)$/.exec(argument) ?? [];
  return { verb: 'call', tool, input: recordOf(valueIn(input)) };
}

function valueIn(text: string): unknown {
  const reading = readJson(text);
  return reading.ok ? reading.value : text;
}
