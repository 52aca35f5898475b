import type { LazyCommand } from './command.ts';

/** The table of commands. A module is loaded only when its command runs. */
export const commands: Readonly<Record<string, LazyCommand>> = {
  context: {
    summary: 'design documents as one block under a token budget',
    load: async () => (await import('./context.ts')).contextCommand,
  },
  init: {
    summary: 'set up a project, or bring its set-up to date',
    load: async () => (await import('./init.ts')).initCommand,
  },
  skill: {
    summary: 'build, check and protect workflow skills',
    load: async () => (await import('./skill.ts')).skill,
  },
  prompt: {
    summary: 'the prompt that a role of a command gets',
    load: async () => (await import('./prompt.ts')).promptCommand,
  },
};
