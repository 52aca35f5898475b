import { fenceInfo, markdownLines } from '../base/text/markdown-lines.ts';

/** A line of a shell command and where it stands. */
export type ShellPlaceholder = { line: number; text: string };

/** T-145: a `{placeholder}` in a shell command that somebody is going to run. */
export function findShellPlaceholders(tasks: string): ShellPlaceholder[] {
  const findings: ShellPlaceholder[] = [];
  let shell = false;
  for (const line of markdownLines(tasks)) {
    if (line.kind === 'fence-open') shell = /^(?:sh|bash|shell|zsh|console)\b/i.test(fenceInfo(tasks, line));
    if (line.kind !== 'code' || !shell) continue;
    const text = tasks.slice(line.start, Math.min(line.end, line.start + 2_000));
    if (/(?<!\$)\{[a-z][\w -]*\}/i.test(text)) findings.push({ line: line.number, text: text.trim() });
  }
  return findings;
}
