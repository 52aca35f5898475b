import { createHash } from 'node:crypto';
import { CharretteError } from '../../base/errors.ts';
import { isRecord, type JsonValue } from '../../base/safe-json.ts';
import type { LintResult, PackageResult } from './engine.ts';
import { gateOf, worstGate } from './gate.ts';
import type { Finding } from './rule.ts';

/** Findings that were there when the baseline was made, counted by fingerprint. */
export type Baseline = { version: 1; findings: Record<string, number> };

/** Stays the same when lines above move: package, file, rule and message without numbers. */
export function fingerprint(packageName: string, { rule, file, message }: Finding): string {
  const words = message.replace(/\d+/g, '#');
  return createHash('sha256').update(`${packageName}\n${file}\n${rule}\n${words}`).digest('hex').slice(0, 20);
}

export function makeBaseline(result: LintResult): Baseline {
  const findings: Record<string, number> = {};
  for (const { name, findings: found } of result.packages) {
    for (const finding of found) {
      const key = fingerprint(name, finding);
      findings[key] = (findings[key] ?? 0) + 1;
    }
  }
  return { version: 1, findings: Object.fromEntries(Object.entries(findings).sort()) };
}

export function readBaseline(value: JsonValue, source: string): Baseline {
  const findings = isRecord(value) ? value['findings'] : undefined;
  if (!isRecord(value) || value['version'] !== 1 || !isRecord(findings)) {
    throw new CharretteError({
      code: 'json-invalid',
      message: `${source} is not a lint baseline of version 1.`,
      fix: 'Write a new one with `charrette skill lint --write-baseline FILE`.',
    });
  }
  return {
    version: 1,
    findings: Object.fromEntries(
      Object.entries(findings).filter(([, count]) => typeof count === 'number'),
    ) as Record<string, number>,
  };
}

/** The result without the findings of the baseline; a finding that occurs more often than then stays. */
export function withoutBaseline(result: LintResult, baseline: Baseline): LintResult {
  const left = new Map(Object.entries(baseline.findings));
  const packages = result.packages.map((entry): PackageResult => {
    const findings = entry.findings.filter((finding) => {
      const key = fingerprint(entry.name, finding);
      const count = left.get(key) ?? 0;
      if (count > 0) left.set(key, count - 1);
      return count <= 0;
    });
    const suppressed = entry.suppressed + entry.findings.length - findings.length;
    return { ...entry, findings, gate: gateOf(findings), suppressed };
  });
  return { gate: worstGate(packages.map(({ gate }) => gate)), packages };
}
