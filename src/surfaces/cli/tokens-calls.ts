import type { CallReport } from '../../prompts/rates.ts';
import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import { findProject } from '../../service/project.ts';

export const tokensCallsCommand: CommandSpec = {
  examples: [
    ['charrette tokens calls', 'every recorded call, including finished features'],
    ['charrette tokens calls --feature 007 --json', 'one feature, for a program'],
  ],
  options: [{ flags: '--feature <name>', description: 'only features whose name begins so' }],
  dryRun: 'reads',
  run: runCalls,
};

async function runCalls({ options, global }: Invocation): Promise<CommandResult> {
  const { readDispatches } = await import('../../prompts/dispatch-log.ts');
  const { callReport } = await import('../../prompts/rates.ts');
  const wanted = typeof options['feature'] === 'string' ? options['feature'] : '';
  const records = (await readDispatches(findProject(global.cwd))).filter(({ feature }) =>
    feature.startsWith(wanted),
  );
  const report = callReport(records);
  return { exit: 0, text: report.calls === 0 ? 'No recorded calls yet.\n' : render(report), json: report };
}

function render({ calls, features, roles, saving, rates, basis }: CallReport): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return [
    `calls: ${calls}, features: ${features}`,
    '',
    'Role                                  calls  continued   prompt    reads    delta  replayed',
    ...roles.map((row) =>
      [
        `${row.command} ${row.role}`.padEnd(36),
        String(row.calls).padStart(6),
        String(row.resumed).padStart(10),
        String(row.promptTokens).padStart(8),
        String(row.readTokens).padStart(8),
        String(row.deltaTokens).padStart(8),
        String(row.replayedTokens).padStart(9),
      ].join(' '),
    ),
    '',
    `Against every document in every prompt (${saving.fullTokens} tokens, ${saving.calls} calls): prompt ${percent(saving.promptShare)}, effective ${percent(saving.effectiveShare)}`,
    ...rates.map(
      ({ name, count, of, share, limit, alarm }) =>
        `${name}: ${count} of ${of} (${percent(share)}, limit ${percent(limit)})${alarm ? ' ALARM' : ''}`,
    ),
    basis,
    '',
  ].join('\n');
}
