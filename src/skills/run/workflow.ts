import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ServicesOf } from '../../council/call/services.ts';
import type { WorkflowDefinition } from '../../engine/workflow.ts';
import { snapshotPhase } from '../compaction/compaction.ts';
import type { ActivePhase } from '../compaction/todo-list.ts';
import { buildPackage } from '../model/package.ts';
import { readPackageFiles } from '../package-files.ts';
import { callPhase, PhaseLane } from './call-phase.ts';
import { questionId, type RunPhase, runPlan } from './run-plan.ts';
import { closingStatus, type RunState, runSkill } from './run-skill.ts';

/** What a skill run keeps in run.json. */
export type SkillRunInputs = {
  package: string;
  task: string;
  mode?: string;
  auto: boolean;
  project: string;
  agent: string;
  access: 'read' | 'write';
  wallMs: number;
};

type Outcome = { status: 'done' | 'not-accepted'; exit: number; message?: string };

/** The story of `skill run`: every phase attempt is a journaled step, every question asked once. */
export function skillRunWorkflow(servicesOf: ServicesOf): WorkflowDefinition<SkillRunInputs, Outcome> {
  return {
    name: 'skill-run',
    async run(context, inputs) {
      const services = await servicesOf(context.live);
      const plan = await context.step('read package', async () =>
        runPlan(buildPackage(readPackageFiles(inputs.package))),
      );
      const lanes = new Map<string, PhaseLane>();
      /** When the phase that is in progress began, also in a resumed run. */
      let since = context.clock.now();
      const state = await runSkill(
        plan,
        {
          session: context.live.directory.id,
          task: inputs.task,
          mode: inputs.mode,
          auto: inputs.auto,
          now: new Date(since).toISOString(),
        },
        {
          ask: async (questions) => {
            const asked = questions.map(({ key, text, options, recommended }) => ({
              id: questionId(key),
              text,
              options: options.map((label) => ({ value: label, label })),
              recommended,
            }));
            if (inputs.auto) {
              for (const question of asked) await context.decide(question, question.recommended);
              return Object.fromEntries(questions.map(({ key, recommended }) => [key, recommended]));
            }
            const answers = await context.ask(asked);
            return Object.fromEntries(
              questions.map(({ key }) => [key, answers.get(questionId(key))?.value ?? '']),
            );
          },
          attempt: (phase, round, attempt, current, problems) => {
            const key = `${phase.number} ${round}`;
            const lane = lanes.get(key) ?? new PhaseLane(context.live, phase, round, inputs.agent);
            lanes.set(key, lane);
            return callPhase(
              context,
              { inputs, skill: plan.skill, services },
              { phase, lane, attempt, state: current, problems },
            );
          },
          todo: async (list, { phase, status, reason }) => {
            const active = status === 'in_progress' ? activePhase(inputs.package, phase) : undefined;
            await context.artifact('todo.json', `${JSON.stringify({ ...list, active }, null, 2)}\n`);
            const name = `phase-${phase.number}`;
            const elapsedMs = status === 'skipped' ? 0 : context.clock.now() - since;
            if (status === 'in_progress')
              since = Date.parse(
                context.emit({
                  type: 'phase-start',
                  phase: name,
                  line: `Phase ${phase.number}: ${phase.name}`,
                }).time,
              );
            else if (status === 'completed')
              context.emit({
                type: 'phase-end',
                phase: name,
                line: `✓ Phase ${phase.number}: ${phase.name}`,
                elapsedMs,
              });
            else if (status === 'skipped')
              context.emit({
                type: 'phase-skip',
                phase: name,
                line: `- Phase ${phase.number}: ${phase.name} skipped: ${reason ?? ''}`,
                elapsedMs,
              });
            else if (status === 'failed')
              context.emit({ type: 'warning', phase: name, text: reason ?? 'the phase failed' });
          },
        },
      );
      await context.artifact('outputs.json', `${JSON.stringify(state.values, null, 2)}\n`);
      await context.artifact('summary.md', renderSummary(plan.skill, state));
      return state.unmet === undefined
        ? { status: 'done', exit: 0, message: closingStatus(state) }
        : { status: 'not-accepted', exit: 6, message: state.unmet };
    },
  };
}

/** P-160, P-164: which document is being carried out, and what it was when the phase began. */
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
