// `npm start [-- flags of design]`: designs a feature for the example shop, without any model unless one is named, and
// prints the plan. The shop is created again each time in .cache/demo.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeExampleRepository } from './example-repository.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const shop = path.join(root, '.cache', 'demo', 'shop');
const feature = 'let customers cancel an order before it is shipped';
const flags = process.argv.slice(2);

rmSync(shop, { recursive: true, force: true });
makeExampleRepository(shop);

const chosen = flags.some((flag) => flag === '--agents' || flag.startsWith('--agents='));
if (!chosen) sayWhichAgents();
const design = ['design', ...(chosen ? [] : ['--agents', 'static']), '--auto', '--yes', ...flags, feature];
say(`$ charrette ${design.map((word) => (word.includes(' ') ? JSON.stringify(word) : word)).join(' ')}`);
// On a terminal the design ends with a summary; elsewhere the plan is printed unchanged.
const seen = process.stdout.isTTY === true;
const designed = charrette(design, ['inherit', seen ? 'inherit' : 'ignore', 'inherit']);
if (designed.status !== 0 && designed.status !== 6) {
  process.exitCode = designed.status ?? 1;
} else {
  if (!seen) printPlan();
  sayWhatIsNext();
}

/** Says what is installed; the demo itself never spends anything unasked. */
function sayWhichAgents() {
  const { stdout } = charrette(['doctor', '--json'], ['ignore', 'pipe', 'inherit']);
  const { agents } = JSON.parse(stdout);
  const found = agents.map(({ id }) => id).filter((id) => id !== 'static');
  say(
    found.length === 0
      ? 'No coding agent found: the built-in scout searches the repository.'
      : `Agents found: ${found.join(', ')}. The demo costs nothing and uses the built-in scout; ` +
          `to use yours: npm start -- --agents ${found.slice(0, 3).join(',')}`,
  );
}

function printPlan() {
  const { stdout } = charrette(['show', 'latest', '--artifact', 'plan.txt'], ['ignore', 'pipe', 'inherit']);
  say(`\n${stdout}`);
}

function sayWhatIsNext() {
  const here = (place) => path.relative(process.cwd(), place) || '.';
  const program = path.relative(shop, path.join(root, 'bin', 'charrette'));
  say(`Try it: cd ${here(shop)} && ${program} serve`);
  say(`In your own repository: ${path.join(root, 'bin', 'charrette')}`);
}

function charrette(args, stdio) {
  return spawnSync(process.execPath, [path.join(root, 'bin', 'charrette'), ...args], {
    cwd: shop,
    stdio,
    encoding: 'utf8',
  });
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
