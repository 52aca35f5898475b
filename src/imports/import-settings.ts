import type { SettingsSource } from '../context/settings.ts';
import { readSettings } from '../context/settings.ts';
import { isRecord } from '../safe-json.ts';
import { defaultBundleVersions } from './manifest.ts';

export type ImportSettings = { dir: string; versions: readonly string[] };

/** Where imports go and which bundles are read: `design.claude_design.supported_bundle_versions`. */
export function readImportSettings(source: SettingsSource): ImportSettings {
  const { settings } = readSettings(source);
  const design = source.kind === 'value' && isRecord(source.value) ? source.value['design'] : undefined;
  const section = isRecord(design) ? design['claude_design'] : undefined;
  const listed = isRecord(section) ? section['supported_bundle_versions'] : undefined;
  const versions = Array.isArray(listed)
    ? listed.filter((each) => typeof each === 'string' || typeof each === 'number').map(versionText)
    : [];
  return { dir: settings.dir, versions: versions.length > 0 ? versions : defaultBundleVersions };
}

/** YAML reads an unquoted 1.0 as the number 1. */
function versionText(version: string | number): string {
  return typeof version === 'number' && Number.isInteger(version) ? `${version}.0` : String(version);
}
