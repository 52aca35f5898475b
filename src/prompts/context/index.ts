export type { DocumentReader, DocumentReading, UnreadableReason } from './defaults.ts';
export {
  blockHeader,
  type Consumer,
  type ConsumerRule,
  consumers,
  type DesignContext,
  defaultSettings,
  type FileReport,
  type LogLine,
  type Mode,
  type Outcome,
  settingsFile,
} from './defaults.ts';
export { explainBudget } from './explain.ts';
export { type FolderOptions, type FolderReport, initDesignFolder, updateDesignFolder } from './folder.ts';
export {
  type DocumentReference,
  type PromptContext,
  type PromptContextOptions,
  promptContext,
} from './for-prompt.ts';
export { type LoadOptions, loadDesignContext } from './load.ts';
export {
  loadProjectSpecs,
  type ProjectSpec,
  type ProjectSpecs,
  type SpecCategory,
  type SpecOptions,
  specCategories,
} from './load-specs.ts';
export {
  type Candidate,
  characters,
  exactTokens,
  type Measure,
  type Overflow,
  type Packed,
  type PackReport,
  packBrief,
  paddedQuarters,
  quarters,
} from './pack.ts';
