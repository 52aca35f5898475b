import { gzipSync } from 'node:zlib';
import { createTar } from 'nanotar';

/** A package as `name/…` in a gzipped tar. The same files give the same bytes, so that a hash identifies a version. */
export function packFiles(name: string, files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const entries = [...files].map(([file, data]) => ({
    name: `${name}/${file}`,
    data,
    attrs: { mode: '644', uid: 0, gid: 0, mtime: 0 },
  }));
  return gzipSync(createTar(entries), { level: 9 });
}
