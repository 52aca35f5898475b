import type { SkillPackage } from '../model/package.ts';
import type { Profile } from '../model/profile.ts';
import { packageRules, ruleById } from '../rules/catalog.ts';
import { crossRules } from '../rules/cross-package.ts';
import { type Gate, gateOf, worstGate } from './gate.ts';
import type { Draft, Finding, Severity, Surroundings } from './rule.ts';
import { covers, readSuppressions } from './suppressions.ts';

export type PackageResult = {
  path: string;
  name: string;
  profile: Profile;
  gate: Gate;
  findings: readonly Finding[];
  suppressed: number;
};

export type LintResult = { gate: Gate; packages: readonly PackageResult[] };

export const quietSurroundings: Surroundings = { installed: undefined, conversion: undefined };

/** Every finding of the package rules, suppressions not yet applied. */
export function checkPackage(
  subject: SkillPackage,
  surroundings: Surroundings = quietSurroundings,
): Finding[] {
  const findings: Finding[] = [];
  for (const rule of packageRules) {
    const severity = rule.in?.[subject.profile] ?? rule.severity;
    if (severity === 'off') continue;
    for (const draft of rule.check(subject, surroundings)) {
      findings.push(toFinding(rule.id, severity, rule.hint, rule.fixable === true, draft));
    }
  }
  return findings;
}

function toFinding(rule: string, severity: Severity, hint: string, fixable: boolean, draft: Draft): Finding {
  const { file, line, message } = draft;
  return { rule, severity, file, line: line + 1, message: `${message} ${hint}`, fixable };
}

/** Applies suppressions and reports those without reason, with unknown ids, or without effect. */
export function applySuppressions(
  subject: SkillPackage,
  findings: readonly Finding[],
): { findings: Finding[]; suppressed: number } {
  const all = subject.documents.flatMap(readSuppressions);
  if (all.length === 0) return { findings: [...findings], suppressed: 0 };
  const about = (id: string, file: string, line: number, message: string): Finding => {
    const rule = ruleById.get(id);
    return toFinding(id, rule?.severity ?? 'info', rule?.hint ?? '', false, { file, line, message });
  };
  const valid = all.filter(({ reason }) => reason !== '');
  const used = new Set<string>();
  const kept = findings.filter((finding) => {
    const by = valid.find((suppression) => covers(suppression, finding));
    if (by !== undefined) used.add(`${by.file} ${by.line} ${finding.rule}`);
    return by === undefined;
  });
  const notes = all.flatMap(({ file, line, rules, reason }) => {
    if (reason === '')
      return [about('SU001', file, line, `The suppression of ${rules.join(', ')} gives no reason.`)];
    return rules.flatMap((rule): Finding[] => {
      if (!ruleById.has(rule)) return [about('SU002', file, line, `There is no rule ${rule}.`)];
      if (used.has(`${file} ${line} ${rule}`)) return [];
      return [about('SU003', file, line, `The suppression of ${rule} has no effect.`)];
    });
  });
  return { findings: [...kept, ...notes], suppressed: findings.length - kept.length };
}

const order: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

export function sortFindings(findings: readonly Finding[]): Finding[] {
  const sorted = [...findings];
  return sorted.sort(
    (a, b) =>
      order[a.severity] - order[b.severity] ||
      compareText(a.file, b.file) ||
      a.line - b.line ||
      compareText(a.rule, b.rule),
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Lints one package by itself. */
export function lintPackage(subject: SkillPackage, surroundings?: Surroundings): PackageResult {
  return finish(subject, checkPackage(subject, surroundings));
}

function finish(subject: SkillPackage, found: readonly Finding[]): PackageResult {
  const { findings, suppressed } = applySuppressions(subject, found);
  const sorted = sortFindings(findings);
  const { files, name, profile } = subject;
  return {
    path: files.path,
    name: name === '' ? files.directory : name,
    profile,
    gate: gateOf(sorted),
    findings: sorted,
    suppressed,
  };
}

/** Lints packages that live side by side; with `across` also what only shows when all are seen (S-103). */
export function lintPackages(
  packages: readonly SkillPackage[],
  surroundingsOf: (subject: SkillPackage) => Surroundings,
  across: boolean,
): LintResult {
  const extra = new Map<SkillPackage, Finding[]>();
  if (across) {
    for (const rule of crossRules) {
      for (const draft of rule.checkAll(packages)) {
        const list = extra.get(draft.package) ?? [];
        list.push(toFinding(draft.rule, rule.severity, rule.hint, false, draft));
        extra.set(draft.package, list);
      }
    }
  }
  const results = packages.map((subject) =>
    finish(subject, [...checkPackage(subject, surroundingsOf(subject)), ...(extra.get(subject) ?? [])]),
  );
  return { gate: worstGate(results.map(({ gate }) => gate)), packages: results };
}
