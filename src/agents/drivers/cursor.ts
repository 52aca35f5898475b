import { parseClaude } from './claude-dialect.ts';
import type { BuildRequest, Driver, Launch } from './driver.ts';

/** Cursor's agent, by its documented output; it cannot be run against a custom model. */
export const cursor: Driver = {
  title: 'Cursor',
  family: 'cursor',
  programs: ['cursor-agent'],
  natives: [],
  versionArguments: ['--version'],
  capabilities: {
    write: true,
    schema: false,
    resume: true,
    fork: false,
    usage: false,
    trust: 'terminal-event',
  },
  login: {
    files: [
      { path: '.cursor/cli-config.json' },
      {
        path: '.config/cursor/auth.json',
        renewed: true,
        moved: { variable: 'XDG_CONFIG_HOME', folder: '.config' },
      },
    ],
    // L-311: the key goes through the environment; arguments can be read by everybody.
    variables: ['CURSOR_API_KEY'],
  },
  build,
  parse: (line) => parseClaude(line, { inputHoldsCache: false, usageScope: 'total' }),
};

// L-307: plan mode and no force for everything that only reads.
function build({ program, task, settings, resume, directory }: BuildRequest): Launch {
  return {
    argv: [
      ...program,
      ...['-p', '--trust', '--output-format', 'stream-json', '--workspace', directory],
      ...(task.access === 'read' ? ['--mode', 'plan'] : ['--force']),
      ...(settings.model === undefined ? [] : ['--model', settings.model]),
      ...(resume === undefined ? [] : ['--resume', resume.session]),
    ],
    environment: {},
    files: {},
    stdin: task.prompt,
  };
}
