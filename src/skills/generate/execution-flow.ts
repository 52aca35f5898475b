import type { PhaseConfig, WorkflowConfig } from '../config/workflow-config.ts';
import { phasePath } from './phase-markdown.ts';

/** S-052, S-014: parsing, phases with Ref, decision, attached tasks and outputs, return line. */
export function executionFlow(config: WorkflowConfig): string {
  if (config.profile === 'router') return config.phases.map((phase) => modeFlow(config, phase)).join('\n\n');
  const blocks = config.phases.map((phase) => phaseFlow(config, phase));
  return `\`\`\`text\nInput Parsing\n   └─ Convert user input to GOAL / SCOPE / CONTEXT\n\n${blocks.join('\n\n')}\n\nReturn:\n   └─ Summary with the outputs of every phase\n\`\`\``;
}

function phaseFlow(config: WorkflowConfig, phase: PhaseConfig): string {
  const { number, name, condition, runsWhen } = phase;
  const details = detailLines(phase);
  if (condition === undefined) {
    const rest = details.map((line, index) => `      ${index === details.length - 1 ? '└─' : '├─'} ${line}`);
    const when = runsWhen === undefined ? [] : [`   ├─ Runs when: ${runsWhen}`];
    return [`Phase ${number}: ${name}`, ...when, `   └─ Ref: ${phasePath(phase)}`, ...rest].join('\n');
  }
  return [
    `Phase ${number}: ${name}`,
    `   └─ Condition: ${condition}`,
    `      ├─ met → Ref: ${phasePath(phase)}`,
    ...details.map((line) => `      │     ${line}`),
    `      └─ not met → mark it skipped, ${skipTarget(config, phase)}`,
  ].join('\n');
}

/** T-09: a skip leads to the next phase, whose own condition is evaluated there; after the last one to the end. */
function skipTarget({ phases }: WorkflowConfig, { number }: PhaseConfig): string {
  const next = phases.find((phase) => phase.number === number + 1);
  if (next === undefined) return 'go to the return step';
  return next.isConditional
    ? `skip to Phase ${next.number} and evaluate its condition`
    : `skip to Phase ${next.number}`;
}

function detailLines({ todoWriteSubTasks, outputVariables, outputFiles }: PhaseConfig): string[] {
  const outputs = [...outputVariables, ...outputFiles];
  return [
    ...(todoWriteSubTasks.length > 0 ? [`Tasks attached: ${todoWriteSubTasks.join(' → ')}`] : []),
    ...(outputs.length > 0 ? [`Output: ${outputs.join(', ')}`] : []),
  ];
}

function modeFlow(config: WorkflowConfig, phase: PhaseConfig): string {
  const target = config.phases.find(({ number }) => number === phase.handsOverTo);
  return [
    `### ${phase.name} Mode`,
    '',
    '1. Collect preferences, structure the input',
    `2. Read [${phasePath(phase)}](${phasePath(phase)}) and carry it out`,
    ...(target === undefined
      ? ['3. Return the summary']
      : [`3. The phase hands over to ${phasePath(target)} directly`, '4. Return the summary']),
  ].join('\n');
}
