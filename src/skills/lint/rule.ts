import type { Document } from '../../base/markdown/document.ts';
import type { Profile } from '../model/identity.ts';
import type { SkillPackage } from '../model/package.ts';

export type Severity = 'error' | 'warning' | 'info';

/** Where a text rule looks: prose only, prose and fences, or inline code as well. */
export type FencePolicy = 'prose' | 'fences' | 'everywhere';

/** What a check found, before severity, hint and suppression are applied. */
export type Draft = {
  /** Path inside the package. */
  file: string;
  /** Counted from 0. */
  line: number;
  /** One sentence that describes the finding. */
  message: string;
  /** Further lines that the finding is about. */
  also?: readonly number[];
  /** Set where the fix of the rule does not cover this finding. */
  fixable?: false;
};

type Check = (subject: SkillPackage, surroundings: Surroundings) => Iterable<Draft>;

/** What lies around a package: other skills, and where it was converted from. */
export type Surroundings = {
  /** Names and triggers of the other installed skills; undefined when they were not read. */
  installed: ReadonlySet<string> | undefined;
  conversion: ConversionSource | undefined;
};

/** One phase and the command it was extracted from. */
export type ConvertedPhase = {
  file: string;
  /** Where its text came from, as the report names it. */
  from: readonly string[];
  /** Body of the source without frontmatter; undefined when the source is gone. */
  source: string | undefined;
  /** Lines that the phase had when it was converted. */
  lines: number | undefined;
  edits: readonly { kind: string; before: string; after: string }[];
};

export type ConversionSource = { phases: readonly ConvertedPhase[] };

export type Rule = {
  id: string;
  severity: Severity;
  /** Profiles in which the rule is silent or weighs differently. */
  in?: Partial<Record<Profile, Severity | 'off'>>;
  fixable?: boolean;
  /** The automatic fix changes more than markup, so it needs `--unsafe`. */
  unsafe?: boolean;
  /** Default: the rule reads structure, not text. */
  fence?: FencePolicy;
  /** The rule is about the package, so copied text counts too. */
  neverInherited?: true;
  /** What must hold, one sentence. */
  summary: string;
  why: string;
  /** What to do about a finding, one sentence. */
  hint: string;
  bad: string;
  check: Check;
};

export type Finding = {
  rule: string;
  severity: Severity;
  file: string;
  /** Counted from 1. */
  line: number;
  message: string;
  fixable: boolean;
  /** The source that the text was copied from unchanged by a conversion; such a finding does not count for the gate. */
  inherited?: string;
};

export const at = (document: Document, line: number, message: string): Draft => ({
  file: document.path,
  line,
  message,
});

export type Gate = 'PASS' | 'REVIEW' | 'FAIL';

/** S-097: no errors PASS, one or two REVIEW, three or more FAIL. */
const gateLimits = { review: 1, fail: 3 } as const;

export function gateOf(findings: readonly Finding[]): Gate {
  const errors = countOf(findings, 'error');
  if (errors >= gateLimits.fail) return 'FAIL';
  return errors >= gateLimits.review ? 'REVIEW' : 'PASS';
}

/** Findings of a severity; inherited ones count apart. */
export function countOf(findings: readonly Finding[], severity: Severity): number {
  return findings.filter((finding) => finding.severity === severity && finding.inherited === undefined)
    .length;
}

export function countInherited(findings: readonly Finding[]): number {
  return findings.filter(({ inherited }) => inherited !== undefined).length;
}

/** The worst gate of several. */
export function worstGate(gates: readonly Gate[]): Gate {
  if (gates.includes('FAIL')) return 'FAIL';
  return gates.includes('REVIEW') ? 'REVIEW' : 'PASS';
}
