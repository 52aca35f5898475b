// `node scripts/example-repository.mjs <target>`: copies examples/shop to an empty folder and gives it its git history.
// Authors and dates are fixed, so the commit ids are the same everywhere.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { history } from './example-history.mjs';

const source = fileURLToPath(new URL('../examples/shop/', import.meta.url));

/** Makes the example repository at `target`, which must be empty or not exist, and returns the id of its newest commit. */
export function makeExampleRepository(target) {
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw new Error(`${target} is not empty; the example repository needs an empty folder.`);
  }
  mkdirSync(target, { recursive: true });
  git(target, ['init', '--quiet', '--initial-branch=main']);
  git(target, ['config', 'core.autocrlf', 'false']);
  git(target, ['fast-import', '--quiet'], importStream());
  git(target, ['reset', '--quiet', '--hard']);
  return git(target, ['rev-parse', 'HEAD']);
}

/** The whole history in the form `git fast-import` reads: one process instead of two per commit. */
function importStream() {
  return history
    .map((commit, index) => {
      const { author, date, message } = commit;
      const who = `${author} ${Date.parse(date) / 1000} ${date.slice(-6).replace(':', '')}`;
      const files = filesOf(commit).map((file) => `M 100644 inline ${file}\n${data(contentAt(file, index))}`);
      return `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\n${data(`${message}\n`)}${files.join('')}\n`;
    })
    .join('');
}

const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;

function filesOf({ add = [], before = {} }) {
  return [...add, ...Object.keys(before)];
}

/** The file as it was after the commit with this index: today's text with the changes of all later commits taken back. */
export function contentAt(file, index) {
  let text = readFileSync(path.join(source, file), 'utf8');
  for (const commit of history.slice(index + 1).reverse()) {
    for (const [now, before] of commit.before?.[file] ?? []) text = takeBack(file, text, now, before);
  }
  return text;
}

function takeBack(file, text, now, before) {
  const earlier = text.replace(now, () => before);
  if (earlier === text)
    throw new Error(`The history of the example no longer fits ${file}: ${now} is not in it.`);
  return earlier;
}

function git(directory, args, input = '') {
  const environment = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE']) delete environment[name];
  const result = spawnSync('git', args, { cwd: directory, encoding: 'utf8', env: environment, input });
  if (result.status !== 0)
    throw new Error(`git ${args[0]} failed: ${result.stderr || result.error?.message}`);
  return result.stdout.trim();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const target = process.argv[2];
  if (target === undefined) {
    process.stderr.write('usage: node scripts/example-repository.mjs <empty folder>\n');
    process.exit(2);
  }
  process.stdout.write(`${makeExampleRepository(path.resolve(target))}\n`);
}
