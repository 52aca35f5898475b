// `npm start [-- flags of design]`: designs a feature for the example shop, without any model unless one is named, and
// prints the plan. The shop is made anew each time in .cache/demo.
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
say(`Example repository: ${shop}`);

const chosen = flags.some((flag) => flag === '--agents' || flag.startsWith('--agents='));
if (!chosen) sayWhichAgents();
const design = ['design', ...(chosen ? [] : ['--agents', 'static']), '--auto', '--yes', ...flags, feature];
say(`\n$ charrette ${design.map((word) => (word.includes(' ') ? JSON.stringify(word) : word)).join(' ')}\n`);
const designed = charrette(design, ['inherit', 'ignore', 'inherit']);
if (designed.status !== 0 && designed.status !== 6) {
  process.exitCode = designed.status ?? 1;
} else {
  showPlan();
}

/** Says what is installed; the demo itself never spends anything unasked. */
function sayWhichAgents() {
  const { stdout } = charrette(['doctor', '--json'], ['ignore', 'pipe', 'inherit']);
  const { agents } = JSON.parse(stdout);
  const found = agents.map(({ id }) => id).filter((id) => id !== 'static');
  say(
    found.length === 0
      ? 'No coding agent was found: the built-in static agent designs by rules, without a model.'
      : `Agents found: ${found.join(', ')}. The demo costs nothing and uses the built-in static agent; ` +
          `to use yours: npm start -- --agents ${found.slice(0, 3).join(',')}`,
  );
}

function showPlan() {
  const { stdout: plan } = charrette(
    ['show', 'latest', '--artifact', 'plan.txt'],
    ['ignore', 'pipe', 'inherit'],
  );
  const { directory, artifacts, status } = JSON.parse(
    charrette(['show', 'latest', '--json'], ['ignore', 'pipe', 'inherit']).stdout,
  );
  say('\n' + '═'.repeat(80));
  process.stdout.write(plan);
  say('═'.repeat(80));
  say(`\nThe run ended as: ${status}`);
  say(`The plan:        ${path.join(directory, 'artifacts', 'plan.txt')}`);
  say(`Everything else: ${artifacts.map(({ name }) => name).join(', ')}`);
  say(
    `Look around:     cd ${path.relative(process.cwd(), shop) || '.'} && ${path.join(root, 'bin', 'charrette')} show`,
  );
  say('Your own:        cd <a repository> && charrette design "<a feature>"');
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
