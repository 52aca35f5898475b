import type { CodeReview } from '../../../base/schema/judgements/lite.ts';
import type { CriterionState } from './verdict.ts';

/** P-157 */
export const followUpDimensions = ['test', 'enhance', 'refactor', 'doc'] as const;
export type FollowUp = { dimension: (typeof followUpDimensions)[number]; title: string; body: string };

export type FollowUpFacts = {
  task: string;
  run: string;
  tests: 'PASS' | 'FAIL' | 'UNKNOWN';
  states: readonly CriterionState[];
  review: CodeReview | undefined;
  /** Tasks that were not done, and what executors said they left. */
  undone: readonly string[];
  notes: readonly string[];
  changedFiles: readonly string[];
};

const isDocument = (file: string) => /\.(?:mdx?|rst|adoc|txt)$/i.test(file) || /(?:^|\/)docs?\//i.test(file);

/** What is left to do after an execution, as issues that can be opened; nothing is invented. */
export function followUps(facts: FollowUpFacts): FollowUp[] {
  const { task, run, tests, states, review, undone, notes, changedFiles } = facts;
  const open = states.filter(({ state }) => state !== 'met');
  const lines: Record<FollowUp['dimension'], string[]> = {
    test: [
      ...(tests === 'FAIL' ? ['The tests of the project fail.'] : []),
      ...(tests === 'UNKNOWN' ? ['The repository names no command that runs its tests.'] : []),
      ...open.map(
        ({ task: id, criterion, state }) =>
          `${id}: ${criterion} (${state === 'unmet' ? 'not met' : 'not verified'})`,
      ),
    ],
    enhance: [...undone, ...notes],
    refactor: (review?.findings ?? []).map(
      ({ severity, file, line, description, fix }) =>
        `${severity} ${file}:${line}: ${description} Fix: ${fix}`,
    ),
    doc:
      changedFiles.length === 0 || changedFiles.some(isDocument)
        ? []
        : [`No documentation changed together with ${changedFiles.slice(0, 10).join(', ')}.`],
  };
  const titles: Record<FollowUp['dimension'], string> = {
    test: 'Verify',
    enhance: 'Finish',
    refactor: 'Tidy up',
    doc: 'Document',
  };
  return followUpDimensions.flatMap((dimension) => {
    const items = lines[dimension].map((line) => `- [ ] ${line.replace(/\s+/g, ' ').trim()}`);
    if (items.length === 0) return [];
    return [
      {
        dimension,
        title: `${titles[dimension]}: ${task}`,
        body: `Left by the run \`${run}\`.\n\n${items.join('\n')}\n`,
      },
    ];
  });
}
