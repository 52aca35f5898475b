// `npm run test:bare [-- --broken fails|garbage|hangs] [--user NAME] [--keep] [TEST…]`: runs `npm start` and `npm test` as a machine with
// only Node, npm and git would: in a fresh clone of HEAD in a private folder, with an empty HOME and an environment of PATH, HOME
// and LANG. The PATH is one folder with links to ordinary programs; `--broken` adds unusable copies of the optional ones.
// The last line counts `npm start` and every test. With names of test files only those run.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { failedTests, readCounts, troubleIn } from './suite-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const minutes = 60_000;

const needed = ['node', 'npm', 'git', 'sh'];
const ordinary =
  'awk base64 basename cat chgrp chmod chown cksum cmp cp cut date dd df diff dirname du echo env expr false find fold grep groups ' +
  'gzip head hostname id install join kill ln ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc npx od paste printenv ' +
  'printf pwd readlink realpath rm rmdir sed seq setpriv sha256sum shuf sleep sort split stat stty sync tac tail tar tee test ' +
  'timeout touch tr true truncate tty uname uniq unlink wc which who whoami xargs yes';
const optional =
  'bash bwrap chrome chromium chromium-browser fish gh google-chrome google-chrome-stable initdb microsoft-edge ' +
  'microsoft-edge-stable pg_ctl postgres pre-commit psql tmux zsh';
/** How a program that is installed can be of no use. */
const standIns = {
  fails: '#!/bin/sh\necho "$0: cannot open shared object file" >&2\nexit 1\n',
  garbage: "#!/bin/sh\nprintf '\\377\\000\\033[2J{]not what you asked for\\n'\n",
  hangs: "#!/bin/sh\ntrap '' HUP INT TERM\nexec sleep 86400\n",
};
/** What npm has to know to reach its registry; its other settings stay with the caller. */
const registrySettings = ['registry', 'cafile', 'strict-ssl', 'proxy', 'https-proxy', 'noproxy'];

/** The private folder; everything is in it, and goes with it. */
let place;
const options = readOptions();
const owner = options.user === undefined ? {} : idsOf(options.user);
// A folder that mkdtemp makes has mode 0700.
place = mkdtempSync(path.join(tmpdir(), 'charrette-bare-'));
const [clone, home, bin] = ['clone', 'home', 'bin'].map((name) => path.join(place, name));
const environment = { PATH: bin, HOME: home, LANG: 'C.UTF-8' };
const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
/** The leader of the process group of the running command. */
let leader;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    if (leader !== undefined) killGroup(leader);
    clearAway();
    process.exit(1);
  });

makeMachine();
if (options.tests.length === 0) await command('npm start', ['start'], 20 * minutes);
await suite('npm test', ['test'], 40 * minutes);
clearAway();
for (const failure of failures) say(`\nFAILED: ${failure}`);
say(`\n${total.skipped} skipped`);
say(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { broken: { type: 'string' }, user: { type: 'string' }, keep: { type: 'boolean' } },
    });
    if (values.broken !== undefined && !Object.hasOwn(standIns, values.broken))
      throw new Error(`--broken is "${values.broken}"; use one of: ${Object.keys(standIns).join(', ')}`);
    if (values.user !== undefined && process.getuid?.() !== 0)
      throw new Error('--user requires root. Run without it to test as the present user.');
    return { ...values, tests: positionals };
  } catch (error) {
    refuse(error.message);
  }
}

function idsOf(user) {
  const id = (flag) => spawnSync('id', [flag, user], { encoding: 'utf8' });
  const [uid, gid] = [id('-u'), id('-g')];
  if (uid.status !== 0) refuse(`No user "${user}" on this machine. List the users with: getent passwd`);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** The folder with programs, the empty HOME with npm's way to its registry, and the clone. */
function makeMachine() {
  mkdirSync(bin);
  for (const name of [...needed, ...ordinary.split(' ')]) {
    const file = locate(name);
    if (file !== undefined) symlinkSync(file, path.join(bin, name));
    else if (needed.includes(name)) refuse(`${name} is not on the PATH. Install it first.`);
  }
  if (options.broken !== undefined)
    for (const name of optional.split(' '))
      writeFileSync(path.join(bin, name), standIns[options.broken], { mode: 0o755 });
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(path.join(home, '.npmrc'), npmSettings(), { mode: 0o600 });
  if (ask('git', ['status', '--porcelain']) !== '') say('Only HEAD is tested: uncommitted changes are not.');
  // Hard links would hand the objects of this repository to the other user.
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone], { stdio: ['ignore', 2, 2] });
  if (owner.uid !== undefined) handOver(place);
  const works = spawnSync(path.join(bin, 'npm'), ['--version'], { cwd: clone, env: environment, ...owner });
  if (works.status !== 0)
    refuse(`User "${options.user}" cannot run npm. Install Node where every user can read it.`);
}

/** Where a program is, apart from what npm puts in front of the PATH of its scripts. */
function locate(name) {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !folder.includes('node_modules'))
    .map((folder) => path.join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** The user's npm configuration, what the environment adds to it, and the packages that npm has downloaded before. */
function npmSettings() {
  const own = ask('npm', ['config', 'get', 'userconfig']);
  const set = registrySettings.map((name) => [name, ask('npm', ['config', 'get', name])]);
  const extra = process.env.NODE_EXTRA_CA_CERTS;
  const lines = set
    .map(([name, value]) => [name, name === 'cafile' && value === 'null' && extra ? extra : value])
    .filter(([, value]) => value !== 'null' && value !== '')
    .map(([name, value]) => `${name}=${value}`);
  const cache = ask('npm', ['config', 'get', 'cache']);
  // Another user cannot read the cache.
  if (owner.uid === undefined) lines.push(`cache=${cache}`);
  else if (existsSync(path.join(cache, '_cacache')))
    cpSync(path.join(cache, '_cacache'), path.join(home, '.npm', '_cacache'), { recursive: true });
  return [existsSync(own) ? readFileSync(own, 'utf8') : '', ...lines, 'prefer-offline=true', ''].join('\n');
}

function ask(program, args) {
  return execFileSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

function handOver(file) {
  lchownSync(file, owner.uid, owner.gid);
  for (const entry of readdirSync(file, { withFileTypes: true })) {
    const inside = path.join(file, entry.name);
    if (entry.isDirectory()) handOver(inside);
    else lchownSync(inside, owner.uid, owner.gid);
  }
}

async function command(title, args, limit) {
  const { status, note, output } = await run(title, args, limit);
  total[status === 0 ? 'passed' : 'failed'] += 1;
  if (status !== 0) failures.push(`${title} (${note})\n${troubleIn(output)}`);
  say(`${status === 0 ? 'ok' : 'FAILED'}: ${title} (${note})`);
}

async function suite(title, args, limit) {
  const report = path.join(place, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const words = [...args, '--', ...reporters, ...options.tests];
  let { status, note, output } = await run(title, words, limit);
  let counts = readCounts(report);
  if (status !== 0 && counts?.numFailedTests === 0) {
    // No test failed: a test runner's own process ended or never answered. One more try, and it is reported.
    say(`\nUNSTABLE, run again: ${title} (${note})\n${troubleIn(output)}`);
    ({ status, note, output } = await run(`${title}, again`, words, limit));
    counts = readCounts(report);
  }
  total.passed += counts?.numPassedTests ?? 0;
  total.failed += counts?.numFailedTests ?? 0;
  total.skipped += counts?.numPendingTests ?? 0;
  failures.push(...failedTests(counts, clone));
  if (counts === undefined || (status !== 0 && counts.numFailedTests === 0)) {
    total.failed += 1;
    failures.push(`${title} (${note})\n${troubleIn(output)}`);
  }
  say(`${status === 0 ? 'ok' : 'FAILED'}: ${title} (${note})`);
}

/** Runs npm in the clone, with all that it starts in one process group, which ends with it. */
async function run(title, args, limit) {
  say(`\n== ${title} …`);
  const started = Date.now();
  const child = spawn(path.join(bin, 'npm'), args, {
    cwd: clone,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...owner,
  });
  leader = child.pid;
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      process.stdout.write(text);
    });
  const timer = setTimeout(() => killGroup(child.pid), limit);
  const [status, signal] = await once(child, 'exit');
  clearTimeout(timer);
  killGroup(child.pid);
  leader = undefined;
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  return { status, note: `exit ${status ?? signal} after ${seconds}s`, output };
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

function clearAway() {
  if (options.keep) say(`\nKept: ${place}`);
  else rmSync(place, { recursive: true, force: true });
}

function refuse(reason) {
  process.stderr.write(`${reason}\n`);
  if (place !== undefined) rmSync(place, { recursive: true, force: true });
  process.exit(2);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
