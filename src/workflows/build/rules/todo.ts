import type { TodoEntry, TodoList, TodoStatus } from '../../../skills/compaction/compaction.ts';

/** P-142: the stages of both halves, with separate names. */
const planStages = [
  ['LP-1', 'Explore the repository', 'Exploring the repository'],
  ['LP-2', 'Clarify what is open', 'Clarifying what is open'],
  ['LP-3', 'Write the plan', 'Writing the plan'],
  ['LP-4', 'Confirm plan and executors', 'Confirming plan and executors'],
  ['LP-5', 'Hand over to execution', 'Handing over to execution'],
] as const;

export type Stage = (typeof planStages)[number][0] | 'LE';

export type BatchItem = {
  id: string;
  executor: string;
  concurrent: boolean;
  tasks: readonly string[];
  status: TodoStatus;
  attempts: number;
  cliId: string;
  note?: string;
};

export type TodoState = {
  session: string;
  mode: 'plan' | 'execute';
  /** The stage that is being worked on; `done` when none is. */
  at: Stage | 'done';
  skipped?: readonly Stage[];
  batches?: readonly BatchItem[];
  failed?: boolean;
};

/** P-140, P-141, P-161: one phase in progress, stages and batches under their phase, also while batches run. */
export function todoOf(state: TodoState, rev: number, updatedAt: string): TodoList {
  const { session, mode, at, batches = [] } = state;
  const order: readonly string[] = [...planStages.map(([id]) => id), 'LE', 'done'];
  const now = order.indexOf(at);
  const statusOf = (id: Stage): TodoStatus => {
    if (state.skipped?.includes(id)) return 'skipped';
    const place = order.indexOf(id);
    return place < now ? 'completed' : place === now ? 'in_progress' : 'pending';
  };
  const planning: TodoStatus = at === 'LE' || at === 'done' ? 'completed' : 'in_progress';
  const executing: TodoStatus =
    at === 'done'
      ? state.failed === true
        ? 'failed'
        : 'completed'
      : at === 'LE'
        ? 'in_progress'
        : 'pending';
  const items: TodoEntry[] = [
    ...(mode === 'execute'
      ? []
      : [
          phase('lite-plan', 'Plan', 'Planning', planning),
          ...planStages.map(
            ([id, content, activeForm]): TodoEntry => ({
              id,
              kind: 'sub',
              parent: 'lite-plan',
              content,
              activeForm,
              status: statusOf(id),
              attempts: 0,
            }),
          ),
        ]),
    phase('lite-execute', 'Execute', 'Executing', executing),
    ...batches.map(
      ({ id, executor, concurrent, tasks, status, attempts, cliId, note }, index): TodoEntry => ({
        id: `LE-${index + 1}`,
        kind: 'batch',
        parent: 'lite-execute',
        content: `${concurrent ? '⚡' : '→'} [${id}] ${executor}: ${tasks.join(', ')}`,
        activeForm: `Executing [${id}]`,
        status,
        executor,
        cliId,
        attempts,
        ...(note === undefined ? {} : { note }),
      }),
    ),
  ];
  return {
    version: 1,
    sessionId: session,
    skill: 'workflow-lite-plan',
    rev,
    updatedAt,
    active: undefined,
    items,
  };
}

function phase(id: string, content: string, activeForm: string, status: TodoStatus): TodoEntry {
  return { id, kind: 'phase', content, activeForm, status, attempts: 0 };
}
