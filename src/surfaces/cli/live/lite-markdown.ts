import type { LitePlanFiles } from '../../../plan/tasks/plan-files.ts';
import { planText, readLiteFolder } from '../../../plan/tasks/plan-files.ts';

/** The lite plan of a folder as one Markdown document. */
export async function liteMarkdown(folder: string, json: string): Promise<string> {
  return litePlanMarkdown((await readLiteFolder(folder, json)).files);
}

/** A lite plan with its tasks as one Markdown document. */
export function litePlanMarkdown(files: LitePlanFiles): string {
  return `# ${planText(files, inParagraphs)}`;
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
