/** P-160, section 1C.8: the durable todo list of a run, as data. Writing and locking it is the engine's business. */
export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'skipped';

export type TodoEntry = {
  id: string;
  kind: 'phase' | 'sub' | 'batch';
  parent?: string;
  content: string;
  activeForm: string;
  status: TodoStatus;
  phaseFile?: string;
  executor?: string;
  cliId?: string;
  attempts: number;
  startedAt?: string;
  endedAt?: string;
  note?: string;
};

export type ActivePhase = {
  phase: string;
  file: string;
  sha256: string;
  steps: readonly string[];
  cursor: string | undefined;
};

export type TodoList = {
  version: 1;
  sessionId: string;
  skill: string;
  rev: number;
  updatedAt: string;
  active: ActivePhase | undefined;
  items: readonly TodoEntry[];
};

/** P-161, P-141: what is wrong with a list. An empty answer means it protects its active phase. */
export function todoProblems({ items }: Pick<TodoList, 'items'>): string[] {
  const problems: string[] = [];
  const phases = items.filter(({ kind }) => kind === 'phase');
  const active = phases.filter(({ status }) => status === 'in_progress');
  if (phases.length === 0 && items.length > 0) problems.push('The list has items but no phase.');
  if (active.length > 1)
    problems.push(`${active.length} phases are in progress: ${active.map(({ id }) => id).join(', ')}.`);
  const ids = new Set<string>();
  for (const { id, kind, parent, status } of items) {
    if (ids.has(id)) problems.push(`The id ${id} occurs twice.`);
    ids.add(id);
    if (kind === 'phase') continue;
    const owner = phases.find((phase) => phase.id === parent);
    if (owner === undefined) problems.push(`${id} belongs to no phase.`);
    else if (status === 'in_progress' && owner.status !== 'in_progress')
      problems.push(`${id} is in progress but its phase ${owner.id} is ${owner.status}.`);
  }
  return problems;
}

/** T-03: sub-items go under their phase; the phases stay whatever is attached. */
export function attachItems(
  list: TodoList,
  phase: string,
  items: readonly Omit<TodoEntry, 'parent'>[],
): TodoList {
  const kept = list.items.filter(({ parent }) => parent !== phase);
  const at = kept.findIndex(({ id }) => id === phase);
  const attached = items.map((item): TodoEntry => ({ ...item, parent: phase }));
  return {
    ...list,
    rev: list.rev + 1,
    items: [...kept.slice(0, at + 1), ...attached, ...kept.slice(at + 1)],
  };
}

/** P2: sub-items of a finished phase go, the phase takes their outcome. */
export function collapsePhase(list: TodoList, phase: string, status: TodoStatus): TodoList {
  const items = list.items
    .filter(({ parent }) => parent !== phase)
    .map((item) => (item.id === phase ? { ...item, status } : item));
  return { ...list, rev: list.rev + 1, items };
}
