import type { Driver } from './driver.ts';

/** The smallest agent there is: prompt on stdin, answer on stdout, exit code 0. */
export const exec: Driver = {
  title: 'Program',
  family: 'exec',
  // The user's program may keep its own files, but must not touch the work.
  guard: 'project',
  programs: [],
  natives: [],
  versionArguments: [],
  capabilities: {
    readOnly: 'jail',
    write: true,
    schema: false,
    resume: false,
    fork: false,
    usage: false,
    trust: 'terminal-event',
  },
  login: { files: [], variables: [] },
  silent: true,
  succeedsByExit: true,
  build: ({ program, task }) => ({
    argv: program,
    environment: {},
    files: {},
    stdin: task.prompt,
  }),
  parse: (line) => [{ type: 'text', text: `${line}\n` }],
};
