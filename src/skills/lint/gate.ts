import type { Finding, Severity } from './rule.ts';

export type Gate = 'PASS' | 'REVIEW' | 'FAIL';

/** S-097: no errors PASS, one or two REVIEW, three or more FAIL. */
export const gateLimits = { review: 1, fail: 3 } as const;

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
