import { isRecord, readJson } from '../safe-json.ts';
import { missingManifest, unsupportedVersion } from './import-errors.ts';

/** Bundle formats that are known to read as described here. */
export const defaultBundleVersions: readonly string[] = ['1.0'];

/** `v1.0` and `1.0` are one version. */
export function plainVersion(version: string): string {
  return version.trim().replace(/^v/i, '');
}

/** The version that a manifest declares, when it is one of the supported; refuses the bundle otherwise. */
export function readVersion(text: string, supported: readonly string[]): string {
  const reading = readJson(text.replace(/^\ufeff/, ''));
  if (!reading.ok) throw missingManifest(`has a manifest.json that is no JSON (${reading.message})`);
  const declared = isRecord(reading.value) ? reading.value['format_version'] : undefined;
  if (typeof declared !== 'string' && typeof declared !== 'number')
    throw missingManifest('has a manifest.json without format_version');
  return checkVersion(String(declared), supported);
}

export function checkVersion(declared: string, supported: readonly string[]): string {
  const version = plainVersion(declared);
  if (supported.some((each) => plainVersion(each) === version)) return version;
  throw unsupportedVersion(version, supported);
}
