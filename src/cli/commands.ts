import type { LazyCommand } from './command.ts';

/** The table of commands. A module is loaded only when its command runs. */
export const commands: Readonly<Record<string, LazyCommand>> = {
  context: {
    summary: 'design documents as one block under a token budget',
    load: async () => (await import('./context.ts')).contextCommand,
  },
  prompt: {
    summary: 'the prompt that a role of a command gets',
    load: async () => (await import('./prompt.ts')).promptCommand,
  },
};
