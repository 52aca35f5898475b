/** The library: what every surface calls, as `import { openProject, startRun } from 'charrette'`. */
export { CharretteError, isCharretteError } from '../base/errors.ts';
export type { RunEvent } from '../engine/event.ts';
export type { Answer, Question } from '../engine/question.ts';
export type { RunDirectory } from '../engine/run-directory.ts';
export type { RunRecord } from '../engine/run-record.ts';
export { type Answered, answer, openQuestions } from './answer.ts';
export { exportRun, importRun } from './archive.ts';
export { type ArtifactEntry, listArtifacts as artifacts, readArtifact } from './artifacts.ts';
export type { Attendant, Observer } from './attend.ts';
export { checkPlan, designContext, lintSkills, type PlanCheck, type PlanFinding } from './checks.ts';
export { type CostList, costs } from './costs.ts';
export type { DesignRequest } from './design.ts';
export { type DoctorReport, doctor } from './doctor.ts';
export { findRun, openProject, type Project, type ProjectOptions } from './project.ts';
export type { QueueWishes } from './queue.ts';
export { pruneRuns, type Removed, removeRuns } from './remove.ts';
export { cancel, listRuns, type RunPage, type RunStatus, type RunSummary, runStatus } from './runs.ts';
export {
  type RunHandle,
  type RunMode,
  type RunRequest,
  resumeRun,
  type StartOptions,
  startRun,
} from './start.ts';
export { type WatchOptions, watchRun } from './watch.ts';
