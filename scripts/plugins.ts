// Writes plugins/ and the catalogues at the root from src/surfaces/hosts: `node scripts/plugins.ts`.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRecord, parseJson } from '../src/base/safe-json.ts';
import { marketplaces, pluginFiles, pluginForms } from '../src/surfaces/hosts/plugins.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = parseJson(readFileSync(path.join(root, 'package.json'), 'utf8'), 'package.json');
const version = isRecord(manifest) ? String(manifest['version']) : '';

rmSync(path.join(root, 'plugins'), { recursive: true, force: true });
for (const form of pluginForms)
  for (const [file, text] of pluginFiles(form, version)) write(path.join('plugins', form, file), text);
for (const [file, text] of marketplaces(version)) write(file, text);

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}
