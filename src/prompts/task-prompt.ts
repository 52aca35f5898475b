import { type ArtifactFiles, type ArtifactKey, artifacts } from './artifacts.ts';
import { filesPart } from './compile.ts';
import type { PrdResolution } from './feature-files.ts';
import { data, type Part, type PromptDraft, words } from './part.ts';
import { completenessHeader, requiredArtifactsPart } from './required-artifacts.ts';
import { taskDispatch } from './roles/implement.ts';
import { implementerReport } from './roles/shapes.ts';
import type { ScopedArtifact, TaskScope } from './sections/scope.ts';
import type { Task } from './sections/tasks.ts';
import { readable } from './untrusted.ts';

export type TaskPromptInput = {
  task: Task;
  scope: TaskScope;
  files: ArtifactFiles;
  prd: PrdResolution;
  /** The rendered block, for features that belong to a project. */
  projectContext?: string;
  /** T-010: where the work is expected to happen. */
  workFiles?: readonly string[];
  /** lean/C-16: what stands in for a document without a section: the order to read it, or (parity) its whole text. */
  fallback?: 'reference' | 'inline';
};

export type CompiledTask = {
  draft: PromptDraft;
  description: string;
  expected: readonly ArtifactKey[];
  warnings: readonly string[];
};

/** T-051…T-054, lean/C-17: one task, with the parts of design and plan it needs and references to PRD and specification. */
export function compileTaskPrompt(input: TaskPromptInput): CompiledTask {
  const { task, scope, files, prd, projectContext, workFiles = [], fallback = 'reference' } = input;
  const context = (['design', 'plan'] as const).map((key) => contextPart(key, scope[key], files, fallback));
  return {
    draft: {
      task: 'implementing/implementer',
      fixed: [
        words('role', taskDispatch.rubric),
        ...requiredArtifactsPart({ keys: taskDispatch.required, files, prd, reads: 'work' }),
        ...(projectContext === undefined
          ? []
          : [
              { ...data('project_context', projectContext, { heading: 'Project Context' }), protected: true },
            ]),
      ],
      answer: { kind: 'text', rules: implementerReport },
      changing: [
        ...context.flatMap(({ part }) => part),
        words('task', readable(task.text.trimEnd()), 'Task'),
        ...(task.doneWhen === undefined ? [] : [words('done-when', readable(task.doneWhen), 'Done When')]),
        ...(workFiles.length === 0 ? [] : [filesPart('Files to Work On', workFiles)]),
      ],
    },
    description: `Implement task ${task.number}: ${task.title}`,
    expected: [
      ...(prd.kind === 'path' || prd.kind === 'fallback' ? (['prd'] as const) : []),
      ...(files.spec.kind === 'present' ? (['spec'] as const) : []),
      ...context.flatMap(({ reads }) => reads),
    ],
    warnings: scope.warnings,
  };
}

function contextPart(
  key: 'design' | 'plan',
  scoped: ScopedArtifact,
  files: ArtifactFiles,
  fallback: 'reference' | 'inline',
): { part: Part[]; reads: ArtifactKey[] } {
  const heading = `${artifacts[key].label} Context (scoped)`;
  if (scoped.kind === 'sections') {
    return { part: [data(`${key}_sections`, scoped.text, { heading })], reads: [] };
  }
  const file = files[key];
  if (file.kind !== 'present') return { part: [], reads: [] };
  if (fallback === 'inline' && file.text !== undefined) {
    const text = completenessHeader(artifacts[key].file, file.text);
    return { part: [data(`artifact_${key}`, file.text, { heading, text })], reads: [] };
  }
  const text = `No single section is known for this task. You MUST read ${artifacts[key].file} in full and confirm it too: ${file.path}`;
  return { part: [words(`${key}-context`, text, heading)], reads: [key] };
}
