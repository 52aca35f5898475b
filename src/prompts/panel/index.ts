export type { Commission } from './common.ts';
export { type RepairInput, repairPrompt } from './common.ts';
export {
  type ComparePlansInput,
  comparePlansPrompt,
  type DebateDecision,
  type DebateInput,
  type DebateSide,
  debatePrompt,
  type JudgeInput,
  judgePrompt,
} from './debate.ts';
export {
  type DiagramInput,
  diagramPrompt,
  focusAreas,
  type MergeFindingsInput,
  mergeFindingsPrompt,
  type PlanInput,
  type PlanReviewInput,
  planPrompt,
  planReviewPrompt,
  planSections,
  type RevisePlanInput,
  revisePlanPrompt,
  type VoteInput,
  type VoterRole,
  votePrompt,
} from './plan.ts';
export {
  type DiscussionInput,
  discussionPrompt,
  type QuestionsInput,
  questionsPrompt,
  type SecondRound,
} from './questions.ts';
export {
  type SketchInput,
  type SketchText,
  type Stance,
  type SynthesisInput,
  sketchPrompt,
  stances,
  synthesisPrompt,
} from './sketch.ts';
