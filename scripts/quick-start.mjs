// What makes commands start quickly. Loading a file costs more than running it, so the way to a command is few files:
// dist/main.js, dist/program.js, and the command; packages that nearly every command needs are inside them.
// Measured by bench/context.ts.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Package → the file to bundle. The other build of yaml is seventy files of CommonJS. */
const packages = {
  commander: fileURLToPath(import.meta.resolve('commander')),
  yaml: fileURLToPath(new URL('../browser/dist/index.js', import.meta.resolve('yaml'))),
};

/** Commands that are one file, `dist/quick/<name>.js`; the others share chunks, `dist/commands/<name>.js`. */
const quickCommands = ['context'];

/** What quick commands import on demand: `dist/late/<name>.js`. */
const late = {
  yaml: packages.yaml,
  'for-prompt': 'src/prompts/context/for-prompt.ts',
  tokens: 'src/base/text/tokens.ts',
};

/** Name → source of everything that the table of commands imports on demand. */
const commandFiles = new Map(
  [...readFileSync(`${root}src/main/commands.ts`, 'utf8').matchAll(/import\('([^']+)\.ts'\)/g)].map(
    ([, place]) => [path.basename(place), path.join('src/main', `${place}.ts`)],
  ),
);

/** Entries of the main build, in addition to the public modules. */
export const commandEntries = {
  ...Object.fromEntries(
    [...commandFiles]
      .filter(([name]) => !quickCommands.includes(name))
      .map(([name, file]) => [`commands/${name}`, file]),
  ),
  ...Object.fromEntries(Object.entries(late).map(([name, file]) => [`late/${name}`, file])),
};

/**
 * Importing a builtin as a module makes Node build a facade of all its exports, which takes up to 8 ms. Here only the
 * exports in use are taken from the builtin itself; commander's child_process is not even loaded before it is used.
 */
const plainBuiltins = {
  name: 'plain-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path: name }) => ({ path: name, namespace: 'builtin' }));
    onLoad({ filter: /.*/, namespace: 'builtin' }, async ({ path: name }) => {
      if (name === 'node:child_process') {
        return {
          contents: `export default new Proxy({}, { get: (_, key) => process.getBuiltinModule('${name}')[key] });`,
        };
      }
      const names = Object.keys(await import(name)).filter((key) => key !== 'default');
      return {
        contents: [
          `const builtin = /* @__PURE__ */ process.getBuiltinModule('${name}');`,
          'export default builtin;',
          ...names.map((key) => `export const ${key} = /* @__PURE__ */ (() => builtin.${key})();`),
        ].join('\n'),
      };
    });
  },
};

export const bundlePackages = {
  name: 'bundle-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^(commander|yaml)$/ }, ({ path: name }) => ({ path: packages[name] }));
  },
};

/** Dynamic imports of our own modules and of bundled packages become imports of the file that `place` names. */
function leaveOut(place) {
  return {
    name: 'leave-out',
    setup({ onResolve }) {
      onResolve({ filter: /^\.|^yaml$/ }, ({ path: name, kind }) => {
        if (kind !== 'dynamic-import') return undefined;
        const target = place(path.basename(name, '.ts'));
        if (target !== undefined) return { path: target, external: true };
        return { errors: [{ text: `scripts/quick-start.mjs does not say where ${name} is` }] };
      });
    },
  };
}

/** main.js and program.js, and a file per quick command, each without chunks. Returns the files that went into them. */
export async function buildCommandLine(options) {
  const single = (entryPoints, outdir, place) =>
    build({
      ...options,
      entryPoints,
      outdir,
      metafile: true,
      plugins: [leaveOut(place), bundlePackages, plainBuiltins],
    });
  const placeOfCommand = (name) => {
    if (quickCommands.includes(name)) return `./quick/${name}.js`;
    return commandFiles.has(name) ? `./commands/${name}.js` : undefined;
  };
  const built = await Promise.all([
    single({ main: 'src/main/main.ts' }, 'dist', (name) => `./${name}.js`),
    single({ program: 'src/main/program.ts' }, 'dist', placeOfCommand),
    single(
      Object.fromEntries(quickCommands.map((name) => [name, commandFiles.get(name)])),
      'dist/quick',
      (name) => (name in late ? `../late/${name}.js` : undefined),
    ),
  ]);
  return built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
}
