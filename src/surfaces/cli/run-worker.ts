import type { CommandSpec } from '../../service/command.ts';
import { findRun, projectOf } from '../../service/project.ts';
import { remoteAnswersOption } from './ask.ts';
import { conductRun } from './conduct.ts';

/** Started by `startRun` in detached mode, not by people: executes a run whose record is written already. */
export const command: CommandSpec = {
  examples: [['charrette run-worker 4f2a90c1', 'what MCP server, web page and editors start']],
  arguments: [['<run>', 'run id']],
  options: [remoteAnswersOption],
  async run(invocation) {
    const project = projectOf(invocation);
    const { id } = await findRun(project, invocation.arguments[0] as string);
    return conductRun(project, id, invocation, new Map());
  },
};
