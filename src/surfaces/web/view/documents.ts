import path from 'node:path';
import { containedPath, readTextFile } from '../../../base/files/bounded.ts';
import { isRecord } from '../../../base/safe-json.ts';
import type { RunDirectory } from '../../../engine/run-directory.ts';
import type { RunRecord } from '../../../engine/run-record.ts';
import { liteMarkdown, resultDocumentsOf } from '../../../service/documents.ts';

/** A document of a run that people read, as Markdown. */
export type DocumentView = { id: string; title: string; text: string };

/** Bytes of a document; one that has more is left out. */
export const largestDocument = 1024 * 1024;

/** The documents that a run has so far. */
export async function documentViews(
  directory: RunDirectory,
  { workflow, inputs }: Pick<RunRecord, 'workflow' | 'inputs'>,
): Promise<DocumentView[]> {
  const views: DocumentView[] = [];
  for (const [title, name] of resultDocumentsOf(workflow)) {
    const text = await readDocument(directory, name);
    if (text !== undefined) views.push({ id: idOf(title), title, text });
  }
  const history = workflow.startsWith('feature-') ? await reviewHistory(directory, inputs) : undefined;
  if (history !== undefined) views.push({ id: 'review-history', title: 'Review history', text: history });
  return views;
}

async function readDocument(directory: RunDirectory, name: string): Promise<string | undefined> {
  const text = await containedPath(directory.artifacts, name)
    .then((file) => readTextFile(file, largestDocument))
    .catch(() => undefined);
  if (text === undefined || text.trim() === '') return undefined;
  if (name === 'plan.json')
    return liteMarkdown(directory.artifacts, text).then(
      (plan) => plan.replace(/^# (.*)$/m, '**$1**'),
      () => fenced(text),
    );
  return name.endsWith('.json') ? fenced(text) : withoutTitle(text);
}

/** The reviews of all phases so far are next to the feature's documents. */
async function reviewHistory(directory: RunDirectory, inputs: unknown): Promise<string | undefined> {
  const folder = isRecord(inputs) ? inputs['directory'] : undefined;
  if (typeof folder !== 'string') return undefined;
  const project = path.dirname(path.dirname(path.dirname(directory.root)));
  try {
    const file = await containedPath(
      project,
      path.join(path.relative(project, folder), '.review-history.md'),
    );
    const text = await readTextFile(file, largestDocument);
    return text === undefined || text.trim() === '' ? undefined : withoutTitle(text);
  } catch {
    return undefined;
  }
}

/** The heading of the document is that of its section. */
function withoutTitle(text: string): string {
  return text.replace(/^\s*# [^\n]*\n+/, '').trimEnd();
}

function fenced(json: string): string {
  const fence = '`'.repeat(json.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length + 1), 3) ?? 3);
  return `${fence}json\n${json.trimEnd()}\n${fence}`;
}

function idOf(title: string): string {
  return title.toLowerCase().replaceAll(/\W+/g, '-');
}
