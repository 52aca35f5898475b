import type { WorkflowConfig } from './config/workflow-config.ts';
import type { PackageResult } from './lint/engine.ts';
import type { Finding } from './lint/rule.ts';
import { countInherited, countOf } from './lint/rule.ts';
import type { WriteOutcome } from './package-files.ts';

/** S-100: which of the nine patterns a package uses. */
export function patternMarks(
  config: WorkflowConfig,
  findings: readonly Finding[],
): { pattern: string; used: boolean }[] {
  const { features, phases, dataFlow, preferenceQuestions } = config;
  return [
    { pattern: 'Orchestrator and progressive loading', used: true },
    { pattern: 'Attach and collapse', used: features.hasTodoWriteSubTasks },
    { pattern: 'Data flow between phases', used: dataFlow.some(({ from }) => from !== 'input') },
    {
      pattern: 'Conditional phases',
      used: features.hasConditionalPhases || phases.some(({ runsWhen }) => runsWhen !== undefined),
    },
    { pattern: 'Input structuring', used: true },
    { pattern: 'Preferences collected once', used: features.hasAutoMode || preferenceQuestions.length > 0 },
    { pattern: 'Direct handoff', used: phases.some(({ handsOverTo }) => handsOverTo !== undefined) },
    { pattern: 'Clean phase files', used: !findings.some(({ rule }) => rule.startsWith('HY')) },
    { pattern: 'Compact recovery', used: phases.some(({ guarded }) => guarded === true) },
  ];
}

/** What was made, what lint says, what to do next. */
export function renderOutcome(
  config: WorkflowConfig,
  outcome: WriteOutcome,
  lint: PackageResult,
  where: string,
): string {
  const count = (kind: string) => outcome.changes.filter((change) => change.kind === kind).length;
  const changed = ['created', 'changed', 'removed', 'unchanged']
    .filter((kind) => count(kind) > 0)
    .map((kind) => `${count(kind)} ${kind}`);
  const inherited = countInherited(lint.findings);
  return [
    `${config.skillName}: ${outcome.written ? '' : 'nothing written, '}${changed.join(', ')}`,
    `  Location   ${where}`,
    `  Files      ${config.phases.length + 1}`,
    `  Triggers   ${config.triggers.join(', ')}`,
    `  Lint       ${lint.gate} (${countOf(lint.findings, 'error')} errors, ${countOf(lint.findings, 'warning')} warnings${inherited > 0 ? `, ${inherited} inherited` : ''})`,
    '  Patterns',
    ...patternMarks(config, lint.findings).map(({ pattern, used }) => `    ${used ? '✓' : '○'} ${pattern}`),
    ...(outcome.backup === undefined ? [] : [`  Backup     ${outcome.backup}`]),
    '  Next       fill in the phase files, then `charrette skill sync` and `charrette skill lint`',
    '',
  ].join('\n');
}
