import type { Readable, Writable } from 'node:stream';
import { exitCodes } from '../../base/error-table.ts';
import { type CommandSpec, stopExit } from '../../service/command.ts';
import { openProject } from '../../service/project.ts';

export const command: CommandSpec = {
  examples: [
    ['charrette mcp', 'serve the project of this directory'],
    ['claude mcp add charrette -- charrette mcp', 'add it to Claude Code'],
    ['charrette mcp --cwd ~/shop', 'for hosts that start servers somewhere else'],
  ],
  async run({ global, terminal, signal }) {
    const { serveClient } = await import('./serve.ts');
    // A missing directory is reported before a client waits for an answer.
    const project = openProject(global.cwd, { config: global.config, env: terminal.env });
    if (terminal.stdin.isTTY === true && !global.quiet)
      terminal.stderr.write(
        `Serving ${project.project} over MCP; a host writes to stdin. Stop with Ctrl-C.\n`,
      );
    const streams = { input: terminal.stdin as Readable, output: terminal.stdout as Writable };
    await serveClient(project, { ...streams, signal });
    return { exit: signal.aborted ? stopExit(signal) : exitCodes.done };
  },
};
