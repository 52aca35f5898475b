import { type Document, fenceAt, lineKind } from '../../base/markdown/document.ts';
import { type OriginOf, originsIn, reportFile } from '../convert/fidelity.ts';
import type { Profile } from '../model/identity.ts';
import type { SkillPackage } from '../model/package.ts';
import { packageRules, ruleById } from '../rules/catalog.ts';
import { type CrossFacts, crossFacts, crossRules } from '../rules/cross-package.ts';
import type { Draft, Finding, Rule, Severity, Surroundings } from './rule.ts';
import { type Gate, gateOf, worstGate } from './rule.ts';

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
function checkPackage(subject: SkillPackage, surroundings: Surroundings = quietSurroundings): Finding[] {
  const findings: Finding[] = [];
  const originOf = originsIn(subject.files.texts.get(reportFile), subject.documents);
  for (const rule of packageRules) {
    const severity = rule.in?.[subject.profile] ?? rule.severity;
    if (severity === 'off') continue;
    for (const draft of rule.check(subject, surroundings)) {
      findings.push(
        inherit(rule, toFinding(rule.id, severity, rule.hint, rule.fixable === true, draft), draft, originOf),
      );
    }
  }
  return findings;
}

/** A rule on texts that only unchanged text of a source breaks is inherited; else the finding is at the first own line. */
function inherit(
  rule: Rule,
  finding: Finding,
  { file, line, also = [] }: Draft,
  originOf: OriginOf,
): Finding {
  if (rule.fence === undefined || rule.neverInherited === true) return finding;
  const lines = [line, ...also];
  const own = lines.find((place) => originOf(file, place) === undefined);
  if (own !== undefined) return { ...finding, line: own + 1 };
  const inherited = originOf(file, line) ?? '';
  const severity = finding.severity === 'error' ? 'warning' : finding.severity;
  return { ...finding, severity, message: `${finding.message} Inherited from ${inherited}.`, inherited };
}

function toFinding(rule: string, severity: Severity, hint: string, fixable: boolean, draft: Draft): Finding {
  const { file, line, message } = draft;
  return {
    rule,
    severity,
    file,
    line: line + 1,
    message: `${message} ${hint}`,
    fixable: fixable && draft.fixable !== false,
  };
}

/** Applies suppressions and reports those without reason, with unknown ids, or without effect. */
function applySuppressions(
  all: readonly Suppression[],
  findings: readonly Finding[],
): { findings: readonly Finding[]; suppressed: number } {
  if (all.length === 0) return { findings, suppressed: 0 };
  const about = (id: string, file: string, line: number, message: string): Finding => {
    const rule = ruleById.get(id);
    return toFinding(id, rule?.severity ?? 'info', rule?.hint ?? '', false, { file, line, message });
  };
  const valid = all.filter(({ reason }) => reason !== '');
  const suppressionOf = suppressionFinder(valid);
  const used = new Set<string>();
  const kept = findings.filter((finding) => {
    const by = suppressionOf(finding);
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

function sortFindings(findings: readonly Finding[]): Finding[] {
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

/** What is left of a package after its rules have run; small, so that a thousand fit in memory. */
type Examined = {
  path: string;
  name: string;
  profile: Profile;
  findings: Finding[];
  suppressions: readonly Suppression[];
  cross: CrossFacts | undefined;
};

/** Runs the rules of one package; with `across` also notes what rules across packages need. */
export function examine(subject: SkillPackage, surroundings: Surroundings, across: boolean): Examined {
  const { files, name, profile, documents } = subject;
  return {
    path: files.path,
    name: name === '' ? files.directory : name,
    profile,
    findings: checkPackage(subject, surroundings),
    suppressions: documents.flatMap(readSuppressions),
    cross: across ? crossFacts(subject) : undefined,
  };
}

/** Lints one package without the others. */
export function lintPackage(
  subject: SkillPackage,
  surroundings: Surroundings = quietSurroundings,
): PackageResult {
  return finish(examine(subject, surroundings, false));
}

function finish({ path, name, profile, findings: found, suppressions }: Examined): PackageResult {
  const { findings, suppressed } = applySuppressions(suppressions, found);
  const sorted = sortFindings(findings);
  return { path, name, profile, gate: gateOf(sorted), findings: sorted, suppressed };
}

/** S-103: adds what only shows when all packages are seen, and closes the books. */
export function conclude(examined: readonly Examined[]): LintResult {
  const facts = examined.flatMap(({ cross }) => cross ?? []);
  if (facts.length === examined.length) {
    for (const rule of crossRules) {
      for (const draft of rule.checkAll(facts)) {
        const severity = draft.severity ?? rule.severity;
        examined[draft.index]?.findings.push(toFinding(rule.id, severity, rule.hint, false, draft));
      }
    }
  }
  const packages = examined.map(finish);
  return { gate: worstGate(packages.map(({ gate }) => gate)), packages };
}

/** Lints packages that live side by side; with `across` also against each other. */
export function lintPackages(
  packages: readonly SkillPackage[],
  surroundingsOf: (subject: SkillPackage) => Surroundings,
  across: boolean,
): LintResult {
  return conclude(packages.map((subject) => examine(subject, surroundingsOf(subject), across)));
}

type Suppression = {
  file: string;
  /** Counted from 0. */
  line: number;
  rules: readonly string[];
  reason: string;
  /** Lines it covers, counted from 0 and inclusive; undefined: the whole file. */
  range: readonly [number, number] | undefined;
};

const form = /<!--\s*lint-disable(-next-line)?\s+([A-Z]{2}\d{3}(?:\s*,\s*[A-Z]{2}\d{3})*)\s*([\s\S]*?)-->/g;

/** `<!-- lint-disable ID reason -->` covers its file, `lint-disable-next-line` the next line or the fence that begins there. */
function readSuppressions(document: Document): Suppression[] {
  if (!document.text.includes('lint-disable')) return [];
  return document.comments.flatMap(({ line, text }) =>
    [...text.matchAll(form)].map((match) => ({
      file: document.path,
      line,
      rules: (match[2] ?? '').split(',').map((rule) => rule.trim()),
      reason: (match[3] ?? '').replace(/^[\s:–—-]+/, '').trim(),
      range: match[1] === undefined ? undefined : nextLines(document, line + text.split('\n').length),
    })),
  );
}

function nextLines(document: Document, from: number): readonly [number, number] {
  let line = from;
  while (document.kinds[line] === lineKind.blank) line += 1;
  const fence = document.kinds[line] === lineKind.fenceMark ? fenceAt(document, line) : undefined;
  return [line, fence?.closeLine ?? line];
}

type Found = { rule: string; file: string; line: number };

/** Finds the first suppression that covers a finding. */
function suppressionFinder(all: readonly Suppression[]): (finding: Found) => Suppression | undefined {
  const first = new Map<string, Suppression>();
  const add = (key: string, suppression: Suppression) => {
    if (!first.has(key)) first.set(key, suppression);
  };
  for (const suppression of all) {
    const { file, rules, range } = suppression;
    for (const rule of rules) {
      if (range === undefined) add(`${file} ${rule}`, suppression);
      // What begins at the same line also ends at the same.
      else if (!first.has(`${file} ${rule} ${range[0]}`))
        for (let line = range[0]; line <= range[1]; line += 1) add(`${file} ${rule} ${line}`, suppression);
    }
  }
  return ({ file, rule, line }) => {
    const whole = first.get(`${file} ${rule}`);
    const here = first.get(`${file} ${rule} ${line - 1}`);
    return whole === undefined || (here !== undefined && here.line < whole.line) ? here : whole;
  };
}
