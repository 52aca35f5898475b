import { outline, sectionBody } from '../../../base/markdown/sections.ts';
import { oneLine } from './history.ts';

/** What an implementer reports about a task. */
export type TaskReport = {
  filesChanged: readonly string[];
  decisions: string;
  deviations: string;
  concerns: string;
  /** T-071: no list of files was found, so the entry is partial. */
  partial: boolean;
};

const headings = {
  files: /^files?\s+(?:changed|modified|created)/i,
  decisions: /^(?:key\s+)?decisions?/i,
  deviations: /^deviations?/i,
  concerns: /^(?:concerns?|issues?|risks?)/i,
} as const;

/** T-069: reads the report whatever it wraps its headings in: `## Files changed`, `**Files Changed:**`, `files changed: a, b`. */
export function readTaskReport(text: string): TaskReport {
  const bounded = text.slice(0, 400_000);
  const files = fieldOf(bounded, headings.files);
  const filesChanged = safePaths(pathsIn(files ?? ''));
  return {
    filesChanged,
    decisions: fieldText(bounded, headings.decisions),
    deviations: fieldText(bounded, headings.deviations),
    concerns: fieldText(bounded, headings.concerns),
    partial: filesChanged.length === 0,
  };
}

function fieldText(text: string, heading: RegExp): string {
  const value = oneLine((fieldOf(text, heading) ?? '').replace(/^[ \t]*[-*][ \t]+/gm, ''));
  return value === '' ? 'none' : value;
}

/** A section of that name, else a line that begins with it and what follows up to the next such line. */
function fieldOf(text: string, heading: RegExp): string | undefined {
  const section = outline(text).find(({ title }) => heading.test(title.replace(/[*_`]/g, '').trim()));
  if (section !== undefined) return sectionBody(text, section).trim();
  const lines = text.split('\n');
  const start = lines.findIndex((line) => heading.test(bareLine(line)));
  if (start < 0) return undefined;
  const first = bareLine(lines[start] ?? '').replace(/^[^:]*:?\s*/, '');
  const all = Object.values(headings);
  const end = lines.findIndex(
    (line, index) => index > start && all.some((pattern) => pattern.test(bareLine(line))),
  );
  return [first, ...lines.slice(start + 1, end < 0 ? undefined : end)].join('\n').trim();
}

function bareLine(line: string): string {
  return line.replace(/^[\s>#*_-]+/, '').replace(/[*_`]/g, '');
}

function pathsIn(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((piece) => /^[\s\-*`]*([^\s`()]+)/.exec(piece)?.[1] ?? '')
    .filter((path) => /[./]/.test(path) && !/^none\.?$/i.test(path));
}

/** T-072: untrusted paths without those that could be outside the repository. */
export function safePaths(paths: readonly string[]): string[] {
  const safe = paths.filter(
    (path) =>
      path !== '' &&
      !path.startsWith('/') &&
      !/\.\.|%2e|\0|\\|^~|^[a-z]:/i.test(path) &&
      path.length <= 1_000,
  );
  return [...new Set(safe)];
}

export const implementationLogHeader = '# Implementation Log\n';

/** T-070. */
export function renderLogEntry(number: string, title: string, report: TaskReport): string {
  return [
    `## Task ${oneLine(number)}: ${oneLine(title)}`,
    `- **Files changed:** ${report.filesChanged.map(oneLine).join(', ') || 'none'}`,
    `- **Decisions:** ${report.decisions}`,
    `- **Deviations:** ${report.deviations}`,
    `- **Concerns:** ${report.concerns}`,
    '',
  ].join('\n');
}

/** T-072: every changed file that a log names. */
export function filesInLog(log: string): string[] {
  const lines = log.slice(0, 4_000_000).match(/^- \*\*Files changed:\*\* .*$/gm) ?? [];
  return safePaths(lines.flatMap((line) => pathsIn(line.replace(/^- \*\*Files changed:\*\* /, ''))));
}
