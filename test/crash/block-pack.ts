import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const blockSize = 64 * 1024;

/** Content of files in one file, block by block, each block once: a thousand states of a store differ in few blocks. */
export class BlockPack {
  readonly #descriptor: number;
  readonly #known = new Map<string, number>();
  #size = 0;

  constructor(file: string, mode: 'write' | 'read') {
    this.#descriptor = openSync(file, mode === 'write' ? 'w+' : 'r');
  }

  /** Where the blocks of this content are. */
  add(content: Buffer): number[] {
    const places: number[] = [];
    for (let start = 0; start < content.length; start += blockSize) {
      const block = content.subarray(start, start + blockSize);
      const digest = createHash('sha1').update(block).digest('base64');
      const known = this.#known.get(digest);
      if (known !== undefined) {
        places.push(known);
        continue;
      }
      writeSync(this.#descriptor, block, 0, block.length, this.#size);
      this.#known.set(digest, this.#size);
      places.push(this.#size);
      this.#size += block.length;
    }
    return places;
  }

  get(places: readonly number[], size: number): Buffer {
    const content = Buffer.alloc(size);
    places.forEach((place, index) => {
      const start = index * blockSize;
      readSync(this.#descriptor, content, start, Math.min(blockSize, size - start), place);
    });
    return content;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
