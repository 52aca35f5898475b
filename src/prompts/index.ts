export { type ArtifactFiles, type ArtifactKey, artifactKeys, artifacts } from './artifacts.ts';
export { type Compiled, type CompileInput, compilePrompt, type Transport } from './compile.ts';
export { type Confirmation, type Grade, gradeConfirmation, lazyLoadWarning } from './confirmation.ts';
export { type FeatureFiles, type PrdResolution, prdLine, readFeature } from './feature-files.ts';
export { type PromptReport, reportPrompt, type TokenCount } from './markers.ts';
export * as panel from './panel/index.ts';
export {
  type Answer,
  type ComposedPart,
  type ComposedPrompt,
  type ComposeOptions,
  compose,
  data,
  delimit,
  type NonceSource,
  optionalData,
  type Part,
  type PartKind,
  type PromptDraft,
  readOverrides,
  seededNonce,
  type Untrusted,
  untrustedRule,
  words,
} from './part.ts';
export type { CommandName, Dispatch } from './roles/shapes.ts';
export { dispatches, dispatchFor, type RoleOverrides } from './roles/table.ts';
export {
  extractSection,
  indexed,
  parseTasks,
  scopeTask,
  type Task,
  type TaskScope,
} from './sections/tasks.ts';
export { compileTaskPrompt, type TaskPromptInput } from './task-prompt.ts';
