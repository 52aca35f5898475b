export { type ArtifactFiles, type ArtifactKey, artifactKeys, artifacts } from './artifacts.ts';
export { type Compiled, type CompileInput, compilePrompt, type Transport } from './compile.ts';
export {
  type ComposedPart,
  type ComposedPrompt,
  type ComposeOptions,
  compose,
  type PartKind,
  readOverrides,
} from './compose.ts';
export { type Confirmation, type Grade, gradeConfirmation, lazyLoadWarning } from './confirmation.ts';
export { type FeatureFiles, type PrdResolution, prdLine, readFeature } from './feature-files.ts';
export { type PromptReport, reportPrompt, type TokenCount } from './markers.ts';
export * as panel from './panel/index.ts';
export { type Answer, data, optionalData, type Part, type PromptDraft, words } from './part.ts';
export type { CommandName, Dispatch } from './roles/shapes.ts';
export { dispatches, dispatchFor, type RoleOverrides } from './roles/table.ts';
export { extractSection, indexed, scopeTask, type TaskScope } from './sections/scope.ts';
export { parseTasks, type Task } from './sections/tasks.ts';
export { compileTaskPrompt, type TaskPromptInput } from './task-prompt.ts';
export { delimit, type NonceSource, seededNonce, type Untrusted, untrustedRule } from './untrusted.ts';
