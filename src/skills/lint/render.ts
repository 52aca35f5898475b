import { untrustedLine, visibleText } from '../../base/text/strings.ts';
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

const commands = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** Workflow commands that GitHub shows as annotations on the changed files. */
export function renderGithub(result: LintResult): string {
  return result.packages
    .flatMap(({ path, findings }) =>
      findings.map(({ severity, file, line, rule, message }) => {
        const where = `file=${property(`${path}/${file}`)},line=${line},title=${property(rule)}`;
        return `::${commands[severity]} ${where}::${data(message)}\n`;
      }),
    )
    .join('');
}

function data(text: string): string {
  return visibleText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

const levels = { error: 'error', warning: 'warning', info: 'note' } as const;

/** SARIF 2.1.0, the rules that occur described in the tool. */
export function toSarif(result: LintResult, rules: ReadonlyMap<string, RuleText>, version: string): unknown {
  const used = [
    ...new Set(result.packages.flatMap(({ findings }) => findings.map(({ rule }) => rule))),
  ].sort();
  const index = new Map(used.map((id, position) => [id, position]));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'charrette skill lint',
            version,
            rules: used.map((id) => {
              const rule = rules.get(id);
              return {
                id,
                shortDescription: { text: rule?.summary ?? id },
                fullDescription: { text: rule?.why ?? id },
                help: { text: rule?.hint ?? '' },
                defaultConfiguration: { level: levels[rule?.severity ?? 'info'] },
              };
            }),
          },
        },
        results: result.packages.flatMap(({ path, name, findings }) =>
          findings.map((finding) => ({
            ruleId: finding.rule,
            ruleIndex: index.get(finding.rule) ?? -1,
            level: levels[finding.severity],
            message: { text: finding.message },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: toUri(path, finding.file) },
                  region: { startLine: finding.line },
                },
              },
            ],
            partialFingerprints: { 'charrette/v1': fingerprint(name, finding) },
          })),
        ),
      },
    ],
  };
}

function toUri(path: string, file: string): string {
  const joined = `${path.replaceAll('\\', '/').replace(/\/$/, '')}/${file}`;
  const uri = joined.split('/').map(encodeURIComponent).join('/');
  return joined.startsWith('/') ? `file://${uri}` : uri.replace(/^\.\//, '');
}
