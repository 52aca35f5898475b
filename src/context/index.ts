export { blockHeader, defaultSettings, settingsFile } from './defaults.ts';
export { explainBudget } from './explain.ts';
export { type LoadOptions, loadDesignContext } from './load.ts';
export type { LogLine } from './log.ts';
export { characters, exactTokens, type Measure, paddedQuarters, quarters } from './measure.ts';
export { type Candidate, type Overflow, type Packed, type PackReport, packBrief } from './pack.ts';
export type { DocumentReader, DocumentReading, UnreadableReason } from './read-document.ts';
export type { DesignContext, FileReport, Mode, Outcome } from './result.ts';
