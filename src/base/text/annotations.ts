import { visibleText } from './strings.ts';

/** A finding at a line, for programs that show it there. The message may be by anybody. */
export type Annotation = {
  rule: string;
  severity: 'error' | 'warning' | 'info';
  /** As the repository names it; an absolute path becomes a file: address. */
  file: string;
  line: number;
  message: string;
  /** Stays the same while the finding does. */
  fingerprint: string;
};

export type SarifRule = { id: string; shortDescription: { text: string } } & Readonly<
  Record<string, unknown>
>;

export type SarifTool = { name: string; version: string; rule: (id: string) => SarifRule };

const sarifLevels = { error: 'error', warning: 'warning', info: 'note' } as const;

/** SARIF 2.1.0, the rules that occur described in the tool. */
export function sarifOf(found: readonly Annotation[], { name, version, rule }: SarifTool): unknown {
  const used = [...new Set(found.map((each) => each.rule))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name, version, rules: used.map(rule) } },
        results: found.map((each) => ({
          ruleId: each.rule,
          ruleIndex: used.indexOf(each.rule),
          level: sarifLevels[each.severity],
          message: { text: each.message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: uriOf(each.file) },
                region: { startLine: each.line },
              },
            },
          ],
          partialFingerprints: { 'charrette/v1': each.fingerprint },
        })),
      },
    ],
  };
}

function uriOf(file: string): string {
  const plain = file.replaceAll('\\', '/');
  const uri = plain.split('/').map(encodeURIComponent).join('/');
  return plain.startsWith('/') ? `file://${uri}` : uri.replace(/^\.\//, '');
}

const commands = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** Workflow commands that GitHub shows as annotations; a message can neither end one nor begin another. */
export function githubAnnotations(found: readonly Annotation[]): string {
  return found
    .map(({ rule, severity, file, line, message }) => {
      const where = `file=${property(file)},line=${line},title=${property(rule)}`;
      return `::${commands[severity]} ${where}::${data(message)}\n`;
    })
    .join('');
}

function data(text: string): string {
  return visibleText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
