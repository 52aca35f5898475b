import type { CommandSpec } from './command.ts';
import { findHome } from './project.ts';
import { refreshQueued } from './queue-facts.ts';
import { listRuns, renderRuns } from './run-list.ts';

const list = {
  name: 'list',
  summary: 'The runs of this project, newest first',
  examples: [
    ['charrette runs list', 'every run with its status'],
    ['charrette runs list --json', 'the same for a program'],
  ],
  async run({ global, terminal }) {
    const { stdout } = terminal;
    const home = findHome(global.cwd);
    const facts = await refreshQueued(home, { global, terminal });
    const runs = (await listRuns(home)).map((run) => {
      const waits = facts.get(run.run)?.waits;
      return waits === undefined ? run : { ...run, waits };
    });
    const fit = stdout.isTTY === true ? await lineFitter(stdout.columns ?? 80) : undefined;
    return { exit: 0, json: { runs }, text: renderRuns(runs, Date.now(), fit) };
  },
} satisfies CommandSpec;

/** Counting columns needs a table of characters; a pipe, which has no width, does not load it. */
async function lineFitter(columns: number): Promise<(line: string) => string> {
  const { shorten } = await import('./live/fit.ts');
  return (line) => shorten(line, columns - 1);
}

export const command: CommandSpec = {
  ...list,
  name: 'runs',
  summary: 'List, export, import, prune and remove runs',
  examples: [
    ['charrette runs', 'every run with its status'],
    ['charrette runs --json', 'the same for a program'],
    ['charrette runs prune --older-than 30', 'remove ended runs older than 30 days'],
  ],
  subcommands: {
    list: { summary: list.summary, load: async () => list },
    export: {
      summary: 'Write a run to one file',
      load: async () => (await import('./runs-archive.ts')).exportRun,
    },
    import: {
      summary: 'Take a run over from a file',
      load: async () => (await import('./runs-archive.ts')).importRun,
    },
    prune: { summary: 'Remove old ended runs', load: async () => (await import('./runs-remove.ts')).prune },
    rm: { summary: 'Remove runs by id', load: async () => (await import('./runs-remove.ts')).remove },
  },
};
