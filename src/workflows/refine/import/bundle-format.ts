import { open, stat } from 'node:fs/promises';
import { isRecord, readJson } from '../../../base/safe-json.ts';
import { limits, missingManifest, notFound, unsupportedFormat, unsupportedVersion } from './limits.ts';
import { extensionOf } from './scan-entries.ts';

/** Bundle formats that are known to read as described here. */
export const defaultBundleVersions: readonly string[] = ['1.0'];

/** `v1.0` and `1.0` are one version. */
function plainVersion(version: string): string {
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
  if (!reading.ok) throw missingManifest(`has an invalid manifest.json (${reading.message})`);
  const declared = isRecord(reading.value) ? versionText(reading.value['format_version']) : undefined;
  if (declared === undefined) throw missingManifest('has a manifest.json without format_version');
  return checkVersion(declared, supported);
}

export function checkVersion(declared: string, supported: readonly string[]): string {
  const version = plainVersion(declared);
  if (supported.some((each) => plainVersion(each) === version)) return version;
  throw unsupportedVersion(version, supported);
}

/** By extension and by first bytes; both must agree. */
export async function formatOf(file: string): Promise<'zip' | 'html'> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw notFound(file);
  if (!found.isFile()) throw unsupportedFormat('not a regular file');
  const handle = await open(file, 'r').catch(() => {
    throw notFound(file);
  });
  const head = Buffer.alloc(1024);
  const { bytesRead } = await handle.read(head, 0, head.length, 0).finally(() => handle.close());
  const start = head.subarray(0, bytesRead);
  const extension = extensionOf(file);
  const isZip = start.subarray(0, 4).toString('latin1') === 'PK\x03\x04';
  const isHtml = beginsLikeHtml(start.toString('utf8'));
  if (isZip && extension === 'zip') return 'zip';
  if (isHtml && (extension === 'html' || extension === 'htm')) {
    if (found.size > limits.htmlBytes)
      throw unsupportedFormat(`an HTML page of ${found.size} bytes, over ${limits.htmlBytes}`);
    return 'html';
  }
  const kind = isZip
    ? 'a ZIP archive by its content'
    : isHtml
      ? 'HTML by its content'
      : 'of an unknown kind by its content';
  throw unsupportedFormat(
    `${kind} and ${extension === '' ? 'has no extension' : `.${extension}`} by its name`,
  );
}

/** Whether the first tag, after blanks and comments, is that of a page. */
function beginsLikeHtml(text: string): boolean {
  let rest = text.replace(/^\ufeff/, '').trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4);
    if (end < 0) return false;
    rest = rest.slice(end + 3).trimStart();
  }
  return /^<(?:!doctype\s+html|html[\s>])/i.test(rest);
}
