import { isRecord, readJson } from '../../../base/safe-json.ts';
import { missingManifest, unsupportedVersion } from './import-errors.ts';

/** Bundle formats that are known to read as described here. */
export const defaultBundleVersions: readonly string[] = ['1.0'];

/** `v1.0` and `1.0` are one version. */
export function plainVersion(version: string): string {
  return version.trim().replace(/^v/i, '');
}

/** A version as a file says it: JSON and YAML read an unquoted 1.0 as the number 1. */
export function versionText(version: unknown): string | undefined {
  if (typeof version === 'number') return Number.isInteger(version) ? `${version}.0` : String(version);
  return typeof version === 'string' ? version : undefined;
}

/** The version that a manifest declares, when it is one of the supported; refuses the bundle otherwise. */
export function readVersion(text: string, supported: readonly string[]): string {
  const reading = readJson(text);
  if (!reading.ok) throw missingManifest(`has a manifest.json that is no JSON (${reading.message})`);
  const declared = isRecord(reading.value) ? versionText(reading.value['format_version']) : undefined;
  if (declared === undefined) throw missingManifest('has a manifest.json without format_version');
  return checkVersion(declared, supported);
}

export function checkVersion(declared: string, supported: readonly string[]): string {
  const version = plainVersion(declared);
  if (supported.some((each) => plainVersion(each) === version)) return version;
  throw unsupportedVersion(version, supported);
}
