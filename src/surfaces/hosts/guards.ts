import { indexOfCommand } from '../../service/command.ts';
import type { ActiveWorkflow } from './active-workflow.ts';
import type { HookDecision, HookInput } from './events.ts';
import { startedPrograms } from './shell-commands.ts';

/** Refuses to end a turn in the middle of a workflow, once; a question to the user is a good reason to stop. */
export function stopDecision(
  input: Pick<HookInput, 'goingOn'>,
  workflow: ActiveWorkflow | undefined,
  lastWords: string,
): HookDecision {
  if (input.goingOn || workflow === undefined || asksUser(lastWords)) return { kind: 'nothing' };
  const { items, skill, active } = workflow.list;
  const phases = items.filter(({ kind }) => kind === 'phase');
  const current = phases.find(({ status }) => status === 'in_progress');
  if (current === undefined) return { kind: 'nothing' };
  const waiting = phases.filter(({ status }) => status === 'pending').map(({ content }) => content);
  return {
    kind: 'go-on',
    reason: [
      `${skill} is not over: "${current.content}" is in progress${waiting.length === 0 ? '' : ` and ${waiting.length} phases wait (${waiting.join('; ')})`}.`,
      `Continue with ${active?.cursor === undefined ? 'its first open step' : `Step ${active.cursor}`} of ${workflow.file}; read the file again if its steps are not in your context.`,
      'If the workflow has to stop here, say why and set the open phases of the todo list to skipped or failed.',
    ].join(' '),
  };
}

/** The last sentence is a question, or the words say that they wait for someone. */
function asksUser(words: string): boolean {
  const last = words
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-3)
    .join(' ');
  return (
    /[?？]["')\]*_`\s]*$/.test(last) ||
    /\b(?:waiting for|let me know|please (?:confirm|choose|answer|decide))\b/i.test(last)
  );
}

/** Tools that start other agents or paid commands; reading and editing stay free. */
const spends = /^(?:task|agent|subagent|spawn_agent|delegate_to_agent|skill)$/i;

/** Whether a call costs more than its own answer. `agents` are the programs that are some. */
export function isPaid(
  { tool, command }: Pick<HookInput, 'tool' | 'command'>,
  agents: ReadonlySet<string>,
): boolean {
  return spends.test(tool) || startsAgents(command, agents);
}

/** Refuses new agents when a session has used up its tokens. */
export function budgetDecision(used: number, limit: number): HookDecision {
  if (used < limit) return { kind: 'nothing' };
  return {
    kind: 'deny',
    reason: `This session has used ${used.toLocaleString('en')} of ${limit.toLocaleString('en')} tokens, so no further agent is started. Finish with what you have, or ask the user to raise the limit (CHARRETTE_SESSION_TOKENS).`,
  };
}

/** Commands of ours that call agents; of those with commands below them, which. */
const paid: Readonly<Record<string, true | readonly string[]>> = {
  answer: true,
  build: true,
  compare: true,
  design: true,
  feature: ['specify', 'design', 'plan', 'tasks', 'implement', 'finish'],
  'lite-execute': true,
  'lite-plan': true,
  plan: ['edit'],
  refine: true,
  resume: true,
  skill: ['run'],
  worker: true,
};

/** Whether a command line of a shell starts one of these agents, or a command of ours that does. */
export function startsAgents(line: string, agents: ReadonlySet<string>): boolean {
  return startedPrograms(line).some(
    ([program = '', ...words]) => agents.has(program) || (program === 'charrette' && callsAgents(words)),
  );
}

function callsAgents(words: readonly string[]): boolean {
  const [name, ...rest] = fromCommand(words);
  const below = name !== undefined && Object.hasOwn(paid, name) ? paid[name] : undefined;
  if (below === undefined || below === true) return below === true;
  const [next] = fromCommand(rest);
  return next !== undefined && below.includes(next);
}

function fromCommand(words: readonly string[]): readonly string[] {
  const start = indexOfCommand(words);
  return start === undefined ? [] : words.slice(start);
}
