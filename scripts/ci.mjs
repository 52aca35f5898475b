// Runs every suite that must hold before a change lands and ends with one line of counts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'charrette-ci-'));
let passed = 0;
let failed = 0;
let skipped = 0;

/** A check that either holds or not. */
function check(title, command, args) {
  process.stdout.write(`\n== ${title}\n`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status === 0) passed += 1;
  else failed += 1;
}

/** A suite of tests whose counts are added up. */
function suite(title, args) {
  process.stdout.write(`\n== ${title}\n`);
  const report = path.join(folder, `${title.replaceAll(/\W+/g, '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync('npm', [...args, '--', ...reporters], { cwd: root, stdio: 'inherit' });
  try {
    const counts = JSON.parse(readFileSync(report, 'utf8'));
    passed += counts.numPassedTests;
    failed += counts.numFailedTests;
    skipped += counts.numPendingTests;
    if (status !== 0 && counts.numFailedTests === 0) failed += 1;
  } catch {
    failed += 1;
  }
}

check('set-up', 'npm', ['run', 'setup']);
check('machine', 'bash', ['scripts/ci-machine.sh']);
check('types, lint, unused code', 'npm', ['run', 'check']);
suite('npm test', ['test']);
suite('slow suites', ['run', 'test:slow']);
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exitCode = failed === 0 ? 0 : 1;
