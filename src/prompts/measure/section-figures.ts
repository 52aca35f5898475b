import { indexed, type ScopedArtifact, scopeTask, type TaskScope } from '../sections/scope.ts';
import { parseTasks } from '../sections/tasks.ts';
import type { CorpusFeature } from './corpus.ts';

export type SectionFigures = {
  tasks: number;
  /** Tasks that point at a part of plan or design. */
  referenced: number;
  /** Tasks for which every part they point at was found. */
  scoped: number;
  ambiguous: number;
  /** Only for corpora whose sections are labelled. */
  wrong?: number;
};

/** Nobody has written more tasks for one feature; a file that claims to is not worth the time. */
const mostTasks = 2_000;

/** How many tasks of a corpus get sections instead of whole files. */
export function measureSections(corpus: readonly CorpusFeature[]): SectionFigures {
  const figures = { tasks: 0, referenced: 0, scoped: 0, ambiguous: 0 };
  let wrong: number | undefined;
  for (const { texts, labels } of corpus) {
    const plan = indexed(texts.plan ?? '');
    const design = indexed(texts.design ?? '');
    const tasks = parseTasks(texts.tasks ?? '');
    figures.tasks += tasks.length;
    for (const task of tasks.slice(0, mostTasks)) {
      const scope = scopeTask(task, plan, design);
      const parts = [scope.plan, scope.design];
      if (pointsAnywhere(scope)) figures.referenced += 1;
      if (isScoped(parts)) figures.scoped += 1;
      if (parts.some(isAmbiguous)) figures.ambiguous += 1;
      if (labels !== undefined) wrong = (wrong ?? 0) + (isWrong(parts, labels[task.number] ?? []) ? 1 : 0);
    }
  }
  return wrong === undefined ? figures : { ...figures, wrong };
}

function pointsAnywhere({ references, plan }: TaskScope): boolean {
  return references.some(({ artifact }) => artifact !== 'spec') || plan.kind === 'sections';
}

function isScoped(parts: readonly ScopedArtifact[]): boolean {
  return (
    parts.some(({ kind }) => kind === 'sections') &&
    parts.every((part) => part.kind === 'sections' || part.reason === 'not referenced')
  );
}

function isAmbiguous(part: ScopedArtifact): boolean {
  return part.kind === 'sections' && part.sections.some(({ ambiguous }) => ambiguous);
}

/** A section that nobody meant. Finding none where there is one is not wrong, only less good. */
function isWrong(parts: readonly ScopedArtifact[], meant: readonly string[]): boolean {
  return parts.some(
    (part) => part.kind === 'sections' && part.sections.some(({ title }) => !meant.includes(title)),
  );
}
