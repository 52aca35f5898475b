// `npm run docs`: writes docs/troubleshooting.md from src/error-table.ts. A test fails when the two differ.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ErrorCode, errorTable } from '../src/error-table.ts';

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

/** What usually helps, where the message alone does not say it all. */
const remedies: Partial<Record<ErrorCode, string>> = {
  internal:
    'Run the command again with `--verbose` for the stack and report it; `charrette resume` goes on with a run.',
  'config-invalid':
    'The message names file, line and key; `charrette config --schema` prints what is allowed.',
  'node-too-old': 'Install Node.js 22.13 or newer. In a checkout `npm run setup` brings one.',
  'timed-out': 'Nothing is lost: `charrette resume` goes on. Give `--timeout` more seconds, or leave it out.',
  'agent-not-found': '`charrette doctor` lists what was found; `--agents static` works without any agent.',
  'permission-denied': 'Runs are kept below `.charrette/` in the project; that folder must be writable.',
  'dirty-tree': 'Commit or stash the changes, or use `--no-branch` to take the tree as it is.',
  'disk-full': 'Make room, then `charrette resume`. `charrette runs prune --keep 20` removes old runs.',
  'store-corrupt':
    'Run the same command again: a new store is made and `charrette resume` rebuilds the run from its folder.',
  'store-unreachable': 'Check `CHARRETTE_DATABASE_URL`; without it the embedded store is used.',
  'code-version-gone': '`charrette design --from-run RUN "…"` starts anew and takes over finished answers.',
  'budget-used-up': 'Raise `--max-tokens` or `--max-usd`, then `charrette resume`.',
  'too-few-sketches':
    '`charrette show` lists each lane with its failure; `charrette doctor --probe` tests the agents.',
  'author-failed': '`charrette show` lists each attempt; choose another author with `--author`.',
  'json-invalid':
    'The message names the file. A broken `run.json` can be restored from a backup or removed with `runs rm`.',
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
      .map(
        ([code, { meaning }]) =>
          `- **\`${code}\`** ${meaning}${code in remedies ? ` ${remedies[code]}` : ''}`,
      ),
    '',
  ]);
  return [
    '# Troubleshooting',
    '',
    'Every error has a code that never changes, printed in brackets at the end of the message and as `error.code` with',
    '`--json`. The line `fix:` below a message is about your case; this page is about the code. It is made from',
    '`src/error-table.ts` by `npm run docs`.',
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
  writeFileSync(path.resolve(import.meta.dirname, '..', 'docs', 'troubleshooting.md'), troubleshootingPage());
}
