import { isRecord } from '../../../base/safe-json.ts';
import type { SettingsSource } from '../../../prompts/context/settings.ts';
import { readSettings } from '../../../prompts/context/settings.ts';
import { defaultBundleVersions, versionText } from './manifest.ts';

export type ImportSettings = { dir: string; versions: readonly string[] };

/** Where imports go and which bundles are read: `design.claude_design.supported_bundle_versions`. */
export function readImportSettings(source: SettingsSource): ImportSettings {
  const { settings } = readSettings(source);
  const design = source.kind === 'value' && isRecord(source.value) ? source.value['design'] : undefined;
  const section = isRecord(design) ? design['claude_design'] : undefined;
  const listed = isRecord(section) ? section['supported_bundle_versions'] : undefined;
  const versions = Array.isArray(listed)
    ? listed.map(versionText).filter((version) => version !== undefined)
    : [];
  return { dir: settings.dir, versions: versions.length > 0 ? versions : defaultBundleVersions };
}
