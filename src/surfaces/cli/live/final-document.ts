import path from 'node:path';
import { readTextFile } from '../../../base/files/bounded.ts';
import { tableEntry } from '../../../base/safe-json.ts';
import type { RunDirectory } from '../../../engine/run-directory.ts';
import type { RunRecord } from '../../../engine/run-record.ts';
import type { CommandResult, Invocation } from '../../../service/command.ts';
import { type Project, projectOf } from '../../../service/project.ts';
import type { Page } from './plan-summary.ts';

/** What a person wants to read when a run of this workflow is through. */
const documents: Readonly<Record<string, readonly string[]>> = {
  // A design ends with a summary; the whole plan is shown when its data cannot be read.
  design: ['plan.txt'],
  review: ['review.md'],
  compare: ['comparison.md'],
  'lite-plan': ['execution-summary.md', 'plan.json'],
  'lite-execute': ['execution-summary.md'],
  'feature-phase': ['phase-outcome.md'],
  'skill-run': ['summary.md'],
  refine: ['refine-report.md'],
};

/** On a terminal a finished run ends with its document, set as Markdown; in a pipe nothing is added. */
export async function withDocument(
  result: CommandResult,
  directory: RunDirectory,
  record: Pick<RunRecord, 'workflow' | 'status' | 'inputs'>,
  invocation: Pick<Invocation, 'global' | 'terminal'>,
): Promise<CommandResult> {
  const { global, terminal } = invocation;
  if (global.output !== 'text' || terminal.stdout.isTTY !== true) return result;
  if (record.status !== 'done' && record.status !== 'not-accepted') return result;
  const { default: colorsModule } = await import('picocolors');
  const columns = terminal.stdout.columns ?? 80;
  const page = { columns, colors: colorsModule.createColors(global.color.stdout) };
  const placeOf = (file: string) => path.relative(global.cwd, file) || file;
  const lines =
    record.workflow === 'design'
      ? await designLines(projectOf(invocation), directory, record, page)
      : undefined;
  if (lines !== undefined) return { ...result, text: `\n${lines.join('\n')}\n` };
  const document = await readDocument(directory, record.workflow);
  if (document === undefined) return result;
  const { terminalMarkdown } = await import('./terminal-markdown.ts');
  const place = page.colors.dim(placeOf(document.file));
  return { ...result, text: `\n${terminalMarkdown(document.text, page)}\n${place}\n` };
}

async function designLines(
  project: Project,
  directory: RunDirectory,
  record: Pick<RunRecord, 'inputs'>,
  page: Page,
): Promise<string[] | undefined> {
  const [{ planSummary }, { summaryLines }] = await Promise.all([
    import('../../../service/plan-summary.ts'),
    import('./plan-summary.ts'),
  ]);
  const plan = await planSummary(project, directory, record);
  // The last part of an id is as good as the whole.
  const run = directory.id.split('-').at(-1) ?? directory.id;
  return plan === undefined
    ? undefined
    : summaryLines(plan, run, path.relative(project.cwd, plan.planFile), page);
}

async function readDocument(
  directory: RunDirectory,
  workflow: string,
): Promise<{ file: string; text: string } | undefined> {
  for (const name of tableEntry(documents, workflow) ?? []) {
    const file = path.join(directory.artifacts, name);
    const text = await readTextFile(file);
    if (text === undefined || text.trim() === '') continue;
    if (name !== 'plan.json') return { file, text };
    const { liteMarkdown } = await import('../../../service/documents.ts');
    // An unreadable plan is shown as text.
    return { file, text: await liteMarkdown(directory.artifacts, text).catch(() => text) };
  }
  return undefined;
}
