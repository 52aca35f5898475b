import { type Rule, ruleFor } from './rules.ts';
import { assignmentIn, promptsIn, type Script } from './steps.ts';
import { chooseTool } from './tool-choice.ts';
import type { OfferedTool, Reply, RequestView, Turn } from './view.ts';

/** The answer to unscripted requests: titles, warm-ups, summaries. */
export const sideAnswer = 'SIDE-ANSWER';
export const answerMark = 'SCRIPT-ANSWER';

const structuredOutput = /^structured_?output$/i;

/** The model's next turn. Without memory: everything follows from the request, so any number of agents can share a server. */
export function decide(view: RequestView, rules: readonly Rule[], newId: (prefix: string) => string): Reply {
  const assignment = assignmentIn(view) ?? ruleFor(rules, view);
  if (assignment === undefined) return { text: sideAnswer };
  const { script, turn } = assignment;
  const results = view.turns.slice(turn).filter(({ role }) => role === 'tool');
  const delay = script.delayMs === undefined ? {} : { delayMs: script.delayMs };
  const step = script.steps[results.length];
  if (step !== undefined && view.tools.length > 0) {
    const choice = chooseTool(view.tools, step);
    if (choice === undefined) return { text: noTool(step.verb, view.tools), ...delay };
    return { text: `I will ${step.verb}.`, call: { id: newId('call'), ...choice }, ...delay };
  }
  const holder = view.tools.find(({ name }) => structuredOutput.test(name));
  if (script.json !== undefined && holder !== undefined && results.length === script.steps.length) {
    const input = script.json as Record<string, unknown>;
    return { text: '', call: { id: newId('call'), tool: holder, input }, ...delay };
  }
  return { text: finalText(script, view.turns, results), ...delay };
}

function finalText(script: Script, turns: readonly Turn[], results: readonly Turn[]): string {
  if (script.say !== undefined) return script.say;
  if (script.json !== undefined) return JSON.stringify(script.json);
  const last = (results.at(-1)?.text ?? '').replace(/\s+/g, ' ').slice(0, 300);
  return `${answerMark} prompts=${promptsIn(turns)} tools=${results.length} last=${last}`;
}

function noTool(verb: string, tools: readonly OfferedTool[]): string {
  return `${answerMark} no ${verb} tool among ${tools.map(({ name }) => name).join(', ')}`;
}
