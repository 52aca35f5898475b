// The same reviewer's prompt put together by Charrette and by other prompt libraries, in one run:
// `node bench/peers/prompts.ts [folder for the installation]` after a build.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { calibrate, calibrationLine, table } from '../calibration.ts';

type Measured = {
  loadMs: number;
  medianMs: number;
  bytes: number;
  unchanged: boolean;
  closings: number;
  rss: number;
};

const here = import.meta.dirname;
const root = path.join(here, '..', '..');
const installation = path.resolve(process.argv[2] ?? path.join(root, '.cache', 'peers-prompts'));
const libraries = {
  Charrette: 'charrette.mjs',
  'LangChain templates': 'langchain.mjs',
  'prompt-tsx': 'prompt-tsx.mjs',
  Dotprompt: 'dotprompt.mjs',
  PromptL: 'promptl.mjs',
};

install();
process.stdout.write(`${calibrationLine(calibrate())}\n`);
const measured = Object.entries(libraries).map(([title, file]) => ({ title, ...measure(file) }));
const row = (name: string, cell: (value: Measured) => string) => [name, ...measured.map(cell)];
process.stdout.write(
  `${table([
    ['', ...measured.map(({ title }) => title)],
    row('put one prompt together, median', ({ medianMs }) => `${(medianMs * 1000).toFixed(1)} µs`),
    row('load the library and the first prompt', ({ loadMs }) => `${loadMs.toFixed(0)} ms`),
    row('memory at its peak', ({ rss }) => `${(rss / 1e6).toFixed(0)} MB`),
    row('documents arrive to the byte', ({ unchanged }) => (unchanged ? 'yes' : 'no')),
    row('a document that quotes its closing mark ends there', ({ closings }) =>
      closings === 1 ? 'no' : 'yes',
    ),
    row('bytes of the prompt', ({ bytes }) => String(bytes)),
  ])}\n`,
);

function install(): void {
  mkdirSync(installation, { recursive: true });
  cpSync(path.join(here, 'prompts'), installation, { recursive: true });
  if (existsSync(path.join(installation, 'node_modules'))) return;
  process.stdout.write('Installing the other libraries …\n');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  execFileSync('npm', args, { cwd: installation, stdio: 'inherit' });
}

function measure(file: string): Measured {
  const args = [path.join(installation, 'measure.mjs'), `./${file}`];
  const env = { ...process.env, CHARRETTE_DIST: path.join(root, 'dist') };
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env })) as Measured;
}
