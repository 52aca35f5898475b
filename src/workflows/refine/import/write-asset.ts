import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isInside } from '../../../base/files/contained.ts';
import { limits } from './limits.ts';
import { sanitizeSvg } from './sanitize-svg.ts';
import { isOfItsKind } from './scan-content.ts';
import { extensionOf } from './scan-entries.ts';
import type { ImportWarning } from './warnings.ts';
import type { ZipBundle } from './zip-bundle.ts';

export type AssetFile = { name: string; head: Uint8Array; relative: string };

/** Below this a file is written in one piece. */
const smallBytes = 256 * 1024;

/** Writes assets into a folder that nobody else knows yet, each checked by its own bytes. */
export class AssetWriter {
  readonly #zip: ZipBundle;
  readonly #folder: string;
  readonly #warnings: ImportWarning[];
  readonly #made = new Set<string>();

  constructor(zip: ZipBundle, folder: string, warnings: ImportWarning[]) {
    this.#zip = zip;
    this.#folder = folder;
    this.#warnings = warnings;
  }

  /** Whether the asset was written; what is not what it says it is stays out, with a warning. */
  async write(asset: AssetFile): Promise<boolean> {
    const { name, head, relative } = asset;
    if (extensionOf(name) === 'svg') return this.#writeDrawing(asset);
    if (!isOfItsKind(name, head)) {
      this.#warn('asset-content', relative, 'its content is not what its name says');
      return false;
    }
    const target = await this.#place(relative);
    const small = await this.#zip.readWhole(name, smallBytes);
    if (small === undefined) await pipeline(this.#zip.read(name), createWriteStream(target, { flags: 'wx' }));
    else await writeFile(target, small, { flag: 'wx' });
    return true;
  }

  async #writeDrawing({ name, relative }: AssetFile): Promise<boolean> {
    const bytes = await this.#zip.readWhole(name, limits.svgBytes);
    if (bytes === undefined) {
      this.#warn('too-large', relative, `drawings have at most ${limits.svgBytes} bytes`);
      return false;
    }
    const clean = sanitizeSvg(bytes.toString('utf8'));
    if (!clean.ok) {
      this.#warn('svg-refused', relative, clean.reason.slice(0, 200));
      return false;
    }
    if (clean.removed.length > 0)
      this.#warn('svg-cleaned', relative, `left out: ${clean.removed.slice(0, 20).join(', ')}`);
    await writeFile(await this.#place(relative), clean.text, { flag: 'wx' });
    return true;
  }

  /** The names were scanned and the folder holds nothing but what was written here, so the path alone decides. */
  async #place(relative: string): Promise<string> {
    const target = path.join(this.#folder, relative);
    if (!isInside(this.#folder, target)) throw new Error(`${relative} leads out of ${this.#folder}.`);
    const parent = path.dirname(target);
    if (!this.#made.has(parent)) await mkdir(parent, { recursive: true });
    this.#made.add(parent);
    return target;
  }

  #warn(code: ImportWarning['code'], entry: string, text: string): void {
    this.#warnings.push({ code, entry, text });
  }
}
