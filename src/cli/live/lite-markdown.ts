import { readLiteFolder } from '../../lite/plan-folder.ts';
import { renderTask } from '../../lite/task-text.ts';

/** A lite plan with its tasks as one Markdown document. */
export async function liteMarkdown(folder: string, planText: string): Promise<string> {
  const { files } = await readLiteFolder(folder, planText);
  const { summary, approach } = files.plan;
  return [
    `# ${summary}`,
    '',
    approach,
    '',
    ...files.tasks.flatMap((task) => [inParagraphs(renderTask(task)), '']),
  ].join('\n');
}

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
