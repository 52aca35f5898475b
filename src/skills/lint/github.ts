import { visibleText } from '../../base/text/untrusted.ts';
import type { LintResult } from './engine.ts';

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
