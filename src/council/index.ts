/** Experimental: the rounds of a council for workflows of your own. Each needs a council and values, no design. */
export type { RunEvent } from '../engine/event.ts';
export type { Answer, Question as UserQuestion } from '../engine/question.ts';
export type { AnswerProvider } from '../engine/run-registry.ts';
export { renderPlan } from '../plan/plan-text.ts';
export type { Commission } from '../prompts/panel/common.ts';
export {
  askAuthor,
  type Call,
  type Council,
  CouncilRun,
  type Question,
  type Reply,
  type Seat,
  timeLimits,
  tryAuthor,
  warnOfFailures,
} from './council.ts';
export { type Debate, type DebatePlan, debate, type HeardDebate, planDebates } from './debate.ts';
export { type NumberedDecision, rankDecisions, renderDecisions } from './decisions.ts';
export { allUp, type Health, healthFrom, isUp } from './health.ts';
export { type DecisionVerdict, decide, type JudgeBallots, judge } from './judge.ts';
export { type PanelName, panelNames, panels, type SketchCount } from './panels.ts';
export { type Resolution, renderResolutions, resolve } from './resolutions.ts';
export {
  merge,
  type PlanReview,
  planReview,
  type RaisedFinding,
  type ReviewItem,
  type ReviewTask,
  review,
} from './review.ts';
export { runScript, type ScriptEnd, type ScriptOptions } from './script.ts';
export { seatPanel, type Table } from './seating.ts';
export { type Approach, renderSketch, renderSynthesis, type Sketched, sketch, synthesise } from './sketch.ts';
export { renderTally, scoreboard, type TallyEntry, tally } from './tally.ts';
export type { Quorum } from './vote.ts';
export { planVote, type VoteTask, vote } from './vote.ts';
