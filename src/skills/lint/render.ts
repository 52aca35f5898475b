import { type Annotation, githubAnnotations, sarifOf } from '../../base/text/annotations.ts';
import { untrustedLine } from '../../base/text/strings.ts';
import type { RuleText } from '../rules/catalog.ts';
import type { LintResult, PackageResult } from './engine.ts';
import { fingerprint } from './lint-paths.ts';
import type { Finding, Severity } from './rule.ts';
import { countInherited, countOf, type Gate } from './rule.ts';

export type Paint = (style: 'red' | 'yellow' | 'cyan' | 'green' | 'dim' | 'bold', text: string) => string;

export const plainPaint: Paint = (_style, text) => text;

const severityStyle = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<
  Severity,
  string
>;
const gateStyle = { PASS: 'green', REVIEW: 'yellow', FAIL: 'red' } as const satisfies Record<Gate, string>;

/** S-098: for people. Clean packages take one line when there are several. */
export function renderPretty(result: LintResult, paint: Paint = plainPaint): string {
  const several = result.packages.length > 1;
  const blocks = result.packages.map((entry) =>
    several && entry.findings.length === 0 ? `${heading(entry, paint)}\n` : renderPackage(entry, paint),
  );
  if (several) blocks.push(`\n${totals(result, paint)}\n`);
  return blocks.join('');
}

function heading({ name, path, profile, gate }: PackageResult, paint: Paint): string {
  return `${paint(gateStyle[gate], gate.padEnd(6))} ${paint('bold', untrustedLine(name))} ${paint('dim', `(${profile}) ${untrustedLine(path)}`)}`;
}

function renderPackage(entry: PackageResult, paint: Paint): string {
  const lines = [heading(entry, paint)];
  const files = new Map<string, Finding[]>();
  for (const finding of entry.findings)
    files.set(finding.file, [...(files.get(finding.file) ?? []), finding]);
  for (const [file, findings] of files) {
    lines.push(`  ${untrustedLine(file)}`);
    for (const { line, severity, rule, message, fixable } of findings) {
      const mark = fixable ? paint('dim', ' [fix]') : '';
      lines.push(
        `    ${String(line).padStart(4)}  ${paint(severityStyle[severity], severity.padEnd(7))} ${rule}  ${untrustedLine(message)}${mark}`,
      );
    }
  }
  const counts = (['error', 'warning', 'info'] as const).map(
    (severity) => `${countOf(entry.findings, severity)} ${severity}`,
  );
  const inherited = countInherited(entry.findings);
  if (inherited > 0) counts.push(`${inherited} inherited`);
  const hidden = entry.suppressed > 0 ? `, ${entry.suppressed} suppressed` : '';
  lines.push(`  ${counts.join(', ')}${hidden}`);
  return `${lines.join('\n')}\n`;
}

function totals(result: LintResult, paint: Paint): string {
  const count = (gate: Gate) => result.packages.filter((entry) => entry.gate === gate).length;
  const errors = result.packages.reduce((sum, { findings }) => sum + countOf(findings, 'error'), 0);
  const warnings = result.packages.reduce((sum, { findings }) => sum + countOf(findings, 'warning'), 0);
  const inherited = result.packages.reduce((sum, { findings }) => sum + countInherited(findings), 0);
  return `${paint(gateStyle[result.gate], result.gate)}  ${result.packages.length} packages: ${count('PASS')} pass, ${count('REVIEW')} review, ${count('FAIL')} fail; ${errors} errors, ${warnings} warnings${inherited > 0 ? `, ${inherited} inherited` : ''}`;
}

/** Workflow commands that GitHub shows as annotations on the changed files. */
export function renderGithub(result: LintResult): string {
  return githubAnnotations(annotationsIn(result));
}

const levels = { error: 'error', warning: 'warning', info: 'note' } as const;

/** SARIF 2.1.0, the rules that occur described in the tool. */
export function toSarif(result: LintResult, rules: ReadonlyMap<string, RuleText>, version: string): unknown {
  return sarifOf(annotationsIn(result), {
    name: 'charrette skill lint',
    version,
    rule(id) {
      const rule = rules.get(id);
      return {
        id,
        shortDescription: { text: rule?.summary ?? id },
        fullDescription: { text: rule?.why ?? id },
        help: { text: rule?.hint ?? '' },
        defaultConfiguration: { level: levels[rule?.severity ?? 'info'] },
      };
    },
  });
}

function annotationsIn({ packages }: LintResult): Annotation[] {
  return packages.flatMap(({ path, name, findings }) =>
    findings.map((finding) => ({
      ...finding,
      file: `${path.replace(/[\\/]$/, '')}/${finding.file}`,
      fingerprint: fingerprint(name, finding),
    })),
  );
}
