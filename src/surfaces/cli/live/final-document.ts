import path from 'node:path';
import { readTextFile } from '../../../base/files/bounded.ts';
import { tableEntry } from '../../../base/safe-json.ts';
import type { RunDirectory } from '../../../engine/run-directory.ts';
import type { RunRecord } from '../../../engine/run-record.ts';
import type { CommandResult, Invocation } from '../../../service/command.ts';

/** What a person wants to read when a run of this workflow is through. */
const documents: Readonly<Record<string, readonly string[]>> = {
  design: ['plan.txt'],
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
  record: Pick<RunRecord, 'workflow' | 'status'>,
  { global, terminal }: Pick<Invocation, 'global' | 'terminal'>,
): Promise<CommandResult> {
  if (global.output !== 'text' || terminal.stdout.isTTY !== true) return result;
  if (record.status !== 'done' && record.status !== 'not-accepted') return result;
  const document = await readDocument(directory, record.workflow);
  if (document === undefined) return result;
  const [{ terminalMarkdown }, { default: colorsModule }] = await Promise.all([
    import('./terminal-markdown.ts'),
    import('picocolors'),
  ]);
  const page = {
    columns: terminal.stdout.columns ?? 80,
    colors: colorsModule.createColors(global.color.stdout),
  };
  const place = page.colors.dim(path.relative(global.cwd, document.file) || document.file);
  return { ...result, text: `\n${terminalMarkdown(document.text, page)}\n${place}\n` };
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
