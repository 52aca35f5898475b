import { tableEntry } from '../../base/safe-json.ts';

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

/** What the result of a workflow is, in the order in which it is read. A design has views of its own. */
const resultDocuments: Readonly<Record<string, readonly ResultDocument[]>> = {
  'lite-plan': lite,
  'lite-execute': lite,
  'feature-phase': [['Outcome', 'phase-outcome.md']],
  'feature-implement': [['Outcome', 'phase-outcome.md']],
  'skill-run': [
    ['Result', 'summary.md'],
    ['Outputs', 'outputs.json'],
  ],
  compare: [['Comparison', 'comparison.md']],
  refine: [['Refinement', 'refine-report.md']],
};

/** A run that came with an archive may name any workflow. */
export function resultDocumentsOf(workflow: string): readonly ResultDocument[] {
  return tableEntry(resultDocuments, workflow) ?? [];
}
