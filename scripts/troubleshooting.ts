// `npm run docs`: writes docs/reference/errors.md from src/base/error-table.ts. A test fails when the two differ.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ErrorCode, errorTable } from '../src/base/error-table.ts';

const meanings: Record<number, string> = {
  1: 'failed',
  2: 'wrong usage or configuration',
  3: 'timed out',
  4: 'not found',
  5: 'denied',
  6: 'finished but not accepted',
  7: 'paused',
  8: 'drift',
};

/** The page, one section per exit code. */
export function troubleshootingPage(): string {
  const entries = Object.entries(errorTable) as [ErrorCode, (typeof errorTable)[ErrorCode]][];
  const exits = [...new Set(entries.map(([, { exit }]) => exit))].sort((a, b) => a - b);
  const sections = exits.flatMap((exit) => [
    `## Exit ${exit}: ${meanings[exit] ?? 'other'}`,
    '',
    ...entries
      .filter(([, row]) => row.exit === exit)
      .map(([code, { meaning, fix }]) => `- **\`${code}\`** ${meaning} ${fix}`),
    '',
  ]);
  return [
    '# Troubleshooting',
    '',
    'Every error has a code that never changes, printed in brackets at the end of the message and as `error.code` with',
    '`--json`. The line `fix:` below a message is about your case where the program knows it; this page has what usually helps. It',
    'is made from `src/base/error-table.ts` by `npm run docs`.',
    '',
    ...sections,
    '## Stopped by a signal',
    '',
    'Exit 130 (Ctrl-C) and 143 (SIGTERM, SIGHUP): the run was saved; `charrette resume` goes on. A second signal ends the',
    'program at once, which loses no more than the calls that were under way.',
    '',
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(
    path.resolve(import.meta.dirname, '..', 'docs', 'reference', 'errors.md'),
    troubleshootingPage(),
  );
}
