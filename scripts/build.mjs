// Bundles the program into dist/: one entry per public module, lazy chunks for everything imported on demand.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const entries = {
  main: 'src/cli/main.ts',
  context: 'src/context/index.ts',
  skills: 'src/skills/index.ts',
  prompts: 'src/prompts/index.ts',
  plan: 'src/plan/index.ts',
  engine: 'src/engine/index.ts',
};

rmSync(`${root}dist`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(`${root}${file}`))),
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.13',
  packages: 'external',
  chunkNames: 'chunks/[name]-[hash]',
  sourcemap: 'linked',
  define: { __CHARRETTE_VERSION__: JSON.stringify(manifest.version) },
  logLevel: 'warning',
});
