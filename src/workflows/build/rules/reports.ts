import type { CodeReview } from '../../../base/schema/judgements/lite.ts';
import type { LitePlan, LiteTask } from '../../../base/schema/lite/plan.ts';
import type { TestChecklist } from '../../../base/schema/lite/session-files.ts';
import { type Convergence, type CriterionState, codeVerdict } from './verdict.ts';

/** P-152: code-review.md. */
export function renderCodeReview(
  review: CodeReview | undefined,
  facts: { reviewer: string; base: string; tip: string; shortfall?: string | undefined },
): string {
  const { shortfall } = facts;
  if (review === undefined)
    return `# Code review\n\nVerdict: not verified. ${shortfall === undefined ? 'No reviewer was chosen' : `${shortfall}`}; the code is unreviewed.\n`;
  const findings = review.findings.map(
    ({ severity, file, line, description, fix }) =>
      `- **${severity}** ${file}:${line}: ${oneLine(description)}\n  Fix: ${oneLine(fix)}`,
  );
  return [
    '# Code review',
    '',
    `Verdict: ${codeVerdict(review, shortfall === undefined)}`,
    ...(shortfall === undefined ? [] : [`Not enough reviews: ${shortfall}.`]),
    `Reviewer: ${facts.reviewer}; changes ${facts.base.slice(0, 12)}..${facts.tip.slice(0, 12)}`,
    '',
    review.summary,
    '',
    '## Findings',
    '',
    ...(findings.length === 0 ? ['None.'] : findings),
    '',
  ].join('\n');
}

/** P-155: test-review.md. */
export function renderTestReview(
  verdict: Convergence,
  states: readonly CriterionState[],
  checklist: TestChecklist,
  fixRounds: number,
): string {
  const { execution } = checklist;
  return [
    '# Test review',
    '',
    `Verdict: ${verdict}`,
    execution === null
      ? 'Tests: not verified; the repository names no command that runs them.'
      : `Tests: ${execution.overall} (\`${execution.command}\`)`,
    `Fix rounds: ${fixRounds}`,
    '',
    '| Task | Criterion | State | Evidence |',
    '|---|---|---|---|',
    ...states.map(
      ({ task, criterion, state, evidence }) =>
        `| ${task} | ${cell(criterion)} | ${state === 'unverified' ? 'not verified' : state} | ${cell(evidence)} |`,
    ),
    '',
    ...(execution === null || execution.overall !== 'FAIL'
      ? []
      : ['## Output of the tests', '', '```text', execution.raw_output.replaceAll('```', "'''"), '```', '']),
  ].join('\n');
}

/** 1C.6: test-checklist.json. */
export function testChecklist(
  facts: { session: string; time: string; command: string | undefined; framework: string },
  plan: LitePlan,
  tasks: readonly (LiteTask & { outcome: string })[],
  states: readonly CriterionState[],
  execution: TestChecklist['execution'],
): TestChecklist {
  const of = (id: string, state: CriterionState['state']) =>
    states.filter((each) => each.task === id && each.state === state).map(({ criterion }) => criterion);
  return {
    session: facts.session,
    plan_summary: plan.summary,
    generated_at: facts.time,
    test_config: { command: facts.command ?? null, framework: facts.framework, type: 'project' },
    tasks: tasks.map(({ id, title, outcome, test }) => ({
      task_id: id,
      title,
      status: outcome,
      convergence: { met: of(id, 'met'), unmet: of(id, 'unmet'), unverified: of(id, 'unverified') },
      test_items: [
        ...(test?.unit ?? []).map((desc) => ({ type: 'unit', desc, status: 'planned' })),
        ...(test?.integration ?? []).map((desc) => ({ type: 'integration', desc, status: 'planned' })),
      ],
    })),
    execution,
  };
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const cell = (text: string) => oneLine(text).replaceAll('|', '\\|');

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
