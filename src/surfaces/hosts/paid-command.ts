import { startedPrograms } from '../../base/text/shell-commands.ts';
import { indexOfCommand } from '../../service/command.ts';

/** Commands of ours that call agents; of those with commands below them, which. */
const paid: Readonly<Record<string, true | readonly string[]>> = {
  answer: true,
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
    ([program = '', ...words]) => agents.has(program) || (program === 'charrette' && isPaid(words)),
  );
}

function isPaid(words: readonly string[]): boolean {
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
