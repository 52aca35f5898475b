// Builds the web page into a folder: one script, one style sheet, the worker that tabs share, the drawing board with
// mermaid, a font. File names carry no hashes: `charrette report` puts the same files into one.
import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/** The page itself. */
export async function buildPage(folder) {
  mkdirSync(folder, { recursive: true });
  await script('main.tsx', 'app', folder);
  await script('stream-worker.ts', 'stream', folder);
  for (const name of ['index.html', 'board.html', 'icon.svg', 'font.css'])
    copyFileSync(path.join(root, 'web', name), path.join(folder, name));
  const inter = path.dirname(require.resolve('@fontsource-variable/inter/package.json'));
  copyFileSync(path.join(inter, 'files', 'inter-latin-wght-normal.woff2'), path.join(folder, 'inter.woff2'));
  copyFileSync(path.join(inter, 'LICENSE'), path.join(folder, 'inter-license.txt'));
}

async function script(entry, name, folder) {
  await build({
    configFile: false,
    root: path.join(root, 'web'),
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2023',
      reportCompressedSize: false,
      // Plugin timings do not matter to a user who sets up a checkout.
      rolldownOptions: { checks: { pluginTimings: false, bundlerTimings: false } },
      lib: {
        entry: path.join(root, 'web', 'src', entry),
        formats: ['es'],
        fileName: () => `${name}.js`,
        cssFileName: name,
      },
    },
  });
}

/** The drawing board: mermaid as one classic script, since a frame without origin may load no modules. */
export async function buildBoard(folder) {
  mkdirSync(folder, { recursive: true });
  await bundle({
    absWorkingDir: root,
    entryPoints: { board: 'web/src/board.ts' },
    outdir: folder,
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [leaveOut],
  });
}

/** Half of mermaid is a second layout engine and mathematics; the board draws without them. */
const leaveOut = {
  name: 'leave-out',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:elkjs|katex)(?:\/|$)/ }, ({ path: name }) => ({
      path: name,
      namespace: 'left-out',
    }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'export default undefined;' }));
  },
};
