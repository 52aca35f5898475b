import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { jsonText } from '../../base/safe-json.ts';
import type { WorkflowStart } from '../../council/call/once.ts';
import type { Outcome, WorkflowContext } from '../../engine/workflow.ts';
import { type ActivePhase, snapshotPhase } from '../compaction/compaction.ts';
import { buildPackage } from '../model/package.ts';
import { readPackageFiles } from '../package-files.ts';
import { PhaseCaller, type SkillRunInputs } from './call-phase.ts';
import { questionId, type RunPhase, type RunQuestion, runPlan } from './run-plan.ts';
import { closingStatus, type RunState, runSkill, type TodoChange } from './run-skill.ts';

/** `skill run`: every phase attempt is a journaled step, every question is asked once. */
export async function skillRun(...start: WorkflowStart<SkillRunInputs>): Promise<Outcome> {
  const [context, services, inputs] = start;
  const plan = await context.step('read package', async () =>
    runPlan(buildPackage(readPackageFiles(inputs.package))),
  );
  const caller = new PhaseCaller(context, services, inputs, plan.skill);
  const { task, mode, auto } = inputs;
  /** When the current phase began, also in a resumed run. */
  let since = context.clock.now();
  const now = new Date(since).toISOString();
  const state = await runSkill(
    plan,
    { session: context.live.directory.id, task, mode, auto, now },
    {
      ask: (questions) => askPreferences(context, questions, auto),
      attempt: (call) => caller.attempt(call),
      todo: async (list, change) => {
        const { phase, status } = change;
        const active = status === 'in_progress' ? activePhase(inputs.package, phase) : undefined;
        await context.artifact('todo.json', jsonText({ ...list, active }));
        since = emitChange(context, change, since);
      },
    },
  );
  await context.artifact('outputs.json', jsonText(state.values));
  await context.artifact('summary.md', renderSummary(plan.skill, state));
  return state.unmet === undefined
    ? { status: 'done', exit: 0, message: closingStatus(state) }
    : { status: 'not-accepted', exit: 6, message: state.unmet };
}

/** The answers by key; an unattended run takes the recommended ones. */
async function askPreferences(
  context: WorkflowContext,
  questions: readonly RunQuestion[],
  auto: boolean,
): Promise<Record<string, string>> {
  const asked = questions.map(({ key, text, options, recommended }) => ({
    id: questionId(key),
    text,
    options: options.map((label) => ({ value: label, label })),
    recommended,
  }));
  if (auto) {
    for (const question of asked) await context.decide(question, question.recommended);
    return Object.fromEntries(questions.map(({ key, recommended }) => [key, recommended]));
  }
  const answers = await context.ask(asked);
  return Object.fromEntries(questions.map(({ key }) => [key, answers.get(questionId(key))?.value ?? '']));
}

/** Reports a change of the todo list; returns when the current phase began. */
function emitChange(
  context: WorkflowContext,
  { phase: { number, name }, status, reason = '' }: TodoChange,
  since: number,
): number {
  const phase = `phase-${number}`;
  const title = `Phase ${number}: ${name}`;
  if (status === 'in_progress')
    return Date.parse(context.emit({ type: 'phase-start', phase, line: title }).time);
  if (status === 'completed') {
    const elapsedMs = context.clock.now() - since;
    context.emit({ type: 'phase-end', phase, line: `✓ ${title}`, elapsedMs });
  } else if (status === 'skipped')
    context.emit({ type: 'phase-skip', phase, line: `- ${title} skipped: ${reason}`, elapsedMs: 0 });
  else if (status === 'failed') context.emit({ type: 'warning', phase, text: reason || 'the phase failed' });
  return since;
}

/** P-160, P-164: the document of the current phase, and its content when the phase began. */
function activePhase(directory: string, { number, file }: RunPhase): ActivePhase | undefined {
  const target = path.join(directory, file);
  if (!existsSync(target)) return undefined;
  const { sha256, steps } = snapshotPhase(file, readFileSync(target, 'utf8'));
  return { phase: `phase-${number}`, file, sha256, steps, cursor: undefined };
}

function renderSummary(skill: string, state: RunState): string {
  const rows = state.summaries.map(
    ({ phase, name, status, summary }) => `- Phase ${phase} ${name}: ${status}. ${summary}`,
  );
  return [`# ${skill}`, '', ...rows, '', closingStatus(state), ''].join('\n');
}
