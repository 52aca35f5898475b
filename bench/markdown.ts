import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';

/** When, which commit, which machine, and how busy it was when the measurement began. */
export function machineLine(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  }).trim();
  const [processor] = cpus();
  const busy = (loadavg()[0] ?? 0).toFixed(1);
  return `${new Date().toISOString().slice(0, 16)}Z · ${commit} · ${cpus().length} × ${processor?.model ?? 'processor'} · load ${busy} at the start`;
}

/** Rows as a Markdown table with aligned columns, ready for a page. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
