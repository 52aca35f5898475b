import { readLiteFolder } from '../../lite/plan-folder.ts';
import { renderTask } from '../../lite/task-text.ts';

/** A lite plan with its tasks as one Markdown document. */
export async function liteMarkdown(folder: string, planText: string): Promise<string> {
  const { files } = await readLiteFolder(folder, planText);
  const { summary, approach } = files.plan;
  return [`# ${summary}`, '', approach, '', ...files.tasks.flatMap((task) => [renderTask(task), ''])].join(
    '\n',
  );
}
