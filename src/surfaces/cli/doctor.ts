import type { CommandSpec } from '../../service/command.ts';
import { type AgentHealth, type DoctorReport, doctor } from '../../service/doctor.ts';
import { projectOf } from '../../service/project.ts';
import { columns } from './help.ts';

export const command: CommandSpec = {
  examples: [
    ['charrette doctor', 'what is installed'],
    ['charrette doctor --probe', 'also check the health of every agent (one small model call each)'],
  ],
  options: [{ flags: '--probe', description: 'call every agent once' }],
  dryRun: 'says',
  async run(invocation) {
    const { options, global, signal } = invocation;
    const probe = options['probe'] === true;
    const report = await doctor(projectOf(invocation), { probe: probe && !global.dryRun, signal });
    if (!probe || !global.dryRun) return { exit: 0, json: report, text: renderReport(report) };
    const wouldProbe = report.agents.map(({ id }) => id);
    const text = `${renderReport(report)}\nWould check the health of ${wouldProbe.join(', ')}.\n`;
    return { exit: 0, json: { ...report, dryRun: true, wouldProbe }, text };
  },
};

/** One line per agent: what it is, its version, login and health. */
export function agentRows(agents: readonly AgentHealth[]): (readonly [string, string])[] {
  const logins = { found: ', login found', missing: ', no login found', unknown: '' };
  return agents.map(({ id, title, version, login, healthy, message, account }) => {
    const isUnknown = healthy === undefined || account?.usedUp !== undefined;
    const health = isUnknown ? '' : healthy ? ', healthy' : `, not healthy: ${message}`;
    return [
      id,
      `${title}${version === undefined ? '' : ` ${version}`}${logins[login]}${health}${accountText(account)}`,
    ];
  });
}

/** `, used up until 2026-11-20T09:53:00.000Z (five_hour)`, and the last share that a call reported. */
function accountText({ usedUp, reading }: NonNullable<AgentHealth['account']> = {}): string {
  const { until = '', isKnown = true, isOver = false, window } = usedUp ?? {};
  const reset = isOver ? 'used up, the next call checks' : `used up until ${until}`;
  const guess = isKnown || isOver ? '' : ', reset unknown';
  const shown = usedUp === undefined ? '' : `, ${reset}${guess}${window === undefined ? '' : ` (${window})`}`;
  if (reading === undefined) return shown;
  const of = reading.window === undefined ? '' : ` of ${reading.window}`;
  return `${shown}, ${Math.round(reading.usedShare * 100)} %${of} used at ${reading.time}`;
}

function renderReport(report: DoctorReport): string {
  const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
  const rows: [string, string][] = [
    ['node', report.node],
    ['git', report.git === null ? 'not found' : `${report.gitVersion ?? 'unknown'}, ${report.git}`],
    [
      'sandbox',
      report.jail ??
        `${report.jailSwitchedOff ? 'switched off by CHARRETTE_JAIL' : 'bubblewrap not found'}: agents with read access work on a copy and are checked afterwards`,
    ],
    ['project', report.project],
    ['configuration', report.configuration.join(', ') || 'none'],
    [
      'store',
      `${report.store.kind}, ${megabytes(report.store.bytes)}; ${report.store.runs} runs, ${report.store.runBytesBasis === 'estimated' ? '~' : ''}${megabytes(report.store.runBytes)}`,
    ],
    ...(report.store.problem === undefined ? [] : [['', report.store.problem] as [string, string]]),
  ];
  const missing =
    report.notFound.length === 0
      ? []
      : ['', 'Not on PATH', `  ${report.notFound.join(', ')}`, '', 'Others: `agents` in the configuration.'];
  const fixes = report.fixes.length === 0 ? [] : ['', 'Fixes', ...report.fixes.map((fix) => `  ${fix}`)];
  const agents = columns(agentRows(report.agents));
  return `${[...columns(rows), '', 'Agents', ...agents, ...missing, ...fixes].join('\n')}\n`;
}
