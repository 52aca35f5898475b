import path from 'node:path';
import type { TokenReport } from '../../prompts/measure/token-report.ts';
import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import { pageWidth, wrapLine } from './help.ts';

export const tokensCommand: CommandSpec = {
  examples: [
    ['charrette tokens report --corpus docs/features', 'all layouts over a folder of features'],
    ['charrette tokens calls', 'what recorded calls cost'],
  ],
  subcommands: {
    report: {
      summary: 'Compare prompt and effective cost of every layout over feature directories',
      load: async () => tokensReportCommand,
    },
    calls: {
      summary: 'Show what recorded calls cost, and how often reads, sessions and diffs failed',
      load: async () => (await import('./tokens-calls.ts')).tokensCallsCommand,
    },
  },
};

const tokensReportCommand: CommandSpec = {
  examples: [
    ['charrette tokens report', 'the features of this project'],
    ['charrette tokens report --corpus ../archive/features --json', 'another folder, for a program'],
  ],
  options: [{ flags: '--corpus <dir>', description: 'folder of feature directories', default: '.' }],
  dryRun: 'reads',
  run: runReport,
};

async function runReport({ options, global, terminal }: Invocation): Promise<CommandResult> {
  const { readCorpus } = await import('../../prompts/measure/corpus.ts');
  const { loadCorpusCounter } = await import('../../prompts/measure/corpus.ts');
  const { tokenReport } = await import('../../prompts/measure/token-report.ts');
  const corpus = await readCorpus(path.resolve(global.cwd, String(options['corpus'])));
  const report = tokenReport(corpus, await loadCorpusCounter());
  return { exit: 0, text: render(report, pageWidth(terminal.stdout)), json: report };
}

/** Below this the characters of prompts are left out of the table; `--json` has them. */
const wholeTable = 90;

function render(report: TokenReport, width: number): string {
  const { prd, sections, histories } = report;
  const whole = width >= wholeTable;
  const lines = [
    `${report.features} features; PRD: ${prd.file} own file, ${prd.fallback} from a brainstorm, ${prd.broken} broken, ${prd.none} none`,
    '',
    `Layout        ${whole ? 'prompt characters   ' : ''}prompt tokens   effective tokens   prompt   effective`,
    ...report.layouts.map((layout) =>
      [
        layout.name.padEnd(12),
        ...(whole ? [String(layout.promptChars).padStart(19)] : []),
        String(layout.promptTokens).padStart(15),
        String(layout.effectiveTokens).padStart(18),
        percent(layout.promptShare).padStart(8),
        percent(layout.effectiveShare).padStart(11),
      ].join(' '),
    ),
    '',
    'New tokens of a five-round loop with one fresh and four continued calls, against five fresh ones',
    ...report.loops.map(
      ({ command, role, newTokensShare }) =>
        `  ${`${command} ${role}`.padEnd(36)} ${percent(newTokensShare).padStart(8)}`,
    ),
    '',
    `Tasks: ${sections.tasks}, ${sections.referenced} with references, ${sections.scoped} with sections, ${sections.ambiguous} ambiguous${sections.wrong === undefined ? '' : `, ${sections.wrong} wrong`}`,
    `Review histories: ${histories.entries} iterations, ${histories.lazyLoadWarnings} lazy-load warnings, ${histories.resumeFallbacks} resume fallbacks`,
    '',
    ...Object.entries(report.basis).map(([figure, basis]) => `${figure}: ${basis}`),
    '',
  ];
  return lines.flatMap((line) => wrapLine(line, width)).join('\n');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
