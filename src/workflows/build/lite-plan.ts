import { jsonText } from '../../base/safe-json.ts';
import type { Clarifications, ExecutionContext } from '../../base/schema/lite/session-files.ts';
import type { WorkflowStart } from '../../council/call/once.ts';
import type { Outcome } from '../../engine/workflow.ts';
import { handoffToken } from '../../plan/tasks/handoff-spec.ts';
import { type LitePlanFiles, planText } from '../../plan/tasks/plan-files.ts';
import { LiteDesk } from './desk.ts';
import { executePlan } from './execute-plan.ts';
import type { LiteInputs, Selection } from './inputs.ts';
import { preferenceQuestions, preferencesFrom } from './rules/preferences.ts';
import { clarificationText, clarifyStage } from './stage-clarify.ts';
import { confirmStage, isFallback, nobodyWrites } from './stage-confirm.ts';
import { exploreStage } from './stage-explore.ts';
import { planStage, settledPlan } from './stage-plan.ts';

/** P-082: after this many changes the task is probably too large for this way of planning. */
const manyChanges = 3;

/** `charrette lite-plan`: preferences → explore → clarify → plan → confirm, and a handoff that can be executed once. */
export async function litePlan(...run: WorkflowStart<LiteInputs>): Promise<Outcome> {
  const desk = new LiteDesk(...run);
  const { context, inputs } = desk;
  desk.begin('LP-0', 'preferences');
  await desk.askConsent();
  const asked = await desk.choose(preferenceQuestions('plan', inputs.flags), false);
  const preferences = preferencesFrom(
    'plan',
    inputs.flags,
    new Map([...asked].map(([id, value]) => [id, { value }])),
  );
  await desk.json('session-metadata.json', {
    schemaVersion: 1,
    id: inputs.session,
    type: 'lite-plan',
    status: 'planning',
    created_at: desk.time,
    preferences,
  });
  await desk.todo({ at: 'LP-1' });
  const explore = await exploreStage(desk, preferences.forceExplore);
  await desk.todo({ at: 'LP-2', ...(explore.skipped ? { skipped: ['LP-1'] } : {}) });
  const clarifications = await clarifyStage(desk, explore.explored, preferences.autoYes);
  const known = clarificationText(clarifications);
  await desk.todo({ at: 'LP-3' });
  let files = await planStage(desk, { explore, clarifications: known, version: 1 });
  await desk.todo({ at: 'LP-4' });
  const requests: string[] = [];
  for (let version = 1; ; version += 1) {
    const { autoYes: auto } = preferences;
    const { confirm, selection } = await confirmStage(desk, files, { version, auto, requests });
    if (confirm === 'cancel') return cancelled(desk, files);
    const settled = confirm === 'allow' ? await settledPlan(desk, files, auto) : undefined;
    if (confirm === 'allow' && settled === undefined) return cancelled(desk, files);
    if (settled !== undefined) {
      files = settled;
      await desk.todo({ at: 'LP-5' });
      const executable = !inputs.planOnly && desk.writers.length > 0;
      await handOver(desk, files, { clarifications, selection, auto, consumed: executable });
      // P-005: the same run continues with the second half.
      if (executable) return executePlan(desk, files, selection, { clarifications: known, auto });
      return {
        status: 'done',
        exit: 0,
        message: `The plan is allowed. ${nextStep(desk)}`,
      };
    }
    if (version >= manyChanges)
      desk.warn('The plan was changed three times; split the task, or use `charrette design` for it.');
    const id = `modify-${version}`;
    const request = (await context.ask([{ id, text: 'What should be different?' }])).get(id)?.value ?? '';
    requests.push(request);
    files = await planStage(desk, {
      explore,
      clarifications: known,
      version: version + 1,
      change: { previous: files, request },
    });
  }
}

/** A command that would fail at once is not offered. */
function nextStep({ writers, context }: LiteDesk): string {
  return writers.length > 0
    ? `Run \`charrette build --run ${context.live.directory.id}\` to implement it.`
    : nobodyWrites;
}

/** P-083: nothing was executed and nothing is lost. */
function cancelled(desk: LiteDesk, files: LitePlanFiles): Outcome {
  const execute = `charrette build --run ${desk.context.live.directory.id}`;
  return {
    status: 'not-accepted',
    exit: 6,
    message: isFallback(desk, files)
      ? `Nothing was executed: no agent returned a usable plan. To execute the fallback plan anyway, run \`${execute}\`.`
      : `Cancelled; nothing was changed. The plan stays: \`${execute}\`.`,
  };
}

/** LP-5: P-090…P-093. */
async function handOver(
  desk: LiteDesk,
  files: LitePlanFiles,
  given: { clarifications: Clarifications; selection: Selection; auto: boolean; consumed: boolean },
): Promise<void> {
  const { clarifications, selection, auto, consumed } = given;
  desk.begin('LP-5', 'hand over');
  const { plan, tasks } = files;
  const { session, task } = desk.inputs;
  const { directory } = desk.context.live;
  const handoff: ExecutionContext = {
    schemaVersion: 1,
    planObject: plan,
    taskFiles: tasks.map(({ id }) => ({ id, path: `.task/${id}.json` })),
    explorationAngles: plan._metadata.exploration_angles ?? null,
    clarificationContext: Object.fromEntries(
      clarifications.answers.map(({ question, answer }) => [question, answer]),
    ),
    executionMethod: selection.execution,
    codeReviewTool: selection.review,
    originalUserInput: task,
    executorAssignments: Object.keys(selection.assignments).length === 0 ? null : selection.assignments,
    autoMode: auto,
    session: { id: session, folder: directory.artifacts },
    handoff: {
      token: handoffToken(directory.id, [plan, ...tasks].map(jsonText)),
      ...(consumed ? { consumedAt: desk.time } : {}),
    },
  };
  await desk.json('execution-context.json', handoff);
  desk.end('execution-context.json');
  desk.context.emit({ type: 'body', heading: 'Plan', text: planText(files) });
}
