import type { Diagram } from '../../base/schema/judgements/design.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import { folderOf } from '../../repo/index/import-graph.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { fileKind } from '../../repo/index/snapshot.ts';
import { ruleBasedMark } from './wording.ts';

const mostNodes = 16;

/** The files of a plan as modules in their folders, with the imports between them; what is new is dashed. */
export function drawPlan(index: RepositoryIndex, plan: Plan): Diagram {
  const files = plan.files
    .filter(({ path }) => ['source', 'test'].includes(fileKind(path)))
    .slice(0, mostNodes);
  if (!files.some(({ path }) => fileKind(path) === 'source')) {
    return { mermaid: null, reason: 'The plan changes no source file, so it has no architecture to draw.' };
  }
  const ids = new Map(files.map(({ path }, at) => [path, `n${at + 1}`]));
  const folders = new Map<string, typeof files>();
  for (const file of files)
    folders.set(folderOf(file.path), [...(folders.get(folderOf(file.path)) ?? []), file]);
  const boxes = [...folders].flatMap(([folder, members], at) => [
    `  subgraph f${at + 1}["${label(folder || 'repository')}"]`,
    ...members.map(({ path, action }) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      return `    ${ids.get(path) ?? ''}["${label(action === 'new' ? `${name} new` : name)}"]`;
    }),
    '  end',
  ]);
  const edges = files.flatMap(({ path }) =>
    (index.graph.imports.get(path) ?? [])
      .filter((target) => ids.has(target))
      .map((target) => `  ${ids.get(path) ?? ''} --> ${ids.get(target) ?? ''}`),
  );
  const fresh = files.filter(({ action }) => action === 'new').map(({ path }) => ids.get(path) ?? '');
  const planned = fresh.flatMap((id) => {
    const home = files.find(({ path, action }) => action !== 'new' && fileKind(path) === 'source')?.path;
    return home === undefined ? [] : [`  ${ids.get(home) ?? ''} -.-> ${id}`];
  });
  const dashes =
    fresh.length === 0 ? [] : ['  classDef fresh stroke-dasharray: 4 3', `  class ${fresh.join(',')} fresh`];
  return {
    mermaid: [`%% ${ruleBasedMark}`, 'flowchart LR', ...boxes, ...edges, ...planned, ...dashes].join('\n'),
    reason: null,
  };
}

/** Letters, digits and path signs only: nothing in a label can end it or start another statement. */
const label = (text: string): string => text.replace(/[^\p{L}\p{N} ./_-]/gu, '_').slice(0, 80);
