// Bundles the program into dist/: one entry per public module with its declarations, lazy chunks for everything imported
// on demand, the web page, and three parts that are kept between builds because they take seconds to make.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildBoard, buildPage } from './build-page.mjs';
import { copyLicences, requireBuiltins } from './bundled-packages.mjs';
import { buildCommandLine, bundlePackages, commandEntries } from './quick-start.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
/** Everything else that the program imports is inside its bundles, so that a user installs few packages. */
const installedPackages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
const cache = `${root}node_modules/.cache/charrette`;
const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.13',
  logLevel: 'warning',
};

rmSync(`${root}dist`, { recursive: true, force: true });
mkdirSync(cache, { recursive: true });
await told('program', bundleProgram());
await Promise.all([
  told('declarations', declareTypes()),
  told('page', buildPage(`${root}dist/web`)),
  told('diagram parser', addMermaidParser()),
  told('store template', addStoreTemplate()),
]);
await told('drawing board', addBoard());

/** Shows progress on a terminal. */
async function told(part, made) {
  await made;
  if (process.stderr.isTTY) process.stderr.write(`  ${part}\n`);
}

async function bundleProgram() {
  const options = {
    ...common,
    external: installedPackages,
    minifyWhitespace: true,
    // A CommonJS package that is imported on demand would come without its named exports.
    mainFields: ['module', 'main'],
    sourcemap: 'linked',
    sourcesContent: false,
    define: { __CHARRETTE_VERSION__: JSON.stringify(manifest.version) },
  };
  const { metafile } = await build({
    ...options,
    metafile: true,
    entryPoints: {
      index: 'src/service/index.ts',
      context: 'src/prompts/context/index.ts',
      skills: 'src/skills/index.ts',
      prompts: 'src/prompts/index.ts',
      plan: 'src/plan/index.ts',
      engine: 'src/engine/index.ts',
      agents: 'src/agents/index.ts',
      council: 'src/council/index.ts',
      'script-program': 'src/repo/index/script-program.ts',
      'inspect-program': 'src/workflows/script/inspect-program.ts',
      'heartbeat-thread': 'src/engine/queue/heartbeat-thread.ts',
      ...commandEntries,
    },
    outdir: 'dist',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [bundlePackages],
  });
  requireBuiltins(root, metafile);
  // One file without packages: the process that runs a workflow file may read nothing else.
  const host = await build({
    ...options,
    metafile: true,
    entryPoints: { 'host-program': 'src/workflows/script/host-program.ts' },
    external: [],
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
  });
  const quick = await buildCommandLine(options);
  copyLicences(root, [...Object.keys(metafile.inputs), ...Object.keys(host.metafile.inputs), ...quick]);
}

async function declareTypes() {
  await run(`${root}node_modules/typescript/bin/tsc`, ['-p', `${root}tsconfig.build.json`]);
}

/** The diagram parser is a browser library of many megabytes; bundled, only the part that parses is shipped. */
async function addMermaidParser() {
  const source = 'src/plan/mermaid-program.ts';
  const kept = `${cache}/mermaid-${digest(readFileSync(`${root}${source}`), manifest.devDependencies.mermaid)}`;
  await keep(kept, (making) =>
    build({
      ...common,
      entryPoints: { 'mermaid-program': source },
      outdir: making,
      splitting: true,
      minify: true,
      legalComments: 'none',
      chunkNames: 'mermaid/[name]-[hash]',
    }),
  );
  cpSync(kept, `${root}dist`, { recursive: true });
}

/** The drawing board of the page: mermaid again, this time the part that draws. */
async function addBoard() {
  const sources = ['web/src/board.ts', 'scripts/build-page.mjs'].map((file) =>
    readFileSync(`${root}${file}`),
  );
  const kept = `${cache}/board-${digest(...sources, manifest.devDependencies.mermaid)}`;
  await keep(kept, buildBoard);
  cpSync(kept, `${root}dist/web`, { recursive: true });
}

/** The prepared data directory depends on the two packages that make it and on the script that asks them to. */
async function addStoreTemplate() {
  const versions = ['@dbos-inc/dbos-sdk', '@electric-sql/pglite'].map((name) => manifest.dependencies[name]);
  const script = `${root}scripts/store-template.mjs`;
  const kept = `${cache}/store-template-${digest(readFileSync(script), ...versions)}.tar.gz`;
  await keep(kept, (making) => run(script, [making]));
  copyFileSync(kept, `${root}dist/store-template.tar.gz`);
}

/** Makes a part once. It appears whole or not at all, also when two builds make it at the same time. */
async function keep(kept, make) {
  if (existsSync(kept)) return;
  const making = `${kept}.${process.pid}.new`;
  await make(making);
  try {
    renameSync(making, kept);
  } catch (error) {
    // Another build was faster; its part is as good.
    if (!existsSync(kept)) throw error;
    rmSync(making, { recursive: true, force: true });
  }
}

async function run(script, args) {
  const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: ['ignore', 2, 2] });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`${script} ended with ${status}`);
}

function digest(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
}
