import type { RuleText } from '../rules/catalog.ts';
import { fingerprint } from './baseline.ts';
import type { LintResult } from './engine.ts';

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
