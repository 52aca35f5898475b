import { loadConfig } from '../../base/config/config.ts';
import { CharretteError } from '../../base/errors.ts';
import { readLedger } from '../../engine/ledger.ts';
import { type Home, listRunIds, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { readRunRecordSync } from '../../engine/run-record.ts';
import type { CommandSpec } from './command.ts';
import { costList, type Grouping, groupings, type Spent } from './cost-list.ts';
import { renderCosts } from './cost-table.ts';
import { fittingFor } from './fitting.ts';
import { findHome } from './project.ts';

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
  async run({ options, global, terminal }) {
    const home = findHome(global.cwd);
    const { config } = await loadConfig({ project: home.project, env: terminal.env, file: global.config });
    const since = options['since'] as string | undefined;
    const until = options['until'] as string | undefined;
    const by = options['by'] as Grouping;
    const spent = (await readSpent(home, by)).filter(
      ({ time }) =>
        (since === undefined || time.slice(0, 10) >= since) &&
        (until === undefined || time.slice(0, 10) <= until),
    );
    const list = costList(spent, by, config.prices);
    return { exit: 0, json: list, text: renderCosts(list, await fittingFor(terminal.stdout)) };
  },
};

/** The ledgers of all runs. A run whose record is broken has spent all the same. */
async function readSpent(home: Home, by: Grouping): Promise<Spent[]> {
  const spent: Spent[] = [];
  for (const run of await listRunIds(home)) {
    const directory = runDirectoryOf(home, run);
    // Half of the reading in a long history; only one grouping asks for it.
    const command = by === 'command' ? commandOf(directory) : '';
    for (const entry of readLedger(directory.ledger)) spent.push({ ...entry, run, command });
  }
  return spent;
}

function commandOf(directory: RunDirectory): string {
  try {
    return readRunRecordSync(directory).workflow;
  } catch {
    return 'unreadable';
  }
}

function day(flag: string) {
  return (value: string) => {
    if (/^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))) return value;
    throw new CharretteError({
      code: 'usage',
      message: `${flag} was ${JSON.stringify(value)}; it takes a day such as 2026-11-30.`,
    });
  };
}
