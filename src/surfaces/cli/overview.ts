import { headline, untrustedLine } from '../../base/text/strings.ts';
import { version } from '../../base/version.ts';
import type { CommandSpec } from '../../service/command.ts';
import { overview } from '../../service/doctor.ts';
import { projectOf } from '../../service/project.ts';
import { agentRows } from './doctor.ts';
import { columns, pageWidth, wrapLine } from './help.ts';

/** `charrette` without a command: prints the state of the repository and the one next command. */
export const command: CommandSpec = {
  examples: [],
  dryRun: 'reads',
  async run(invocation) {
    const { signal, terminal } = invocation;
    const found = await overview(projectOf(invocation), signal);
    const { project, branch, agents, latest, next } = found;
    const width = pageWidth(terminal.stdout);
    const run =
      latest === undefined
        ? []
        : [
            '',
            'Latest run',
            `  ${latest.workflow}, ${latest.status}: ${untrustedLine(headline(latest.title))}`,
          ];
    const lines = [
      `Charrette ${version} in ${project}${branch === undefined ? '' : `, branch ${branch}`}`,
      '',
      'Agents',
      ...columns(agentRows(agents), width),
      ...run,
      '',
      `Next: ${next.command}`,
      `      ${next.why}`,
      '',
      ...wrapLine('`charrette doctor` shows problems with fixes, `charrette --help` the commands.', width),
      '',
    ];
    return { exit: 0, json: found, text: lines.join('\n') };
  },
};
