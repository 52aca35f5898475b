export {
  checkDiagram,
  type DiagramOutcome,
  type DiagramParser,
  type DiagramReason,
  diagramFile,
  type ParserVerdict,
  type ReasonToken,
  type SanitizerResult,
  sanitizeDiagram,
} from './diagram.ts';
export type { CommandLookup } from './grounding/commands.ts';
export type { DecidedPoint } from './grounding/decisions.ts';
export { type GroundingOptions, groundPlan } from './grounding/grounding.ts';
export { type GroundingFact, type GroundingReport, groundingText } from './grounding/report.ts';
export { pathLookup } from './grounding/subject.ts';
export {
  type ManifestInput,
  type ManifestReading,
  type ManifestWriting,
  readManifest,
  writeManifest,
} from './manifest.ts';
export { parseMermaid } from './mermaid-fences.ts';
export { type PlanReading, readPlan, renderPlan } from './plan-text.ts';
export { type PlanRules, planProblems, revisionProblems } from './validate.ts';
