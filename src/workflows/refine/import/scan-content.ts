import { assetTypes, forbiddenMagic } from './limits.ts';
import { extensionOf, type Offence } from './scan-entries.ts';
import type { ZipBundle } from './zip-bundle.ts';

const magicBytes = 16;

/** What is wrong with the content, and the first bytes of every file. */
export type ContentScan = { offences: Offence[]; heads: ReadonlyMap<string, Uint8Array> };

/** Unpacks every file once without keeping it: real sizes, checksums and what the first bytes say. */
export async function scanContent(bundle: ZipBundle): Promise<ContentScan> {
  const offences: Offence[] = [];
  const heads = new Map<string, Uint8Array>();
  for (const { name, isDirectory } of bundle.facts) {
    if (isDirectory) continue;
    let head: Buffer = Buffer.alloc(0);
    for await (const piece of bundle.read(name)) {
      if (head.length < magicBytes) head = Buffer.concat([head, piece.subarray(0, magicBytes - head.length)]);
    }
    heads.set(name, Uint8Array.from(head));
    const problem = contentProblem(name, head);
    if (problem !== undefined) offences.push({ entry: name, reason: problem });
  }
  return { offences, heads };
}

/** What a file is by its first bytes, where that is something no design contains. */
export function contentProblem(name: string, head: Uint8Array): string | undefined {
  const hex = Buffer.from(head).toString('hex');
  // A font or image of a known kind begins with its own bytes, which may also begin something else.
  if (hasOwnMagic(name, hex)) return undefined;
  const found = forbiddenMagic.find((magic) => hex.startsWith(magic.hex));
  if (found === undefined) return undefined;
  return found.what === 'program' ? 'a program by its content' : 'an archive by its content';
}

/** Whether an asset is what its extension says; SVG is told by parsing it. */
export function isOfItsKind(name: string, head: Uint8Array): boolean {
  const type = assetTypes[extensionOf(name)];
  if (type === undefined) return false;
  return type.magic.length === 0 || hasOwnMagic(name, Buffer.from(head).toString('hex'));
}

function hasOwnMagic(name: string, hex: string): boolean {
  const type = assetTypes[extensionOf(name)];
  return type?.magic.some((magic) => hex.startsWith(magic)) ?? false;
}
