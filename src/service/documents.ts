import { tableEntry } from '../base/safe-json.ts';
import type { LitePlanFiles } from '../plan/tasks/plan-files.ts';
import { planText, readLiteFolder } from '../plan/tasks/plan-files.ts';

type ResultDocument = readonly [title: string, artifact: string];

const lite: readonly ResultDocument[] = [
  ['Result', 'execution-summary.md'],
  ['Plan', 'plan.json'],
  ['Code review', 'code-review.md'],
  ['Test review', 'test-review.md'],
  ['To verify', 'follow-up-test.md'],
  ['To finish', 'follow-up-enhance.md'],
  ['To tidy up', 'follow-up-refactor.md'],
  ['To document', 'follow-up-doc.md'],
];

/** The documents with the result of a workflow, in reading order. A design has special views. */
const resultDocuments: Readonly<Record<string, readonly ResultDocument[]>> = {
  'lite-plan': lite,
  'lite-execute': lite,
  'feature-phase': [['Outcome', 'phase-outcome.md']],
  'feature-implement': [['Outcome', 'phase-outcome.md']],
  'skill-run': [
    ['Result', 'summary.md'],
    ['Outputs', 'outputs.json'],
  ],
  review: [['Review', 'review.md']],
  compare: [['Comparison', 'comparison.md']],
  refine: [['Refinement', 'refine-report.md']],
};

/** A run that came with an archive may name any workflow. */
export function resultDocumentsOf(workflow: string): readonly ResultDocument[] {
  return tableEntry(resultDocuments, workflow) ?? [];
}

/** The lite plan of a folder as one Markdown document. */
export async function liteMarkdown(folder: string, json: string): Promise<string> {
  return litePlanMarkdown((await readLiteFolder(folder, json)).files);
}

/** A lite plan with its tasks as one Markdown document. */
export function litePlanMarkdown(files: LitePlanFiles): string {
  return `# ${planText(files, inParagraphs)}`;
}

/** Makes lines outside lists paragraphs; a line that ends in a colon names the list below it. */
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
