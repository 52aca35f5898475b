import type { Readable, Writable } from 'node:stream';
import { exitCodes } from '../../base/error-table.ts';
import { version } from '../../base/version.ts';
import type { CommandSpec } from '../../service/command.ts';
import { stopExit } from '../../service/command.ts';

export const command: CommandSpec = {
  examples: [
    ['charrette acp', 'started by an editor: a prompt is a feature, the answer is its plan'],
    [
      '{ "agent_servers": { "Charrette": { "command": "charrette", "args": ["acp"] } } }',
      'in the settings of Zed',
    ],
  ],
  async run({ global, terminal, signal }) {
    const { serveEditor } = await import('./agent.ts');
    if (terminal.stdin.isTTY === true && !global.quiet)
      terminal.stderr.write('Serving over ACP; an editor writes to stdin. Stop with Ctrl-C.\n');
    await serveEditor({ config: global.config, env: terminal.env }, version, {
      input: terminal.stdin as Readable,
      output: terminal.stdout as Writable,
      signal,
    });
    return { exit: signal.aborted ? stopExit(signal) : exitCodes.done };
  },
};
