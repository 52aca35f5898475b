import type { Rule } from '../lint/rule.ts';
import { compactRules } from './compact.ts';
import { conversionRules } from './conversion.ts';
import { crossRules } from './cross-package.ts';
import { dataFlowRules } from './data-flow.ts';
import { frontmatterRules } from './frontmatter.ts';
import { hygieneRules } from './hygiene.ts';
import { handoffRules, phaseReferenceRules } from './phase-references.ts';
import { planRules } from './plan.ts';
import { preferenceRules } from './preferences.ts';
import { targetRules } from './references.ts';
import { sectionRules } from './sections.ts';
import { specificationRules } from './specification.ts';
import { structureRules, suppressionRules } from './structure.ts';
import { todoRules } from './todo.ts';

/** Rules about one package. */
export const packageRules: readonly Rule[] = [
  ...frontmatterRules,
  ...structureRules,
  ...[...targetRules, ...phaseReferenceRules].sort((one, other) => one.id.localeCompare(other.id)),
  ...sectionRules,
  ...hygieneRules,
  ...compactRules,
  ...dataFlowRules,
  ...preferenceRules,
  ...todoRules,
  ...handoffRules,
  ...conversionRules,
  ...planRules,
  ...specificationRules,
  ...suppressionRules,
];

export type RuleText = Omit<Rule, 'check'>;

/** Every rule there is, for explanations, documents and formats. */
export const allRules: readonly RuleText[] = [...packageRules, ...crossRules];

export const ruleById: ReadonlyMap<string, RuleText> = new Map(allRules.map((rule) => [rule.id, rule]));

/** The subject of the two letters of an id. */
export const ruleFamilies: Readonly<Record<string, string>> = {
  FM: 'Frontmatter',
  ST: 'Structure',
  RF: 'References',
  SC: 'Sections',
  HY: 'Hygiene of phase files',
  HO: 'Handoffs',
  CP: 'Compact recovery',
  DF: 'Data flow',
  PR: 'Preferences and questions',
  TD: 'Todo lists and samples',
  CF: 'Fidelity of conversions',
  PL: 'Plans and tasks',
  XP: 'Across packages',
  SP: 'Agent Skills specification',
  SZ: 'Size budgets',
  IO: 'Reading',
  SU: 'Suppressions',
};
