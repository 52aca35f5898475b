import type { CommandSpec } from './command.ts';

export const plan: CommandSpec = {
  name: 'plan',
  summary: 'Check and handle implementation plans.',
  examples: [['charrette plan check', 'check the plan of the latest run against the repository']],
  subcommands: {
    check: {
      summary: 'look every claim of a plan up in the repository',
      load: async () => (await import('./plan-check.ts')).planCheck,
    },
  },
};
