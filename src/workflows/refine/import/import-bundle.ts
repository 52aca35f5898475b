import { createWriteStream } from 'node:fs';
import { cp, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CharretteError } from '../../../base/errors.ts';
import { writeFileAtomic } from '../../../base/files/atomic.ts';
import { containedPath, isInside, readTextFile } from '../../../base/files/bounded.ts';
import { isRecord, parseJson } from '../../../base/safe-json.ts';
import { importedNames } from '../../../prompts/context/defaults.ts';
import { readSettingsFile, type SettingsSource } from '../../../prompts/context/settings.ts';
import { brandFolderOf, readBrandFiles, readIdentity, tokenConflicts } from '../brand/identity.ts';
import { readImportSettings } from '../rules/settings.ts';
import { checkVersion, formatOf, readVersion } from './bundle-format.ts';
import { readHtmlBundle } from './html-bundle.ts';
import { assetTypes, type ImportWarning, limits, missingManifest, securityReject } from './limits.ts';
import { type Component, readComponent } from './markup.ts';
import { sanitizeSvg } from './sanitize-svg.ts';
import {
  type ContentScan,
  type EntryFacts,
  extensionOf,
  isOfItsKind,
  scanContent,
  scanEntries,
} from './scan-entries.ts';
import { installOutputs, recoverStaging, refuseExisting } from './staging.ts';
import { normaliseTokens, type Tokens } from './tokens.ts';
import { ZipBundle } from './zip-bundle.ts';

/** Copies what a person put among the outputs of an earlier import, and no bundle brings, to the new ones. */
async function keepOwn(target: string, fresh: string): Promise<void> {
  const imported = await importedNames(target);
  for (const name of ['copy.json', ...(await filesBelow(target, 'assets'))]) {
    const [source, place] = [path.join(target, name), path.join(fresh, name)];
    if (imported.has(name) || !(await isThere(source)) || (await isThere(place))) continue;
    await mkdir(path.dirname(place), { recursive: true });
    await cp(source, place, { verbatimSymlinks: true });
  }
}

async function filesBelow(target: string, name: string): Promise<string[]> {
  const folder = path.join(target, name);
  if ((await lstat(folder).catch(() => undefined))?.isDirectory() !== true) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => path.relative(target, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}

async function isThere(place: string): Promise<boolean> {
  return (await lstat(place).catch(() => undefined)) !== undefined;
}

type AssetFile = { name: string; head: Uint8Array; relative: string };

/** Below this a file is written in one piece. */
const smallBytes = 256 * 1024;

/** Writes assets into a new private folder; the bytes of each asset must match its type. */
class AssetWriter {
  readonly #zip: ZipBundle;
  readonly #folder: string;
  readonly #warnings: ImportWarning[];
  readonly #made = new Set<string>();

  constructor(zip: ZipBundle, folder: string, warnings: ImportWarning[]) {
    this.#zip = zip;
    this.#folder = folder;
    this.#warnings = warnings;
  }

  /** Whether the asset was written; what is not what it says it is stays out, with a warning. */
  async write(asset: AssetFile): Promise<boolean> {
    const { name, head, relative } = asset;
    if (extensionOf(name) === 'svg') return this.#writeDrawing(asset);
    if (!isOfItsKind(name, head)) {
      this.#warn('asset-content', relative, 'its content is not what its name says');
      return false;
    }
    const target = await this.#place(relative);
    const small = await this.#zip.readWhole(name, smallBytes);
    if (small === undefined) await pipeline(this.#zip.read(name), createWriteStream(target, { flags: 'wx' }));
    else await writeFile(target, small, { flag: 'wx' });
    return true;
  }

  async #writeDrawing({ name, relative }: AssetFile): Promise<boolean> {
    const bytes = await this.#zip.readWhole(name, limits.svgBytes);
    if (bytes === undefined) {
      this.#warn('too-large', relative, `drawings have at most ${limits.svgBytes} bytes`);
      return false;
    }
    const clean = sanitizeSvg(bytes.toString('utf8'));
    if (!clean.ok) {
      this.#warn('svg-refused', relative, clean.reason.slice(0, 200));
      return false;
    }
    if (clean.removed.length > 0)
      this.#warn('svg-cleaned', relative, `left out: ${clean.removed.slice(0, 20).join(', ')}`);
    await writeFile(await this.#place(relative), clean.text, { flag: 'wx' });
    return true;
  }

  /** The names were scanned and the folder holds nothing but what was written here, so the path alone decides. */
  async #place(relative: string): Promise<string> {
    const target = path.join(this.#folder, relative);
    if (!isInside(this.#folder, target)) throw new Error(`${relative} leads out of ${this.#folder}.`);
    const parent = path.dirname(target);
    if (!this.#made.has(parent)) await mkdir(parent, { recursive: true });
    this.#made.add(parent);
    return target;
  }

  #warn(code: ImportWarning['code'], entry: string, text: string): void {
    this.#warnings.push({ code, entry, text });
  }
}

type ImportOptions = {
  /** The project. */
  root: string;
  /** The bundle, absolute. */
  file: string;
  replace?: boolean;
  dryRun?: boolean;
};

export type ImportReport = {
  format: 'zip' | 'html';
  version: string | null;
  /** The design folder, below the project. */
  dir: string;
  written: string[];
  counts: { assets: number; components: number };
  warnings: ImportWarning[];
};

/** Imports a design bundle into the design folder: all of it, or nothing. */
export async function importBundle(options: ImportOptions): Promise<ImportReport> {
  const source = await readSettingsFile(options.root);
  const { dir, versions } = readImportSettings(source);
  const format = await formatOf(options.file);
  if (format === 'html') {
    const html = readHtmlBundle((await readTextFile(options.file, limits.htmlBytes)) ?? '');
    const version = html.version === undefined ? null : checkVersion(html.version, versions);
    return finish(options, dir, source, { format, ...html, version, copy: html.copy, assets: [] });
  }
  const zip = await ZipBundle.open(options.file);
  try {
    const offences = scanEntries(zip.facts, zip.bytes);
    if (offences.length > 0) throw securityReject(offences);
    const base = baseOf(zip.facts);
    const manifest = await zip.readWhole(`${base}manifest.json`, limits.manifestBytes);
    if (manifest === undefined) throw missingManifest('has no manifest.json');
    const version = readVersion(manifest.toString('utf8'), versions);
    const { offences: inside, heads } = await scanContent(zip);
    if (inside.length > 0) throw securityReject(inside);
    const content = await readContent(zip, base, version);
    return await finish(options, dir, source, content, { zip, base, heads });
  } finally {
    zip.close();
  }
}

async function finish(
  { root, file, replace = false, dryRun = false }: ImportOptions,
  dir: string,
  source: SettingsSource,
  content: BundleContent,
  packed?: { zip: ZipBundle; base: string; heads: ContentScan['heads'] },
): Promise<ImportReport> {
  const target = await containedPath(root, dir);
  const { tokens, warnings: about } = normaliseTokens(content.tokens);
  const brand = await readBrandFiles(root, brandFolderOf(source));
  const identity = readIdentity(brand.files.find(({ name }) => name === 'visual-identity.md')?.text ?? '');
  const conflicts = tokenConflicts(identity, 'tokens.json', tokens);
  const warnings: ImportWarning[] = [
    ...content.warnings,
    ...about,
    ...conflicts.map(({ name, found, brand: held, options }) => ({
      code: 'brand-conflict' as const,
      text: `${name} is ${found} here and ${held} in the brand files; the brand files hold`,
      options,
    })),
  ];
  const written: string[] = [];
  if (!dryRun) await recoverStaging(target);
  if (!replace) await refuseExisting(target);
  const fill = async (folder: string) => {
    const writer = packed && new AssetWriter(packed.zip, folder, warnings);
    for (const { name } of content.assets) {
      const relative = name.slice(packed?.base.length);
      const head = packed?.heads.get(name) ?? new Uint8Array();
      if (await writer?.write({ name, head, relative })) written.push(relative);
    }
    const document = (name: string, value: unknown) =>
      writeFileAtomic(path.join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
    await document('tokens.json', {
      ...tokens,
      source: 'claude-design-bundle',
      bundle_version: content.version,
    });
    await document('components.json', { components: content.components });
    if (content.copy !== undefined) {
      await document('copy.json', content.copy);
      written.push('copy.json');
    }
    written.push('tokens.json', 'components.json', 'import-warnings.json');
    await document('import-warnings.json', {
      schemaVersion: 1,
      bundle: path.basename(file),
      format: content.format,
      bundle_version: content.version,
      warnings,
      // `init --design` uses it to tell imported files from files written by hand.
      written,
    });
    await keepOwn(target, folder);
  };
  if (!dryRun) await installOutputs(target, fill);
  return {
    format: content.format,
    version: content.version,
    dir,
    written: dryRun ? [] : written,
    counts: {
      assets: dryRun ? content.assets.length : written.filter((name) => name.startsWith('assets/')).length,
      components: content.components.length,
    },
    warnings,
  };
}

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
