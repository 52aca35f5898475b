import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../base/files/bounded.ts';
import { isInside } from '../base/files/contained.ts';

/** L-792, L-793: what a manifest holds, in the order of its lines. */
export type ManifestFile = {
  source: string;
  key: string;
  required: boolean;
  mayBeEmpty: boolean;
  /** L-802: the reader's token when the key is missing. */
  missing?: string;
};

export const manifestFiles = [
  { source: 'plan.txt', key: 'PLAN_FILE', required: true, mayBeEmpty: false, missing: 'missing-plan-file' },
  {
    source: 'voting-tally.md',
    key: 'PLAN_REVIEW_TALLY_FILE',
    required: true,
    mayBeEmpty: false,
    missing: 'missing-plan-review-tally-file',
  },
  {
    source: 'contested-decisions.md',
    key: 'CONTESTED_CRITERIA_FILE',
    required: true,
    mayBeEmpty: true,
    missing: 'missing-contested-criteria-file',
  },
  { source: 'oos.md', key: 'OOS_FILE', required: true, mayBeEmpty: true, missing: 'missing-oos-file' },
  {
    source: 'rejected-findings.md',
    key: 'REJECTED_FINDINGS_FILE',
    required: true,
    mayBeEmpty: true,
    missing: 'missing-rejected-findings-file',
  },
  {
    source: 'accepted-plan-findings.md',
    key: 'ACCEPTED_PLAN_FINDINGS_FILE',
    required: true,
    mayBeEmpty: true,
    missing: 'missing-accepted-plan-findings-file',
  },
  { source: 'architecture-diagram.md', key: 'ARCHITECTURE_DIAGRAM_FILE', required: false, mayBeEmpty: true },
] as const satisfies readonly ManifestFile[];

export const manifestVersion = '1';
export const exportFolder = 'design-export';
export const manifestName = 'manifest.env';

/** C0 controls and DEL, tab included. */
export const controlCharacters = /[\u0000-\u001f\u007f]/;

/** L-804: what is known of a manifest once every check has passed. */
export type ManifestReading =
  | { ok: true; files: Record<string, string>; timestamp: string; sessionId: string }
  /** A token of L-802. */
  | { ok: false; error: string };

type Checked<Value> = { value: Value } | { error: string };

const knownKeys = ['MANIFEST_VERSION', 'TIMESTAMP', 'SESSION_ID', ...manifestFiles.map(({ key }) => key)];
const largestManifest = 256 * 1024;

/** L-800…L-804: reads a manifest without ever trusting it. Nothing of it is returned unless all of it is right. */
export async function readManifest(implementDirectory: string): Promise<ManifestReading> {
  try {
    return await verify(implementDirectory);
  } catch {
    return { ok: false, error: 'internal-error' };
  }
}

async function verify(implementDirectory: string): Promise<ManifestReading> {
  const folder = path.join(implementDirectory, exportFolder);
  const text = await readTextFile(path.join(folder, manifestName), largestManifest).catch(() => undefined);
  if (!text) return { ok: false, error: 'manifest-not-found' };
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return { ok: false, error: 'export-dir-not-found' };
  const parsed = parseManifest(text);
  if ('error' in parsed) return { ok: false, error: parsed.error };
  const values = parsed.value;
  const missing = missingKey(values);
  if (missing !== undefined) return { ok: false, error: missing };
  const files: Record<string, string> = {};
  for (const file of manifestFiles) {
    const value = values.get(file.key);
    if (value === undefined) continue;
    const checked = await verifyPath(value, root, file);
    if ('error' in checked) return { ok: false, error: checked.error };
    files[file.key] = checked.value;
  }
  return {
    ok: true,
    files,
    timestamp: values.get('TIMESTAMP') ?? '',
    sessionId: values.get('SESSION_ID') ?? '',
  };
}

/** L-801: one `KEY=value` per line, split at the first `=`; a known key comes once. */
export function parseManifest(text: string): Checked<Map<string, string>> {
  const values = new Map<string, string>();
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const split = line.indexOf('=');
    if (split === -1) return { error: 'malformed-line' };
    const [key, value] = [line.slice(0, split), line.slice(split + 1)];
    if (!/^[A-Z][A-Z0-9_]*$/.test(key)) return { error: 'invalid-key' };
    if (controlCharacters.test(value)) return { error: 'control-char' };
    if (!knownKeys.includes(key)) continue;
    if (values.has(key)) return { error: `duplicate-key:${key}` };
    values.set(key, value);
  }
  return { value: values };
}

function missingKey(values: ReadonlyMap<string, string>): string | undefined {
  if (values.get('MANIFEST_VERSION') !== manifestVersion) return 'unsupported-version';
  const file = manifestFiles.find((each) => each.required && !values.get(each.key));
  if (file && 'missing' in file) return file.missing;
  if (!values.get('TIMESTAMP')) return 'missing-timestamp';
  return values.get('SESSION_ID') ? undefined : 'missing-session-id';
}

/** L-802, L-803 */
async function verifyPath(value: string, root: string, file: ManifestFile): Promise<Checked<string>> {
  if (!path.isAbsolute(value)) return { error: 'path-not-absolute' };
  const stats = await lstat(value).catch(() => undefined);
  if (stats?.isSymbolicLink()) return { error: 'symlink-rejected' };
  if (!stats?.isFile()) return { error: 'path-not-regular' };
  const canonical = path.join(await realpath(path.dirname(value)), path.basename(value));
  if (!isInside(root, canonical)) return { error: 'path-escaped-export-dir' };
  if (stats.size === 0 && !file.mayBeEmpty) return { error: 'required-empty' };
  return { value: canonical };
}
