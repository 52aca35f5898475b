import type { LitePlanFiles } from '../../lite/plan-files.ts';
import { readLiteFolder } from '../../lite/plan-folder.ts';
import { renderTask } from '../../lite/task-text.ts';
import type { LiteTask } from '../../schema/lite/task.ts';

/** The lite plan of a folder as one Markdown document. */
export async function liteMarkdown(folder: string, planText: string): Promise<string> {
  return litePlanMarkdown((await readLiteFolder(folder, planText)).files);
}

/** A lite plan with its tasks as one Markdown document. */
export function litePlanMarkdown({ plan, tasks }: LitePlanFiles): string {
  return [
    `# ${plan.summary}`,
    '',
    plan.approach,
    '',
    ...tasks.flatMap((task) => [inParagraphs(`${renderTask(task)}${afterOf(task)}`), '']),
  ].join('\n');
}

const afterOf = ({ depends_on }: LiteTask) =>
  depends_on.length === 0 ? '' : `\nAfter:\n${depends_on.map((id) => `- ${id}`).join('\n')}`;

/** Lines that are no items of a list are paragraphs of their own; one that ends in a colon names the list below it. */
function inParagraphs(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      if (line === '' || /^(?:[-#]| {2})/.test(line)) return line;
      return `\n${line.endsWith(':') ? `**${line.slice(0, -1)}**` : line}\n`;
    })
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n');
}
