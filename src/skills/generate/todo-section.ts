import type { PhaseConfig, WorkflowConfig } from '../config/workflow-config.ts';
import type { Tools } from './phase-markdown.ts';

type Item = { content: string; status: string; activeForm: string };

/** S-012: the list at the start, and for a phase with sub-tasks the attached and the collapsed view. */
export function todoSection({ phases }: WorkflowConfig, { todo }: Tools): string {
  const start = phases.map((phase, index) => phaseItem(phase, index === 0 ? 'in_progress' : 'pending'));
  const rich = phases.find(({ todoWriteSubTasks }) => todoWriteSubTasks.length > 0);
  const mapping =
    todo === 'TodoWrite'
      ? 'A todo write replaces the whole list: every call carries all phase items.'
      : 'Each item is a task: create all phase items first, then update their status one by one.';
  return [
    `${mapping} Exactly one phase is in_progress; a phase whose condition is not met is marked skipped.`,
    fence('At the start:', start),
    ...(rich === undefined
      ? []
      : [
          fence(`Phase ${rich.number} starts, sub-tasks attached:`, attached(phases, rich)),
          fence(`Phase ${rich.number} ends, collapsed:`, collapsed(phases, rich)),
        ]),
  ].join('\n\n');
}

function phaseItem({ number, name }: PhaseConfig, status: string): Item {
  return { content: `Phase ${number}: ${name}`, status, activeForm: `Running Phase ${number}` };
}

function statusBefore(phase: PhaseConfig, active: PhaseConfig): string {
  return phase.number < active.number ? 'completed' : 'pending';
}

function attached(phases: readonly PhaseConfig[], active: PhaseConfig): Item[] {
  return phases.flatMap((phase) => {
    if (phase !== active) return [phaseItem(phase, statusBefore(phase, active))];
    const tasks = active.todoWriteSubTasks.map((task, index) => ({
      content: `  → ${task}`,
      status: index === 0 ? 'in_progress' : 'pending',
      activeForm: `Working on ${task}`,
    }));
    return [phaseItem(phase, 'in_progress'), ...tasks];
  });
}

function collapsed(phases: readonly PhaseConfig[], done: PhaseConfig): Item[] {
  return phases.map((phase) => {
    if (phase.number === done.number) return phaseItem(phase, 'completed');
    return phaseItem(phase, phase.number === done.number + 1 ? 'in_progress' : statusBefore(phase, done));
  });
}

function fence(title: string, items: readonly Item[]): string {
  return `${title}\n\n\`\`\`json\n[\n${items.map((item) => `  ${JSON.stringify(item)}`).join(',\n')}\n]\n\`\`\``;
}
