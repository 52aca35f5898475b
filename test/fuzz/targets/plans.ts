import { parseStepPrefix } from '../../../src/council/breadcrumbs.ts';
import { readEmbeddedPlan } from '../../../src/plan/exchange/embedded-plan.ts';
import { readOpenSpec } from '../../../src/plan/exchange/openspec-reader.ts';
import { writeOpenSpec } from '../../../src/plan/exchange/openspec-writer.ts';
import { draftOf, filesFromDraft, type PlanDraft } from '../../../src/plan/exchange/outline.ts';
import { readSpecKit } from '../../../src/plan/exchange/spec-kit-reader.ts';
import { writeSpecKit } from '../../../src/plan/exchange/spec-kit-writer.ts';
import { splitCommand } from '../../../src/plan/grounding/files.ts';
import { parseManifest } from '../../../src/plan/manifest.ts';
import { readPlan, renderPlan } from '../../../src/plan/plan-text.ts';
import { readHandoffSpec, renderHandoff } from '../../../src/plan/tasks/handoff-spec.ts';
import { readPlanFiles, recognisePlan } from '../../../src/plan/tasks/read-plan.ts';
import { dependencyProblems } from '../../../src/plan/tasks/schedule.ts';
import { readMeta } from '../../../src/prompts/feature/meta.ts';
import { parseBranchInfo } from '../../../src/repo/git/branches.ts';
import { splitNul } from '../../../src/repo/git/run-git.ts';
import { readTasks } from '../../../src/workflows/compare/task-file.ts';
import { parseKeyValues, parseSessionEnvironment } from '../../../src/workflows/design/caller.ts';
import { parseWorkerStatus } from '../../../src/workflows/design/isolated-phase.ts';
import { holds, same, type Target } from '../target.ts';

const plan =
  '# Plan: Limit requests\n\nA bucket.\n\n## Files to modify/create\n\n- `README.md` — say it\n- new `src/a.ts` — the bucket\n\n## Approach\n\nDECISION_1 is followed.\n\n## Edge cases\n\n- clock\n\n## Failure modes\n\n- map grows\n  Early warning: memory\n  Mitigation: sweep\n\n## Testing strategy\n\nunit\n';
const specKit =
  '---\ndependencies: explicit\n---\n# Tasks: Limits\n\n## Phase 1: Setup\n\n- [ ] T001 [P] Create src/a.ts\n  - Done when: x\n  - Step: y\n- [x] T002 Old\n- [ ] T003 [US1] Wire in src/b.ts (depends on T001)\n';
const openSpec =
  '## 1. Setup\n- [ ] 1.1 Create `src/a.ts`\n- [x] 1.2 Old\n\n## 2. Wire\n- [ ] 2.1 Done when: x\n';
const separator = '\n=====\n';

const facts = { session: 's', timestamp: '2026-01-01T00:00:00Z', angles: [], baseCommit: undefined };

/** Whether a plan of another tool can be executed; if not, it must say so. */
function canBeDone(draft: PlanDraft): boolean {
  const { plan, tasks } = filesFromDraft(draft, facts, 'Medium');
  holds(new Set(tasks.map(({ id }) => id)).size === draft.tasks.length, 'every task has its own file');
  const problems = dependencyProblems(tasks);
  const said = plan._metadata.quality_check?.critical ?? [];
  holds(problems.length === 0 || said.length > 0, 'a plan with knots says so');
  return problems.length === 0;
}

export const plans: readonly Target[] = [
  {
    name: 'plan-text',
    reads: 'plans as text',
    seeds: [plan, `${plan}\n## Dissent\n\n### DECISION_1: x\n- **Minority**: y\n`],
    run(text) {
      const reading = readPlan(text);
      if (reading.ok) same(readPlan(renderPlan(reading.plan)), reading, 'a plan is read back as it was');
    },
  },
  {
    name: 'spec-kit',
    reads: 'feature folders of GitHub spec-kit',
    seeds: [
      `${specKit}${separator}# Plan\n\n## Summary\n\ns${separator}# Spec\n\n## Success Criteria\n- x\n`,
      specKit,
    ],
    run(text) {
      const [tasks = '', plan = '', spec = ''] = text.split(separator);
      const { outline } = readSpecKit({ tasks, plan, spec }, 'name');
      const numbers = outline.tasks.map(({ number }) => number);
      if (!canBeDone(draftOf(outline)) || new Set(numbers).size < numbers.length) return;
      const files = writeSpecKit(outline, '001-name');
      const file = (end: string) => files.find((each) => each.path.endsWith(end))?.text ?? '';
      const again = readSpecKit(
        { tasks: file('tasks.md'), plan: file('plan.md'), spec: file('spec.md') },
        'name',
      );
      same(
        again.outline.tasks.map(({ title, dependsOn }) => [title, dependsOn]),
        outline.tasks.map(({ title, dependsOn }) => [title, dependsOn]),
        'tasks survive a journey',
      );
    },
  },
  {
    name: 'openspec',
    reads: 'change folders of OpenSpec',
    seeds: [
      `${openSpec}${separator}# Change\n\n## Why\nx\n\n## What Changes\n- y${separator}## Decisions\n- z${separator}## ADDED Requirements\n### Requirement: a\n#### Scenario: b\n- WHEN c\n- THEN d\n`,
      openSpec,
    ],
    run(text) {
      const [tasks = '', proposal = '', design = '', spec = ''] = text.split(separator);
      const { outline } = readOpenSpec(
        { tasks, proposal, design, specs: [{ capability: 'name', text: spec }] },
        'name',
      );
      canBeDone(draftOf(outline));
      writeOpenSpec(outline, 'name');
    },
  },
  {
    name: 'embedded-plans',
    reads: 'plans that embed their tasks',
    seeds: [
      '{"summary":"s","approach":"a","tasks":[{"id":"TASK-001","title":"t","depends_on":[],"implementation":["x"],"acceptance":["y"]}]}',
      '{"summary":"s","_metadata":{"base_commit":"a"},"tasks":[{"id":1,"title":"t","implementation":[{"step":1,"do":"x"}],"acceptance":"y","files":["a",{"path":"b","x":1}],"risks":[{"description":"r"}],"verification":{"unit_tests":"u"}}]}',
    ],
    run(text) {
      let draft: PlanDraft;
      try {
        ({ draft } = readEmbeddedPlan(text, 'plan.json'));
      } catch (error) {
        if (error instanceof Error && error.name === 'CharretteError') return;
        throw error;
      }
      canBeDone(draft);
    },
  },
  {
    name: 'lite-plans',
    reads: 'plan.json and task files, handed-over specifications',
    seeds: [
      '{"summary":"s","approach":"a","task_ids":["TASK-001"],"task_count":1,"complexity":"Low","estimated_time":"1h","recommended_execution":"Agent","_metadata":{}}\n=====\n{"id":"TASK-001","title":"t","description":"d","depends_on":[],"convergence":{"criteria":["x"]}}',
      '```json:handoff-spec\n{"source":"x","summary":"y","implementation_scope":[{"objective":"z"}]}\n```\n',
    ],
    run(text) {
      const [planText = '', ...tasks] = text.split(separator);
      recognisePlan(planText);
      const spec = readHandoffSpec(text);
      if (spec !== undefined) renderHandoff(spec);
      readPlanFiles(
        planText,
        tasks.map((task, index) => ({ file: `TASK-00${index + 1}.json`, text: task })),
      );
    },
  },
  {
    name: 'feature-state',
    reads: '.meta.json of features, task files of comparisons',
    seeds: [
      '{"id":"001","slug":"x","status":"active","mode":"standard","phases":{"specify":{"started":"2026","iterations":2,"reviewerNotes":[{"severity":"warning","description":"d"}]}},"skippedPhases":["design"]}',
      '- feature: add limits\n  criteria: [a]\n',
      '[{"id":"a","feature":"b","criteria":["c"],"files":["d.ts"]}]',
    ],
    run(text) {
      const { raw, problems } = readMeta(text);
      holds(problems.length > 0 || Object.keys(raw).length >= 0, 'problems are reported');
      readTasks(text, 'tasks.json');
    },
  },
  {
    name: 'key-value-files',
    reads: 'manifests, session files, branch facts, the word of a worker',
    seeds: [
      'MANIFEST_VERSION=1\nPLAN_FILE=/a\nTIMESTAMP=t\nSESSION_ID=s\n',
      'STATUS=ok\nREASON=x\n',
      'IS_MAIN=true\nIS_USER_BRANCH=false\nUSER_PREFIX=u\nCURRENT_BRANCH=main\n',
      'DESIGN_HEAVY=failed REASON=dirty-tree\n',
    ],
    run(text) {
      const manifest = parseManifest(text);
      if ('value' in manifest)
        for (const value of manifest.value.values())
          holds(!/[\0-\x1f]/.test(value), 'no control characters in a manifest');
      parseKeyValues(text);
      parseSessionEnvironment(text);
      parseWorkerStatus(text);
      parseBranchInfo(text);
      parseStepPrefix(text);
      splitNul(text);
    },
  },
  {
    name: 'command-lines',
    reads: 'commands that a plan names',
    seeds: ['npm test && FOO=1 npm run "a b" > out | cat', "make 'x y'; ./run.sh 2>&1"],
    run(text) {
      for (const words of splitCommand(text))
        holds(words.length > 0 && words.every((word) => text.includes(word)), 'words are in the line');
    },
  },
];
