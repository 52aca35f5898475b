export {
  blockHeader,
  type Consumer,
  type ConsumerRule,
  consumers,
  defaultSettings,
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
export { characters, exactTokens, type Measure, paddedQuarters, quarters } from './measure.ts';
export { type Candidate, type Overflow, type Packed, type PackReport, packBrief } from './pack.ts';
export type { DocumentReader, DocumentReading, UnreadableReason } from './read-document.ts';
export type { DesignContext, FileReport, LogLine, Mode, Outcome } from './result.ts';
