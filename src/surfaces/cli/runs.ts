import type { CommandSpec } from '../../service/command.ts';
import { projectOf } from '../../service/project.ts';
import { refreshQueued } from '../../service/queue-facts.ts';
import { defaultListed, listRuns, summaryOf } from '../../service/runs.ts';
import { wholeNumber } from './options.ts';
import { fittingFor, renderRuns } from './tables.ts';

const list = {
  examples: [
    ['charrette runs list', 'the newest runs with their status'],
    ['charrette runs list --all --json', 'all of them for a program'],
  ],
  options: [
    {
      flags: '--limit <count>',
      description: `how many of the newest (usually ${defaultListed})`,
      parse: wholeNumber('--limit'),
    },
    { flags: '--all', description: 'all of them' },
  ],
  dryRun: 'reads',
  async run(invocation) {
    const {
      options,
      terminal: { stdout },
    } = invocation;
    const home = projectOf(invocation);
    const limit =
      options['all'] === true ? Number.POSITIVE_INFINITY : (options['limit'] as number | undefined);
    const page = await listRuns(home, { ...(limit === undefined ? {} : { limit }) });
    const facts = await refreshQueued(home, page.queued);
    const runs = page.runs.map((run) => {
      const known = facts.get(run.run);
      if (known === undefined) return run;
      // Its record has just been brought up to date.
      const { waits } = known;
      return { ...summaryOf(home, run.run), ...(waits === undefined ? {} : { waits }) };
    });
    const { total } = page;
    const text = renderRuns({ runs, total }, Date.now(), await fittingFor(stdout));
    return { exit: 0, json: { runs, total }, text };
  },
} satisfies CommandSpec;

export const command: CommandSpec = {
  ...list,
  examples: [
    ['charrette runs', 'the newest runs with their status'],
    ['charrette runs --all --json', 'all of them for a program'],
    ['charrette runs prune --older-than 30', 'remove ended runs older than 30 days'],
  ],
  subcommands: {
    list: { summary: 'List the runs of this project, newest first', load: async () => list },
    export: {
      summary: 'Write a run to one file, to resume it elsewhere',
      load: async () => (await import('./runs-manage.ts')).exportCommand,
    },
    import: {
      summary: 'Import a run from an archive',
      load: async () => (await import('./runs-manage.ts')).importCommand,
    },
    prune: { summary: 'Remove old ended runs', load: async () => (await import('./runs-manage.ts')).prune },
    rm: {
      summary: 'Remove runs that no process works on, with everything they wrote',
      load: async () => (await import('./runs-manage.ts')).remove,
    },
  },
};
