import { gzipSync } from 'node:zlib';
import type { PackageFile } from './package-tree.ts';

const block = 512;
/** What the name field of a header holds; a longer path stands in an extended header before it. */
const longestName = 100;

/** A package as `name/…` in a gzipped tar. The same files give the same bytes, so that a hash identifies a version. */
export function packFiles(name: string, files: ReadonlyMap<string, PackageFile>): Uint8Array {
  const entries = [...files].flatMap(([file, { bytes, executable }]) => {
    const path = `${name}/${file}`;
    const mode = executable ? 0o755 : 0o644;
    const extended =
      Buffer.byteLength(path) > longestName ? entry('@PaxHeader', 'x', 0o644, record(path)) : [];
    return [...extended, ...entry(path, '0', mode, bytes)];
  });
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * block)]), { level: 9 });
}

/** A path as a record of an extended header: its own length in bytes, blank, `path=…`, line end. */
function record(path: string): Buffer {
  const rest = ` path=${path}\n`;
  const length = Buffer.byteLength(rest);
  const digits = String(length + String(length).length).length;
  return Buffer.from(`${length + digits}${rest}`);
}

/** Header and content of one entry (POSIX ustar), the content filled up to whole blocks. Nobody owns it, and it has no time. */
function entry(path: string, type: '0' | 'x', mode: number, content: Uint8Array): Uint8Array[] {
  const header = Buffer.alloc(block);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  const fields: readonly (readonly [number, string])[] = [
    [0, path],
    [100, octal(mode, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(content.length, 11)],
    [136, octal(0, 11)],
    [148, ' '.repeat(8)],
    [156, type],
    [257, 'ustar\u000000'],
  ];
  for (const [offset, value] of fields) header.write(value, offset, longestName);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return [header, content, Buffer.alloc((block - (content.length % block)) % block)];
}
