import type { CommandSpec } from './command.ts';

export const featureCommand: CommandSpec = {
  name: 'feature',
  summary: 'A feature from idea to code: directory, state, phases',
  examples: [
    ['charrette feature new "search by tag" --prd idea.md', 'a feature directory that grows from a PRD'],
    ['charrette feature status', 'where every feature stands'],
  ],
  subcommands: {
    new: {
      summary: 'Make the directory and state of a feature',
      load: async () => (await import('./feature-new.ts')).featureNewCommand,
    },
    status: {
      summary: 'Phases, artifacts and what may come next',
      load: async () => (await import('./feature-status.ts')).featureStatusCommand,
    },
  },
};
