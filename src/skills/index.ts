export { parseDocument } from '../base/markdown/parse.ts';
export {
  attachItems,
  checkSentinel,
  collapsePhase,
  compactionPlan,
  type PhaseSnapshot,
  recoveryText,
  type SentinelCheck,
  snapshotPhase,
  type TodoEntry,
  type TodoList,
  todoProblems,
} from './compaction/compaction.ts';
export { completeConfig, readConfig } from './config/complete-config.ts';
export { type WorkflowConfig, workflowConfigJsonSchema } from './config/workflow-config.ts';
export { type DraftAgent, draftConfig } from './convert/from-text.ts';
export { fixPackage } from './fix/fix-package.ts';
export { generatePackage } from './generate/skill-markdown.ts';
export { lintPackage, lintPackages } from './lint/engine.ts';
export { lintPaths } from './lint/lint-paths.ts';
export { evaluateCondition, parseCondition } from './model/condition.ts';
export { buildPackage, type SkillPackage } from './model/package.ts';
export { readPackageFiles } from './package-files.ts';
export { allRules } from './rules/catalog.ts';
export { type RunPlan, runPlan } from './run/run-plan.ts';
export { simulate } from './run/simulate.ts';
