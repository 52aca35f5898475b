import { fenceInfo, markdownLines } from '../text/markdown-lines.ts';

/** A place in a text that breaks a rule of lean prompts. */
export type AuditFinding = { line: number; text: string };

/** T-006, T-140: a placeholder that asks for the text of an artifact, in either word order. */
const injection = [/\{[^{}\n]*content[^{}\n]*\.md[^{}\n]*\}/i, /\{[^{}\n]*\.md[^{}\n]*content[^{}\n]*\}/i];
/** T-141: the PRD is read whole, never by section. */
const prdSection =
  /\bprd\b[^\n]{0,80}\b(?:problem statement|goals)\b|\b(?:problem statement|goals)\b[^\n]{0,80}\bprd(?:\.md)?\b/i;
/** T-140: scoped sections are meant to be inline. */
const allowed = /extractSection\(/;

export function findInjections(text: string): AuditFinding[] {
  return linesWhere(text, (line) => !allowed.test(line) && injection.some((pattern) => pattern.test(line)));
}

export function findScopedPrd(text: string): AuditFinding[] {
  return linesWhere(text, (line) => prdSection.test(line));
}

/** T-145: a `{placeholder}` in a shell command that somebody is going to run. */
export function findShellPlaceholders(tasks: string): AuditFinding[] {
  const findings: AuditFinding[] = [];
  let shell = false;
  for (const line of markdownLines(tasks)) {
    if (line.kind === 'fence-open') shell = /^(?:sh|bash|shell|zsh|console)\b/i.test(fenceInfo(tasks, line));
    if (line.kind !== 'code' || !shell) continue;
    const text = tasks.slice(line.start, Math.min(line.end, line.start + 2_000));
    if (/(?<!\$)\{[a-z][\w -]*\}/i.test(text)) findings.push({ line: line.number, text: text.trim() });
  }
  return findings;
}

function linesWhere(text: string, wanted: (line: string) => boolean): AuditFinding[] {
  return text
    .split('\n')
    .map((line, index) => ({ line: index + 1, text: line.slice(0, 2_000) }))
    .filter(({ text: line }) => wanted(line));
}
