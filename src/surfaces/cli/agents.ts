import { thisWorld } from '../../agents/settings.ts';
import { CharretteError } from '../../base/errors.ts';
import type { CommandSpec } from '../../service/command.ts';
import { type AgentRecord, agentRecords, agentStates, retryAccount } from '../../service/doctor.ts';
import { projectOf } from '../../service/project.ts';
import { agentRows } from './doctor.ts';
import { columns } from './help.ts';

const retry: CommandSpec = {
  examples: [['charrette agents retry claude', 'call a used-up account before its reset']],
  arguments: [['<agent>', 'the agent whose account is called again at once']],
  dryRun: 'says',
  async run(invocation) {
    const name = invocation.arguments[0] as string;
    const { dryRun } = invocation.global;
    const { known, wasUsedUp } = await retryAccount(projectOf(invocation), name, thisWorld(), dryRun);
    if (!known.includes(name))
      throw new CharretteError({
        code: 'agent-not-found',
        message: `Unknown agent ${JSON.stringify(name)}. Available: ${known.join(', ')}.`,
        fix: 'Run `charrette agents` for the list.',
      });
    const done = dryRun ? 'Would call it' : 'It is called';
    const text = wasUsedUp ? `${done} again.` : 'Its account is not marked as used up.';
    return { exit: 0, json: { agent: name, wasUsedUp, dryRun }, text: `${text}\n` };
  },
};

export const command: CommandSpec = {
  examples: [
    ['charrette agents', 'agents with login, limits and resets'],
    ['charrette agents --record', 'and how their calls in this project ended'],
    ['charrette agents retry claude', 'call a used-up account before its reset'],
  ],
  options: [{ flags: '--record', description: 'also show how the calls of every run here ended' }],
  dryRun: 'reads',
  subcommands: { retry: { summary: 'Call a used-up account before its reset', load: async () => retry } },
  async run(invocation) {
    const { options, signal } = invocation;
    const project = projectOf(invocation);
    const agents = await agentStates(project, signal);
    const record = options['record'] === true ? await agentRecords(project) : undefined;
    const rows = columns(agentRows(agents));
    const table = record === undefined ? [] : ['', 'Calls', ...columns(record.map(recordRow))];
    return {
      exit: 0,
      json: { agents, ...(record === undefined ? {} : { record }) },
      text: `${[...rows, ...table].join('\n')}\n`,
    };
  },
};

function recordRow({ agent, answered, failures, medianMs }: AgentRecord): readonly [string, string] {
  const failed = Object.entries(failures).map(([kind, count]) => `${count} ${kind}`);
  const time = medianMs === undefined ? '' : `, ${Math.round(medianMs / 1000)}s each`;
  return [agent, `${answered} answered${time}${failed.length === 0 ? '' : `; failed: ${failed.join(', ')}`}`];
}
