import type { CommandLookup } from '../../plan/grounding/commands.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { reviewCode } from './code-review.ts';
import { defend } from './debate.ts';
import { drawPlan } from './diagram.ts';
import { explorationFor } from './exploration.ts';
import { exploreFor } from './explore.ts';
import { judge } from './judge.ts';
import { litePlanFor } from './lite-plan.ts';
import { mergeFindings } from './merge.ts';
import { type Method, methodOf } from './methods.ts';
import { planFor } from './plan.ts';
import { reviewPlan } from './review.ts';
import { revisePlan } from './revise.ts';
import { similarity } from './similarity.ts';
import { sketchBy } from './sketch.ts';
import { type Study, studyFeature } from './study.ts';
import { synthesise } from './synthesis.ts';
import { defenceText, describe, type PanelTaskInput, whyText } from './task-input.ts';
import { voteOn } from './vote.ts';
import { headed } from './wording.ts';

export type AnswerContext = {
  index: RepositoryIndex;
  input: PanelTaskInput;
  method: Method;
  /** Made when first asked for: votes and verdicts need none. */
  study: () => Study;
  lookup: CommandLookup;
};

export type Answer = { value: unknown } | { problem: string };

const needs = (what: string): Answer => ({ problem: `The task needs "${what}" in its structured input.` });

/** What each task is answered with. Tasks that are not here are answered by filling their schema. */
export const answers: Readonly<Record<string, (context: AnswerContext) => Answer>> = {
  explore: ({ study, input }) => ({
    value: input.angle === undefined ? exploreFor(study()) : explorationFor(study()),
  }),
  'lite-plan': ({ study, input }) => ({ value: litePlanFor(study(), input.complexity ?? 'Medium') }),
  'code-review': ({ input }) => ({ value: reviewCode(input.criteria ?? []) }),
  questions: () => ({ value: { questions: [] } }),
  'discussion-1': () => ({ value: { points: [] } }),
  'discussion-2': () => ({ value: { points: [] } }),
  discussion: () => ({ value: { points: [] } }),
  'branch-fit': branchFit,
  sketch: ({ study, method }) => ({ value: sketchBy(study(), method) }),
  synthesis: ({ study, input }) =>
    input.sketches === undefined
      ? needs('sketches')
      : {
          value: synthesise(
            study(),
            input.sketches.map(({ label, seat, sketch }, at) => ({
              seat: label ?? seat ?? `sketch ${at + 1}`,
              sketch,
            })),
            input.highlights ?? true,
          ),
        },
  'debate-thesis': ({ index, input }) =>
    input.decision === undefined ? needs('decision') : { value: defend(index, input.decision, 'THESIS') },
  'debate-antithesis': ({ index, input }) =>
    input.decision === undefined
      ? needs('decision')
      : { value: defend(index, input.decision, 'ANTI_THESIS') },
  judge: ({ index, input }) =>
    input.debates === undefined
      ? needs('debates')
      : {
          value: judge(
            index,
            input.debates.map(({ number, decision, thesis, antithesis }, at) => ({
              number: number ?? decision?.number ?? at + 1,
              thesis: defenceText(thesis),
              antithesis: defenceText(antithesis),
            })),
          ),
        },
  plan: ({ study, input }) => ({
    value: planFor(study(), {
      ...(input.synthesis === undefined ? {} : { synthesis: input.synthesis }),
      resolutions: (input.resolutions ?? []).map(({ why, ...rest }) => {
        const text = whyText(why);
        return text === undefined ? rest : { ...rest, why: text };
      }),
    }),
  }),
  'plan-review': ({ index, input, method, lookup }) =>
    input.plan === undefined
      ? needs('plan')
      : { value: reviewPlan(index, input.plan, method, { decided: input.resolutions ?? [], lookup }) },
  'merge-findings': ({ input }) => {
    const candidates = input.candidates ?? input.items;
    return candidates === undefined ? needs('candidates') : { value: mergeFindings(candidates) };
  },
  vote: ({ index, input }) =>
    input.items === undefined ? needs('items') : { value: voteOn(index, input.items) },
  'revise-plan': ({ index, input }) =>
    input.plan === undefined ? needs('plan') : { value: revisePlan(index, input.plan, input.accepted ?? []) },
  diagram: ({ index, input }) =>
    input.plan === undefined ? needs('plan') : { value: drawPlan(index, input.plan) },
};

function branchFit({ input }: AnswerContext): Answer {
  if (input.branch === undefined) return needs('branch');
  const share = similarity(input.branch.replace(/^[^/]*\//, ''), input.feature);
  const fits = share >= 0.2;
  return {
    value: {
      fits,
      reason: headed(
        `${Math.round(share * 100)}% of the words of branch and feature are shared; 20% count as fitting.`,
      ),
    },
  };
}

export function answerContext(
  index: RepositoryIndex,
  input: PanelTaskInput,
  seat: string,
  lookup: CommandLookup,
): AnswerContext {
  let made: Study | undefined;
  return {
    index,
    input,
    method: methodOf(seat, input.stance === 'generic' ? undefined : input.stance),
    study: () => {
      made ??= studyFeature(index, describe(input));
      return made;
    },
    lookup,
  };
}
