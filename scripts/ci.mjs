// Runs every suite that must hold before a change lands. The last line is the count of everything that was checked.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = mkdtempSync(path.join(tmpdir(), 'charrette-ci-'));
const minutes = 60_000;
const total = { passed: 0, failed: 0, skipped: 0 };
/** What failed, told again at the end: the output of a suite is long. */
const failures = [];

/** A command that either holds or not. */
function check(title, command, args) {
  const { status, note } = run(title, command, args, 10 * minutes);
  total[status === 0 ? 'passed' : 'failed'] += 1;
  if (status !== 0) failures.push(`${title} (${note})`);
  say(status === 0 ? `ok: ${title}` : `FAILED: ${title} (${note})`);
}

/** A suite of tests whose counts are added up; one that ends without counts is one failure. */
function suite(title, args, limit) {
  const report = path.join(reports, `${title.replaceAll(/\W+/g, '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const separator = args.includes('--') ? [] : ['--'];
  const { status, note } = run(title, 'npm', [...args, ...separator, ...reporters], limit);
  const counts = readCounts(report);
  total.passed += counts?.numPassedTests ?? 0;
  total.failed += counts?.numFailedTests ?? 0;
  total.skipped += (counts?.numPendingTests ?? 0) + (counts?.numTodoTests ?? 0);
  failures.push(...failedTests(counts));
  if (counts === undefined || (status !== 0 && counts.numFailedTests === 0)) {
    total.failed += 1;
    failures.push(`${title} (${note})`);
  }
  say(
    counts === undefined
      ? `FAILED: ${title} gave no counts (${note})`
      : `${title}: ${counts.numPassedTests} passed, ${counts.numFailedTests} failed (${note})`,
  );
}

function run(title, command, args, limit) {
  say(`\n== ${title}`);
  const started = Date.now();
  const { status, signal, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: limit,
    killSignal: 'SIGKILL',
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  return { status, note: `exit ${status ?? signal ?? error?.message} after ${seconds}s` };
}

function readCounts(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Every test that failed, with the beginning of its message. */
function failedTests(counts) {
  return (counts?.testResults ?? []).flatMap(({ name, assertionResults, message }) => {
    const file = path.relative(root, name);
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && message) return [`${file}\n${beginning(message)}`];
    return failed.map((test) => `${file} > ${test.fullName}\n${beginning(test.failureMessages.join('\n'))}`);
  });
}

function beginning(text) {
  const lines = text.slice(0, 2000).split('\n').slice(0, 20);
  return lines.map((line) => `    ${line}`).join('\n');
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

// What the operating system lacks is brought where possible; tests that need it say so when it is not there.
run('machine', 'bash', ['scripts/ci-machine.sh'], 5 * minutes);
check('set-up', 'npm', ['run', 'setup']);
check('types, lint, unused code, package', 'npm', ['run', 'check']);
check('bill of materials, known vulnerabilities', 'npm', ['run', 'sbom']);
check('demo', 'npm', ['start']);
suite('npm test', ['test'], 20 * minutes);
suite('whole workflows', ['run', 'test:whole'], 20 * minutes);
const seed = String(Date.now() % 100_000);
check('kills at 16 seeded writes of every workflow', 'npm', [
  'run',
  'prove',
  '--',
  '--points',
  '16',
  '--seed',
  seed,
]);
check('300 texts for every reader, at most 90 s', 'npm', [
  'run',
  'fuzz',
  '--',
  '--seconds',
  '90',
  '--texts',
  '300',
]);
check('2 minutes of a long life: nothing grows', 'npm', ['run', 'soak', '--', '--minutes', '2']);
suite('slow suites', ['run', 'test:slow'], 50 * minutes);
rmSync(reports, { recursive: true, force: true });
for (const failure of failures) say(`\nFAILED: ${failure}`);
say(`\n${total.skipped} skipped`);
say(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
