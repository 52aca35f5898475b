import { closeSync, openSync, writeSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of the archive; given values override the true ones. */
export type ZipEntry = {
  name: string | Buffer;
  content?: string | Uint8Array;
  /** Content that is packed already, with the facts to declare. */
  packed?: { bytes: Uint8Array; size: number; crc: number; method: number };
  crc?: number;
  declaredSize?: number;
  unixMode?: number;
  stored?: boolean;
  flags?: number;
  /** Points to the local header of another entry instead of having its own. */
  sharesWith?: number;
};

/** Writes a ZIP archive piece by piece; it can say things that are not true. */
export function writeZip(file: string, entries: Iterable<ZipEntry>): void {
  const descriptor = openSync(file, 'w');
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let position = 0;
  const put = (bytes: Uint8Array) => {
    writeSync(descriptor, bytes);
    position += bytes.length;
  };
  try {
    for (const entry of entries) {
      const name = Buffer.from(entry.name as string);
      const packed = entry.packed ?? pack(entry);
      const facts = header(entry, packed, name);
      const shared = entry.sharesWith === undefined ? undefined : offsets[entry.sharesWith];
      const offset = shared ?? position;
      offsets.push(offset);
      if (shared === undefined) {
        put(Buffer.concat([Buffer.from('504b0304', 'hex'), facts.local, name]));
        put(packed.bytes);
      }
      directory.push(Buffer.concat([Buffer.from('504b0102', 'hex'), facts.central(offset), name]));
    }
    const start = position;
    for (const row of directory) put(row);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(directory.length, 8);
    end.writeUInt16LE(directory.length, 10);
    end.writeUInt32LE(position - start, 12);
    end.writeUInt32LE(start, 16);
    put(end);
  } finally {
    closeSync(descriptor);
  }
}

function pack({ content = '', stored = false }: ZipEntry) {
  const plain = Buffer.from(content as string);
  const bytes = stored ? plain : deflateRawSync(plain);
  return { bytes, size: plain.length, crc: crc32(plain), method: stored ? 0 : 8 };
}

function header(
  entry: ZipEntry,
  packed: ReturnType<typeof pack> | NonNullable<ZipEntry['packed']>,
  name: Buffer,
) {
  const size = entry.declaredSize ?? packed.size;
  const crc = entry.crc ?? packed.crc;
  const fields = (buffer: Buffer, at: number) => {
    buffer.writeUInt16LE(20, at);
    buffer.writeUInt16LE(entry.flags ?? 0x800, at + 2);
    buffer.writeUInt16LE(packed.method, at + 4);
    buffer.writeUInt32LE(crc, at + 10);
    buffer.writeUInt32LE(packed.bytes.length, at + 14);
    buffer.writeUInt32LE(size, at + 18);
    buffer.writeUInt16LE(name.length, at + 22);
    return buffer;
  };
  return {
    local: fields(Buffer.alloc(26), 0),
    central: (offset: number) => {
      const row = fields(Buffer.alloc(42), 2);
      row.writeUInt16LE((3 << 8) | 20, 0);
      row.writeUInt32LE(((entry.unixMode ?? 0o100644) << 16) >>> 0, 34);
      row.writeUInt32LE(offset, 38);
      return row;
    },
  };
}

export const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** A bundle with everything in it. */
export function bundleEntries(extra: ZipEntry[] = [], version: unknown = '1.0'): ZipEntry[] {
  return [
    { name: 'manifest.json', content: JSON.stringify({ format_version: version, created_at: '2026-01-01' }) },
    {
      name: 'tokens.json',
      content: JSON.stringify({
        primary_color: '#0b5fff',
        colors: { text: '#111111' },
        heading_font: 'Inter',
        base_spacing: 4,
        radii: { sm: '4px' },
      }),
    },
    { name: 'components/', content: '' },
    {
      name: 'components/hero-banner.html',
      content: '<section data-variant="dark"><h1 onclick="x()">Hi</h1><script>bad()</script></section>',
    },
    { name: 'components/card.json', content: '{"name":"Card","variants":["small","large"]}' },
    { name: 'assets/images/logo.png', content: png },
    {
      name: 'assets/icons/mark.svg',
      content:
        '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><path d="M0 0"/></svg>',
    },
    { name: 'copy.json', content: JSON.stringify({ page_type: 'landing', sections: [{ primary: 'Hi' }] }) },
    ...extra,
  ];
}
