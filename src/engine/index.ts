export { type Clock, clockFrom, type Ids, idsFrom, randomIds, systemClock } from './clock.ts';
export { Engine, type EngineOptions, openEngine } from './engine.ts';
export type { EventBody, RunEvent } from './event.ts';
export { readEvents } from './event-log.ts';
export { followEvents } from './follow.ts';
export { leaveMessage, type Message } from './inbox.ts';
export { type LedgerEntry, type LedgerTotals, readLedger, totalsOf } from './ledger.ts';
export { isAlive, type ProcessIdentity } from './lock.ts';
export { type Answer, checkAnswer, type Question, readQuestions, unanswered } from './question.ts';
export {
  createRunDirectory,
  type Home,
  homeOf,
  listRunIds,
  makeRunId,
  prepareHome,
  type RunDirectory,
  runDirectoryOf,
} from './run-directory.ts';
export {
  isFinal,
  type RunRecord,
  type RunStatus,
  readRunRecord,
  updateRunRecord,
  writeRunRecord,
} from './run-record.ts';
export type { AnswerProvider, RunEnd } from './run-registry.ts';
export type { StoreSetting } from './store.ts';
export { type Outcome, WorkflowContext, type WorkflowDefinition } from './workflow.ts';
