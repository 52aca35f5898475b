import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { CharretteError } from '../base/errors.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { isPortable, listRunFiles } from './run-directory.ts';

/** A run in one file: what it is called, what it is about, and its files. */
export type RunArchive = { run: string; repository: string; files: ArchivedFile[] };
export type ArchivedFile = { path: string; bytes: Uint8Array };

const format = 'charrette-run';
export const archiveBounds = { packed: 64 * 1024 * 1024, unpacked: 128 * 1024 * 1024, files: 5_000 } as const;

/**
 * Packs the portable files of a run. Entries are numbered, and the manifest has the name of each: names
 * of any length fit, and no name in an archive is ever a path.
 */
export async function packRun(root: string, run: string, repository: string): Promise<Uint8Array> {
  const { createTar } = await import('nanotar');
  const names = (await listRunFiles(root)).map((file) => file.path);
  const files = await Promise.all(
    names.map(async (name) => ({ path: name, bytes: await readFile(path.join(root, name)) })),
  );
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (files.length > archiveBounds.files || size > archiveBounds.unpacked)
    throw new CharretteError({
      code: 'file-too-large',
      message: `The run ${run} has ${files.length} files with ${size} bytes; an archive holds ${archiveBounds.files} with ${archiveBounds.unpacked}.`,
    });
  const manifest = {
    schemaVersion: 1,
    format,
    run,
    repository,
    files: files.map(({ path: name, bytes }) => ({ path: name, digest: digestOf(bytes) })),
  };
  const tar = createTar(
    [
      { name: 'manifest.json', data: `${JSON.stringify(manifest, null, 2)}\n` },
      ...files.map(({ bytes }, index) => ({ name: entryName(index), data: new Uint8Array(bytes) })),
    ],
    { attrs: { mtime: 0 } },
  );
  return promisify(gzip)(tar);
}

/** Reads an archive that may come from anybody: every name, size and digest is checked, and nothing is written. */
export async function readArchive(bytes: Uint8Array): Promise<RunArchive> {
  if (bytes.length > archiveBounds.packed) throw refused(`it has ${bytes.length} bytes`);
  const entries = await unpack(bytes);
  const [head, ...rest] = entries;
  const reading = readJson(head?.name === 'manifest.json' ? new TextDecoder().decode(head.data) : '');
  const manifest = reading.ok && isRecord(reading.value) ? reading.value : {};
  const { run, repository, files } = manifest;
  if (manifest['format'] !== format || manifest['schemaVersion'] !== 1 || !Array.isArray(files))
    throw refused('it has no manifest of a run');
  if (typeof run !== 'string' || typeof repository !== 'string') throw refused('its manifest is incomplete');
  if (files.length !== rest.length || files.length > archiveBounds.files)
    throw refused(`its manifest names ${files.length} files and ${rest.length} are there`);
  const seen = new Set<string>();
  const read = files.map((file: unknown, index): ArchivedFile => {
    const [name, digest] = isRecord(file) ? [file['path'], file['digest']] : [];
    const entry = rest[index];
    if (typeof name !== 'string' || !isPortable(name) || seen.has(name))
      throw refused(
        `the name ${JSON.stringify(String(name).slice(0, 200))} is not a file of a run`,
        'path-unsafe',
      );
    if (entry === undefined || entry.name !== entryName(index)) throw refused('its entries are out of order');
    if (digestOf(entry.data) !== digest) throw refused(`${name} is not what the manifest says`);
    seen.add(name);
    return { path: name, bytes: entry.data };
  });
  return { run, repository, files: read };
}

async function unpack(bytes: Uint8Array): Promise<{ name: string; data: Uint8Array }[]> {
  const { parseTar } = await import('nanotar');
  let entries: ReturnType<typeof parseTar>;
  try {
    const tar = await promisify(gunzip)(bytes, {
      maxOutputLength: archiveBounds.unpacked + 16 * 1024 * 1024,
    });
    // A separate copy: the parser reads the whole buffer behind its input.
    entries = parseTar(new Uint8Array(tar));
  } catch (cause) {
    throw refused(cause instanceof Error ? cause.message : String(cause));
  }
  return entries.map((entry) => {
    if (entry.type !== 'file') throw refused(`${entry.name.slice(0, 100)} is a ${entry.type}`, 'path-unsafe');
    return { name: entry.name, data: 'data' in entry ? (entry.data ?? new Uint8Array()) : new Uint8Array() };
  });
}

function entryName(index: number): string {
  return `files/${String(index + 1).padStart(5, '0')}`;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function refused(
  reason: string,
  code: 'archive-invalid' | 'path-unsafe' = 'archive-invalid',
): CharretteError {
  return new CharretteError({
    code,
    message: `The archive cannot be used: ${reason}.`,
    fix: 'Make it again with `charrette runs export RUN FILE`. Nothing was written.',
  });
}
