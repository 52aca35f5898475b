import path from 'node:path';
import { writeFileAtomic } from '../../../base/files/atomic.ts';
import { readTextFile } from '../../../base/files/bounded.ts';
import { containedPath } from '../../../base/files/contained.ts';
import type { SettingsSource } from '../../../prompts/context/settings.ts';
import { readSettingsFile } from '../../../prompts/context/settings-file.ts';
import { brandFolderOf, readBrandFiles } from '../brand/brand-files.ts';
import { tokenConflicts } from '../brand/conflicts.ts';
import { readIdentity } from '../brand/identity.ts';
import { formatOf } from './bundle-format.ts';
import { readHtmlBundle } from './html-bundle.ts';
import { missingManifest, securityReject } from './import-errors.ts';
import { readImportSettings } from './import-settings.ts';
import { keepOwn } from './keep-own.ts';
import { limits } from './limits.ts';
import { checkVersion, readVersion } from './manifest.ts';
import { type BundleContent, baseOf, readContent } from './read-content.ts';
import { type ContentScan, scanContent } from './scan-content.ts';
import { scanEntries } from './scan-entries.ts';
import { installOutputs, recoverStaging, refuseExisting } from './staging.ts';
import { normaliseTokens } from './tokens.ts';
import type { ImportWarning } from './warnings.ts';
import { AssetWriter } from './write-asset.ts';
import { ZipBundle } from './zip-bundle.ts';

export type ImportOptions = {
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

/** Takes a design bundle over into the design folder: all of it, or nothing. */
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
      // `init --design` knows by it that nobody put these there by hand.
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
