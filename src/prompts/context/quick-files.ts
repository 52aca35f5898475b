import fs from 'node:fs';
import { promisify } from 'node:util';

// `node:fs/promises` loads streams and more, a tenth of the time that Node needs to start; `node:fs` is there already.

export const constants = fs.constants;
export const open: (file: string, flags: number) => Promise<number> = promisify(fs.open);
export const close: (descriptor: number) => Promise<void> = promisify(fs.close);
export const stat: (file: string) => Promise<fs.Stats> = promisify(fs.stat);
export const statDescriptor: (descriptor: number) => Promise<fs.Stats> = promisify(fs.fstat);
export const realPath: (file: string) => Promise<string> = promisify(fs.realpath.native);
export const read: (
  descriptor: number,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesRead: number }> = promisify(fs.read);
