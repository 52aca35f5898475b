export {
  checkDiagram,
  type DiagramOutcome,
  type DiagramParser,
  type DiagramReason,
  diagramFile,
  type ParserVerdict,
  parseMermaid,
  type ReasonToken,
  type SanitizerResult,
  sanitizeDiagram,
} from './diagram.ts';
export type { CommandLookup } from './grounding/files.ts';
export type { DecidedPoint } from './grounding/grounding.ts';
export {
  type GroundingFact,
  type GroundingOptions,
  type GroundingReport,
  groundingText,
  groundPlan,
} from './grounding/grounding.ts';
export { pathLookup } from './grounding/subject.ts';
export {
  type ManifestInput,
  type ManifestReading,
  type ManifestWriting,
  readManifest,
  writeManifest,
} from './manifest.ts';
export {
  type PlanReading,
  type PlanRules,
  planProblems,
  readPlan,
  renderPlan,
  revisionProblems,
} from './plan-text.ts';
