import type { Readable, Writable } from 'node:stream';
import { exitCodes } from '../../base/error-table.ts';
import type { CommandSpec } from './command.ts';
import { findProject } from './project.ts';
import { stopExit } from './stopped.ts';

export const command: CommandSpec = {
  name: 'mcp',
  summary: 'An MCP server on stdin and stdout: runs, artifacts, context, prompts and checks as tools',
  examples: [
    ['charrette mcp', 'serve the project of this directory'],
    ['claude mcp add charrette -- charrette mcp', 'add it to Claude Code'],
    ['charrette mcp --cwd ~/shop', 'for hosts that start servers somewhere else'],
  ],
  async run({ global, terminal, signal }) {
    const { serveClient } = await import('../mcp/serve.ts');
    const [interpreter = process.execPath, script = ''] = process.argv;
    // Refuses a directory that is not there before a client waits for an answer.
    const project = findProject(global.cwd);
    if (terminal.stdin.isTTY === true && !global.quiet)
      terminal.stderr.write(`Serving ${project} over MCP; a host writes to stdin. Stop with Ctrl-C.\n`);
    await serveClient(
      { cwd: global.cwd, config: global.config, env: terminal.env, program: [interpreter, script] },
      { input: terminal.stdin as Readable, output: terminal.stdout as Writable, signal },
    );
    return { exit: signal.aborted ? stopExit(signal) : exitCodes.done };
  },
};
