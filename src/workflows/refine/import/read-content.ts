import { CharretteError } from '../../../base/errors.ts';
import { isRecord, parseJson } from '../../../base/safe-json.ts';
import { type Component, readComponent } from './components.ts';
import type { ImportWarning } from './limits.ts';
import { assetTypes, limits } from './limits.ts';
import { type EntryFacts, extensionOf } from './scan-entries.ts';
import type { Tokens } from './tokens.ts';
import type { ZipBundle } from './zip-bundle.ts';

/** What is read of a bundle before anything is written. */
export type BundleContent = {
  format: 'zip' | 'html';
  version: string | null;
  tokens: Tokens;
  components: Component[];
  copy: unknown;
  assets: EntryFacts[];
  warnings: ImportWarning[];
};

/** Bundles packed with the folder they were in have everything below it. */
export function baseOf(facts: readonly EntryFacts[]): string {
  if (facts.some(({ name }) => name === 'manifest.json')) return '';
  const tops = new Set(facts.map(({ name }) => name.split('/')[0] ?? '').filter((top) => top !== '__MACOSX'));
  const [top = ''] = tops;
  return tops.size === 1 && facts.some(({ name }) => name === `${top}/manifest.json`) ? `${top}/` : '';
}

/** Everything of a ZIP bundle but its assets, which are only listed. */
export async function readContent(zip: ZipBundle, base: string, version: string): Promise<BundleContent> {
  const warnings: ImportWarning[] = [];
  const files = zip.facts.filter(
    ({ name, isDirectory }) => !isDirectory && name.startsWith(base) && !isLitter(name),
  );
  const nameOf = ({ name }: EntryFacts) => name.slice(base.length);
  const below = (folder: string) => files.filter((facts) => nameOf(facts).startsWith(`${folder}/`));
  const known = new Set(['manifest.json', 'tokens.json', 'copy.json']);
  for (const facts of files) {
    const name = nameOf(facts);
    if (!known.has(name) && !/^(?:components|assets)\//.test(name))
      warnings.push({ code: 'not-imported', entry: name, text: 'it belongs to no part of a bundle' });
  }
  const tokens = await readDocument(zip, base, 'tokens.json', warnings);
  const copy = await readDocument(zip, base, 'copy.json', warnings);
  if (tokens === undefined) warnings.push({ code: 'missing-part', text: 'the bundle has no tokens.json' });
  if (copy !== undefined && !(isRecord(copy) && 'sections' in copy))
    warnings.push({ code: 'copy-shape', entry: 'copy.json', text: 'it has no sections' });
  const components = await readComponents(zip, base, below('components'), warnings);
  const assets = below('assets').filter((facts) => {
    if (assetTypes[extensionOf(facts.name)] !== undefined) return true;
    warnings.push({
      code: 'asset-type',
      entry: nameOf(facts),
      text: 'files of this kind are not imported',
    });
    return false;
  });
  if (components.length === 0) warnings.push({ code: 'missing-part', text: 'the bundle has no components' });
  if (assets.length === 0) warnings.push({ code: 'missing-part', text: 'the bundle has no assets' });
  return { format: 'zip', version, tokens: tokens ?? {}, components, copy, assets, warnings };
}

async function readDocument(
  zip: ZipBundle,
  base: string,
  name: string,
  warnings: ImportWarning[],
): Promise<Record<string, unknown> | undefined> {
  const facts = zip.facts.find((each) => each.name === `${base}${name}`);
  if (facts === undefined) return undefined;
  const bytes = await zip.readWhole(facts.name, limits.documentBytes);
  if (bytes === undefined)
    throw new CharretteError({
      code: 'file-too-large',
      message: `${name} of the bundle has ${facts.bytes} bytes; at most ${limits.documentBytes} are read.`,
    });
  const value = parseJson(bytes.toString('utf8'), `${name} of the bundle`);
  if (isRecord(value)) return value;
  warnings.push({ code: 'not-imported', entry: name, text: 'not a JSON object' });
  return undefined;
}

async function readComponents(
  zip: ZipBundle,
  base: string,
  files: readonly EntryFacts[],
  warnings: ImportWarning[],
): Promise<Component[]> {
  const components: Component[] = [];
  let total = 0;
  for (const { name, bytes } of files) {
    const file = name.slice(`${base}components/`.length);
    if (!/\.(?:html?|json)$/i.test(file)) {
      warnings.push({
        code: 'not-imported',
        entry: `components/${file}`,
        text: 'components are HTML or JSON',
      });
      continue;
    }
    const fits = bytes <= limits.componentBytes && total + bytes <= limits.componentTotalBytes;
    const content = fits ? await zip.readWhole(name, limits.componentBytes) : undefined;
    if (content === undefined) {
      warnings.push({ code: 'too-large', entry: `components/${file}`, text: 'only its name was imported' });
      components.push({ name: file, file, variants: [] });
      continue;
    }
    total += bytes;
    components.push(readComponent(file, content.toString('utf8'), warnings));
  }
  return components;
}

function isLitter(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(?:^|\/)(?:\.DS_Store|Thumbs\.db)$/.test(name);
}
