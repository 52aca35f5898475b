import { CharretteError } from '../../base/errors.ts';
import type { CommandSpec } from '../../service/command.ts';
import { costs, type Grouping, groupings } from '../../service/costs.ts';
import { projectOf } from '../../service/project.ts';
import { fittingFor, renderCosts } from './tables.ts';

export const command: CommandSpec = {
  name: 'costs',
  summary: 'What the runs of this project cost: by day, agent, model, command, phase or run',
  examples: [
    ['charrette costs', 'every day with its calls, tokens and money'],
    ['charrette costs --by agent --since 2026-11-01', 'whom the month went to'],
    ['charrette costs --by command --json', 'the same for a program'],
  ],
  options: [
    {
      flags: '--by <what>',
      description: 'what a line stands for',
      choices: Object.keys(groupings),
      default: 'day',
    },
    {
      flags: '--since <day>',
      description: 'only calls of this day (UTC, YYYY-MM-DD) and later',
      parse: day('--since'),
    },
    { flags: '--until <day>', description: 'only calls of this day and earlier', parse: day('--until') },
  ],
  dryRun: 'reads',
  async run(invocation) {
    const { options, terminal } = invocation;
    const list = await costs(projectOf(invocation), {
      by: options['by'] as Grouping,
      since: options['since'] as string | undefined,
      until: options['until'] as string | undefined,
    });
    return { exit: 0, json: list, text: renderCosts(list, await fittingFor(terminal.stdout)) };
  },
};

function day(flag: string) {
  return (value: string) => {
    if (/^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))) return value;
    throw new CharretteError({
      code: 'usage',
      message: `${flag} was ${JSON.stringify(value)}; it takes a day such as 2026-11-30.`,
    });
  };
}
