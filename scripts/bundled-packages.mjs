// Packages that are bundled into dist/ instead of being installed: what their code and their licences need.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** CommonJS packages call `require` for Node's own modules; an ES module has none unless it makes one. */
export function requireBuiltins(root, { outputs }) {
  for (const file of Object.keys(outputs).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(path.join(root, file), 'utf8');
    if (!/var __require\s*=/.test(text)) continue;
    const line =
      "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
    writeFileSync(path.join(root, file), `${line}\n${text}`);
  }
}

/** The licences ask to go with every copy: `dist/licenses/<package>.txt`, or the build fails. */
export function copyLicences(root, files) {
  mkdirSync(path.join(root, 'dist/licenses'), { recursive: true });
  for (const folder of bundledFolders(files)) {
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const licence = readdirSync(path.join(root, folder)).find((file) => /^licen[cs]e/i.test(file));
    const target = path.join(root, 'dist/licenses', `${name.replaceAll('/', '+')}.txt`);
    if (licence !== undefined) copyFileSync(path.join(root, folder, licence), target);
    else writeFileSync(target, declaredLicence(root, folder));
  }
}

/** Some packages ship no licence file and only name it in their manifest. */
function declaredLicence(root, folder) {
  const { name, version, license, author } = JSON.parse(
    readFileSync(path.join(root, folder, 'package.json'), 'utf8'),
  );
  if (license === undefined) throw new Error(`${name} is bundled and has no licence.`);
  const by = typeof author === 'string' ? author : (author?.name ?? 'its authors');
  return `${name} ${version} by ${by}, licensed under ${license} as its package.json declares.\n`;
}

function bundledFolders(files) {
  const folders = files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(folders)].sort();
}
