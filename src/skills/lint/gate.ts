import type { Finding, Severity } from './rule.ts';

export type Gate = 'PASS' | 'REVIEW' | 'FAIL';

/** S-097: no errors PASS, one or two REVIEW, three or more FAIL. */
export const gateLimits = { review: 1, fail: 3 } as const;

export function gateOf(findings: readonly Finding[]): Gate {
  const errors = countOf(findings, 'error');
  if (errors >= gateLimits.fail) return 'FAIL';
  return errors >= gateLimits.review ? 'REVIEW' : 'PASS';
}

export function countOf(findings: readonly Finding[], severity: Severity): number {
  return findings.reduce((sum, finding) => sum + (finding.severity === severity ? 1 : 0), 0);
}

/** The worst gate of several. */
export function worstGate(gates: readonly Gate[]): Gate {
  if (gates.includes('FAIL')) return 'FAIL';
  return gates.includes('REVIEW') ? 'REVIEW' : 'PASS';
}
