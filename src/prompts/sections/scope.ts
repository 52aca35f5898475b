import { entryFinder, groupName, groupsOf, type Match } from './match.ts';
import { type Entry, indexEntries, parseReferences, type Reference } from './references.ts';
import type { Task } from './tasks.ts';

/** T-061, T-062: the section an id means, heading and subsections included; `undefined` when there is none. */
export function extractSection(document: Indexed, id: string): string | undefined {
  const match = document.find({ artifact: 'design', id });
  return match === undefined ? undefined : document.text.slice(match.entry.start, match.entry.end);
}

/** What a task's prompt shows of one artifact. */
export type ScopedArtifact =
  | { kind: 'sections'; text: string; sections: readonly ScopedSection[] }
  /** lean/C-15, lean/C-16: the agent reads the whole file. */
  | { kind: 'whole'; reason: 'not referenced' | 'reference without a section'; unmatched: readonly string[] };

type ScopedSection = { id: string; title: string; line: number; ambiguous: boolean };

export type TaskScope = {
  references: readonly Reference[];
  plan: ScopedArtifact;
  design: ScopedArtifact;
  warnings: readonly string[];
};

/** A document with its index, built once for all tasks. */
type Indexed = {
  text: string;
  find: (reference: Reference) => Match | undefined;
  groups: ReadonlyMap<string | undefined, readonly Entry[]>;
};

export function indexed(text: string): Indexed {
  const entries = indexEntries(text);
  return { text, find: entryFinder(entries), groups: groupsOf(entries) };
}

/** T-060…T-065: the sections of plan and design that a task points at. */
export function scopeTask(task: Task, plan: Indexed, design: Indexed): TaskScope {
  const references = parseReferences(task.traces);
  const warnings: string[] = [];
  const points = references.some(({ artifact }) => artifact !== 'spec');
  const group = points ? undefined : groupSection(task, plan);
  if (!points && group === undefined && plan.text + design.text !== '') {
    warnings.push(`task ${task.number} refers to no section of plan or design`);
  }
  return {
    references,
    plan: group ?? scopeArtifact('plan', plan, references, task, warnings),
    design: scopeArtifact('design', design, references, task, warnings),
    warnings,
  };
}

/** A task without references belongs to the part of the plan that its group is named after, if exactly one is. */
function groupSection(task: Task, { text, groups }: Indexed): ScopedArtifact | undefined {
  for (const title of task.groups) {
    const name = groupName(title);
    const hits = (name === undefined ? undefined : groups.get(name)) ?? [];
    const [entry] = hits;
    if (entry === undefined || hits.length > 1) continue;
    return {
      kind: 'sections',
      text: text.slice(entry.start, entry.end).trimEnd(),
      sections: [{ id: title, title: entry.title, line: entry.line, ambiguous: false }],
    };
  }
  return undefined;
}

function scopeArtifact(
  artifact: 'plan' | 'design',
  { text, find }: Indexed,
  references: readonly Reference[],
  task: Task,
  warnings: string[],
): ScopedArtifact {
  const own = references.filter((reference) => reference.artifact === artifact);
  if (own.length === 0) return { kind: 'whole', reason: 'not referenced', unmatched: [] };
  const matches = own.map((reference) => ({ reference, match: find(reference) }));
  const unmatched = matches.filter(({ match }) => match === undefined).map(({ reference }) => reference.id);
  if (unmatched.length > 0) {
    warnings.push(`task ${task.number}: ${artifact} has no section ${unmatched.join(', ')}`);
    return { kind: 'whole', reason: 'reference without a section', unmatched };
  }
  const found = matches.flatMap(({ reference, match }) =>
    match === undefined ? [] : [{ id: reference.id, ...match }],
  );
  for (const { id, entry, ambiguous } of found) {
    if (ambiguous)
      warnings.push(
        `task ${task.number}: ${artifact} has several sections for ${id}; took line ${entry.line}`,
      );
  }
  const distinct = withoutNested(found.map(({ entry }) => entry));
  return {
    kind: 'sections',
    text: distinct.map(({ start, end }) => text.slice(start, end).trimEnd()).join('\n\n'),
    sections: found.map(({ id, entry, ambiguous }) => ({
      id,
      title: entry.title,
      line: entry.line,
      ambiguous,
    })),
  };
}

/** T-063: in the order of the references; a section inside another that is shown is not shown twice. */
function withoutNested(entries: readonly Entry[]): Entry[] {
  const outer = new Set<Entry>();
  let reached = -1;
  for (const entry of entries.toSorted((one, two) => one.start - two.start || two.end - one.end)) {
    if (entry.end > reached) outer.add(entry);
    reached = Math.max(reached, entry.end);
  }
  return [...new Set(entries)].filter((entry) => outer.has(entry));
}
