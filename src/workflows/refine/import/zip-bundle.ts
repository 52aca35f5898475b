import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { CharretteError } from '../../../base/errors.ts';
import { limits, securityReject, unsupportedFormat } from './limits.ts';
import type { EntryFacts } from './scan-entries.ts';

const madeOnUnix = 3;

/** A ZIP file whose entries are read one after another, never whole. */
export class ZipBundle {
  readonly #zip: ZipFile;
  readonly #entries = new Map<string, Entry>();
  readonly facts: EntryFacts[] = [];

  private constructor(zip: ZipFile) {
    this.#zip = zip;
  }

  /** Reads the directory of the file; nothing is unpacked. */
  static async open(file: string): Promise<ZipBundle> {
    // Names and sizes are checked here: the library would stop at the first bad entry, and all are to be reported.
    const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
    const zip = await openPromise(file, options).catch((error: unknown) => {
      throw damaged(error);
    });
    const bundle = new ZipBundle(zip);
    try {
      if (zip.entryCount > limits.entries)
        throw securityReject([{ entry: '*', reason: `${zip.entryCount} entries, over ${limits.entries}` }]);
      for await (const entry of zip.eachEntry()) bundle.#add(entry);
    } catch (error) {
      zip.close();
      throw error instanceof CharretteError ? error : damaged(error);
    }
    return bundle;
  }

  get bytes(): number {
    return this.#zip.fileSize;
  }

  #add(entry: Entry): void {
    const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
    const isUnix = entry.versionMadeBy >>> 8 === madeOnUnix;
    this.#entries.set(name, entry);
    this.facts.push({
      name,
      isDirectory: name.endsWith('/'),
      packedBytes: entry.compressedSize,
      bytes: entry.uncompressedSize,
      offset: entry.relativeOffsetOfLocalHeader,
      unixType: isUnix ? (entry.externalFileAttributes >>> 16) & 0o170000 : undefined,
      isEncrypted: entry.isEncrypted(),
      canBeRead: entry.canDecodeFileData(),
    });
  }

  /** The content of an entry in pieces; ends in an error when it is not what the directory declares. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new Error(`The bundle has no entry ${name}.`);
    const refuse = (reason: string) => securityReject([{ entry: name, reason }]);
    let [sum, bytes] = [0, 0];
    let stream: Readable;
    try {
      stream = await this.#zip.openReadStreamPromise(entry);
      for await (const piece of stream as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > entry.uncompressedSize)
          throw refuse(`unpacks to more than the ${entry.uncompressedSize} bytes it declares`);
        sum = crc32(piece, sum);
        yield piece;
      }
    } catch (error) {
      if (error instanceof CharretteError) throw error;
      throw refuse(
        `cannot be unpacked as declared: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    if (bytes !== entry.uncompressedSize)
      throw refuse(`unpacks to ${bytes} bytes, not to the ${entry.uncompressedSize} it declares`);
    if (sum !== entry.crc32 >>> 0) throw refuse('its checksum is wrong');
  }

  /** A small entry as a whole. */
  async readWhole(name: string, limit: number): Promise<Buffer | undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.uncompressedSize > limit) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of this.read(name)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  close(): void {
    this.#zip.close();
  }
}

function damaged(error: unknown): CharretteError {
  const reason = error instanceof Error ? error.message : String(error);
  return unsupportedFormat(`no whole ZIP archive (${reason})`);
}
