// Brings a checkout into a usable state: dependencies installed, program built. Does nothing when nothing changed.
// It runs on the machine's own Node, which may be older than the one the program needs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const installStamp = path.join(root, 'node_modules', '.charrette-install');
const buildStamp = path.join(root, 'dist', '.stamp');
/** Leads to the number of the process that is at it. */
const lockFile = path.join(root, '.setup-lock');
/** What the build reads; a change in any of it triggers a build. */
const buildInputs = [
  'src',
  'web',
  'scripts/build.mjs',
  'scripts/build-page.mjs',
  'scripts/bundled-packages.mjs',
  'scripts/quick-start.mjs',
  'scripts/store-template.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
];
export const currentNode = path.join(root, 'node_modules', 'node', 'bin', 'node');

/** `built: false` for what reads only the sources. */
export function setUp({ built = true } = {}) {
  const isReady = () => isInstalled() && (!built || isBuilt());
  if (isReady()) return;
  takeLock();
  try {
    // Whoever had the lock before may have done it.
    if (!isInstalled()) {
      const versions = hashFiles(['package-lock.json']);
      installDependencies();
      writeFileSync(installStamp, versions);
    }
    if (built && !isBuilt()) {
      const sources = hashTree(buildInputs);
      process.stderr.write('Building …\n');
      run(currentNode, ['scripts/build.mjs'], 'Building');
      writeFileSync(buildStamp, sources);
    }
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function isInstalled() {
  return readStamp(installStamp) === hashFiles(['package-lock.json']) && existsSync(currentNode);
}

function isBuilt() {
  return readStamp(buildStamp) === hashTree(buildInputs) && existsSync(path.join(root, 'dist', 'main.js'));
}

/** One command at a time: a second one waits, unless the first was killed. */
function takeLock() {
  for (let told = false; ; sleep(200)) {
    try {
      // A link is there at once with what it says.
      symlinkSync(String(process.pid), lockFile);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isGone(lockFile)) rmSync(lockFile, { force: true });
    else if (!told) process.stderr.write('Another command sets this checkout up; waiting for it …\n');
    told = true;
  }
}

function isGone(lock) {
  try {
    process.kill(Number(readlinkSync(lock)), 0);
    return false;
  } catch (error) {
    // Without the link the next try takes the lock.
    return error.code === 'ESRCH';
  }
}

function sleep(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/**
 * `npm ci` refuses a lock file that lacks packages of foreign platforms, which is what a registry without them leads to.
 * `npm install` takes the same versions from the same file and does not mind; nothing is written but node_modules.
 */
function installDependencies() {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  process.stderr.write('Installing dependencies; the first time this takes a minute or two …\n');
  const started = Date.now();
  const strict = spawnSync('npm', ['ci', ...quiet], { cwd: root, stdio: ['ignore', 'ignore', 'ignore'] });
  if (strict.status === 0) done('Installing dependencies', started);
  else run('npm', ['install', '--no-save', ...quiet], 'Installing dependencies', started);
}

function run(program, args, title, started = Date.now()) {
  const result = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.status !== 0) {
    process.stderr.write(
      `${title} failed: ${program} ${args.join(' ')} ended with ${result.status ?? result.signal}\n`,
    );
    process.exit(1);
  }
  done(title, started);
}

function done(title, started) {
  process.stderr.write(`${title}: done in ${((Date.now() - started) / 1000).toFixed(1)}s\n`);
}

function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function hashFiles(files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

function hashTree(entries) {
  return hashFiles(entries.flatMap((entry) => filesBelow(entry)).sort());
}

function filesBelow(entry) {
  const absolute = path.join(root, entry);
  if (!existsSync(absolute)) return [];
  if (statSync(absolute).isFile()) return [entry];
  return readdirSync(absolute, { recursive: true })
    .map((name) => path.join(entry, String(name)))
    .filter((name) => !name.includes('.test.') && statSync(path.join(root, name)).isFile());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) setUp();
