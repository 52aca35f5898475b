import { CharretteError } from '../../base/errors.ts';
import { type CommandSpec, runArgument } from '../../service/command.ts';
import { costs, type Grouping, groupings } from '../../service/costs.ts';
import { findRun, projectOf } from '../../service/project.ts';
import { fittingFor, renderCosts } from './tables.ts';

export const command: CommandSpec = {
  examples: [
    ['charrette costs', 'the latest run by phase'],
    ['charrette costs 4f2a90c1 --by agent', 'another run by agent'],
    ['charrette costs --all', 'every run by day'],
    ['charrette costs --since 2026-11-01 --by command', 'every run since that day by command'],
  ],
  arguments: [runArgument],
  options: [
    { flags: '--all', description: 'add up every run of this project' },
    {
      flags: '--by <what>',
      description: 'group calls (default: phase for one run, day for all runs)',
      choices: Object.keys(groupings),
    },
    {
      flags: '--since <day>',
      description: 'with every run: only calls of this day (UTC, YYYY-MM-DD) and later',
      parse: day('--since'),
    },
    {
      flags: '--until <day>',
      description: 'with every run: only calls of this day and earlier',
      parse: day('--until'),
    },
  ],
  dryRun: 'reads',
  async run(invocation) {
    const { options, terminal, arguments: words } = invocation;
    const [name] = words as [string | undefined];
    const project = projectOf(invocation);
    const { since, until, by, all } = options as CostFlags;
    const isAll = all === true || since !== undefined || until !== undefined;
    if (isAll && name !== undefined)
      throw new CharretteError({
        code: 'usage',
        message: `--all, --since and --until add up every run; ${JSON.stringify(name)} is one run.`,
        fix: 'Omit the run, or omit these flags.',
      });
    const list = await costs(
      project,
      isAll
        ? { by: by ?? 'day', since, until }
        : { by: by ?? 'phase', run: (await findRun(project, name)).id },
    );
    return { exit: 0, json: list, text: renderCosts(list, await fittingFor(terminal.stdout)) };
  },
};

type CostFlags = { all?: boolean; by?: Grouping; since?: string; until?: string };

function day(flag: string) {
  return (value: string) => {
    if (/^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))) return value;
    throw new CharretteError({
      code: 'usage',
      message: `${flag} is ${JSON.stringify(value)}; expected a day such as 2026-11-30.`,
    });
  };
}
