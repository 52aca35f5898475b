// Bundles the program into dist/: one entry per public module, lazy chunks for everything imported on demand.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildCommandLine, bundlePackages, commandEntries } from './quick-start.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const entries = {
  context: 'src/context/index.ts',
  skills: 'src/skills/index.ts',
  prompts: 'src/prompts/index.ts',
  plan: 'src/plan/index.ts',
  engine: 'src/engine/index.ts',
};

rmSync(`${root}dist`, { recursive: true, force: true });
const options = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.13',
  packages: 'external',
  sourcemap: 'linked',
  define: { __CHARRETTE_VERSION__: JSON.stringify(manifest.version) },
  logLevel: 'warning',
};
await build({
  ...options,
  entryPoints: {
    ...Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(`${root}${file}`))),
    ...commandEntries,
  },
  outdir: 'dist',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  plugins: [bundlePackages],
});
await buildCommandLine(options);

// The store's template depends only on the two packages that make it, so it outlives builds.
const versions = ['@dbos-inc/dbos-sdk', '@electric-sql/pglite']
  .map((name) => manifest.dependencies[name])
  .join('-');
const kept = `${root}node_modules/.cache/charrette/store-template-${versions}.tar.gz`;
if (!existsSync(kept)) {
  mkdirSync(`${root}node_modules/.cache/charrette`, { recursive: true });
  const made = spawnSync(process.execPath, [`${root}scripts/store-template.mjs`, kept], {
    stdio: ['ignore', 2, 2],
  });
  if (made.status !== 0) process.exit(1);
}
copyFileSync(kept, `${root}dist/store-template.tar.gz`);
