export {
  type ComposedPart,
  type ComposedPrompt,
  type ComposeOptions,
  compose,
  type PartKind,
} from './compose.ts';
export { readOverrides } from './overrides.ts';
export * as panel from './panel/index.ts';
export { type Answer, data, optionalData, type Part, type PromptDraft, words } from './part.ts';
export { type PromptReport, reportPrompt, type TokenCount } from './report.ts';
export { delimit, type NonceSource, seededNonce, type Untrusted, untrustedRule } from './untrusted.ts';
