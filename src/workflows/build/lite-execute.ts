import { CharretteError } from '../../base/errors.ts';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { readJson } from '../../base/safe-json.ts';
import { executionContextSchema } from '../../base/schema/lite/session-files.ts';
import type { WorkflowStart } from '../../council/call/once.ts';
import { waitForLock } from '../../engine/lock.ts';
import type { Outcome } from '../../engine/workflow.ts';
import { planInvalid } from '../../plan/tasks/read-plan.ts';
import { LiteDesk } from './desk.ts';
import { executePlan } from './execute-plan.ts';
import type { LiteInputs } from './inputs.ts';
import { preferenceQuestions, preferencesFrom } from './rules/preferences.ts';
import { confirmStage, isFallback } from './stage-confirm.ts';
import { settledPlan } from './stage-plan.ts';

/** `charrette lite-execute`: a handoff, a plan file or a prompt in, reviewed code out (P-100…P-105). */
export async function liteExecute(...run: WorkflowStart<LiteInputs>): Promise<Outcome> {
  const desk = new LiteDesk(...run);
  const { context, inputs } = desk;
  const { files, handoff } = inputs;
  if (files === undefined) throw planInvalid(['the run has no plan']);
  desk.begin('LE-0', 'preferences');
  await desk.askConsent();
  for (const task of files.tasks) await desk.json(`.task/${task.id}.json`, task);
  await desk.json('plan.json', files.plan);
  if (handoff !== undefined) {
    await context.step('take handoff', () => takeHandoff(handoff.file, context.live.directory.id, desk.time));
    // P-014: the plan was allowed once.
    const known = Object.entries(handoff.clarifications ?? {}).map(
      ([question, answer]) => `- ${question} ${answer}`,
    );
    const selection = {
      execution: inputs.executor ?? handoff.execution,
      review: inputs.review ?? handoff.review,
      assignments: inputs.assignments ?? {},
    };
    return executePlan(desk, files, selection, {
      clarifications: known.length === 0 ? undefined : known.join('\n'),
      auto: inputs.flags.autoYes || handoff.auto,
    });
  }
  const asked = await desk.choose(preferenceQuestions('execute', inputs.flags), false);
  const { autoYes } = preferencesFrom(
    'execute',
    inputs.flags,
    new Map([...asked].map(([id, value]) => [id, { value }])),
  );
  const { confirm, selection } = await confirmStage(desk, files, {
    version: 1,
    auto: autoYes,
    requests: [],
  });
  if (confirm !== 'allow') {
    return {
      status: 'not-accepted',
      exit: 6,
      message: isFallback(desk, files)
        ? 'Nothing was executed: no agent wrote this fallback plan. To execute it, run the command without -y and answer `confirm` with allow.'
        : 'Cancelled; nothing was changed. Run `charrette build "…"` to plan again.',
    };
  }
  const settled = await settledPlan(desk, files, autoYes);
  if (settled === undefined)
    return { status: 'not-accepted', exit: 6, message: 'Cancelled; nothing was changed.' };
  return executePlan(desk, settled, selection, { clarifications: undefined, auto: autoYes });
}

/** P-100: one run uses a handoff, and may read it again after each restart. */
async function takeHandoff(file: string, run: string, consumedAt: string): Promise<void> {
  // Two runs that read it before either has written would both take it.
  const attempt = await waitForLock(`${file}.lock`);
  if (!attempt.held) throw used(`process ${attempt.holder.pid} on ${attempt.holder.host}`);
  try {
    const reading = readJson((await readTextFile(file)) ?? '');
    const context = executionContextSchema.safeParse(reading.ok ? reading.value : undefined);
    if (!context.success) throw planInvalid([`${file} cannot be read any more`]);
    const { handoff } = context.data;
    if (handoff.consumedBy === run) return;
    if (handoff.consumedAt !== undefined) throw used(handoff.consumedBy ?? 'another run');
    await writeJsonAtomic(file, { ...context.data, handoff: { ...handoff, consumedAt, consumedBy: run } });
  } finally {
    attempt.lock.release();
  }
}

function used(by: string): CharretteError {
  return new CharretteError({
    code: 'plan-invalid',
    message: `The plan cannot be executed: its handoff was used by ${by} in the meantime.`,
    fix: 'Find that run with `charrette runs`, or plan again with `charrette build "…"`.',
  });
}
