import { trimEndChars } from '../../../base/text/strings.ts';
import { archiveExtensions, assetTypes, executableExtensions, forbiddenMagic, limits } from './limits.ts';
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
function contentProblem(name: string, head: Uint8Array): string | undefined {
  const hex = Buffer.from(head).toString('hex');
  // A font or image of a known kind begins with its own bytes, which may also begin something else.
  if (hasOwnMagic(name, hex)) return undefined;
  const found = forbiddenMagic.find((magic) => hex.startsWith(magic.hex));
  if (found === undefined) return undefined;
  return found.what === 'program' ? 'a program by its content' : 'an archive by its content';
}

/** Whether an asset is what its extension says; SVG is recognised by parsing it. */
export function isOfItsKind(name: string, head: Uint8Array): boolean {
  const type = assetTypes[extensionOf(name)];
  if (type === undefined) return false;
  return type.magic.length === 0 || hasOwnMagic(name, Buffer.from(head).toString('hex'));
}

function hasOwnMagic(name: string, hex: string): boolean {
  const type = assetTypes[extensionOf(name)];
  return type?.magic.some((magic) => hex.startsWith(magic)) ?? false;
}

/** What the directory of a ZIP file says about one entry. */
export type EntryFacts = {
  name: string;
  isDirectory: boolean;
  packedBytes: number;
  bytes: number;
  /** Where its local header begins. */
  offset: number;
  /** The file type bits of a Unix mode, `undefined` when the archive was not made on Unix. */
  unixType: number | undefined;
  isEncrypted: boolean;
  canBeRead: boolean;
};

export type Offence = { entry: string; reason: string };

const symbolicLink = 0o120000;
const regularFile = 0o100000;
const directory = 0o040000;

/** Everything that is wrong with the entries as they are declared; empty when the bundle may be read. */
export function scanEntries(entries: readonly EntryFacts[], fileBytes: number): Offence[] {
  return [
    ...entries.flatMap(entryOffences),
    ...collisions(entries),
    ...totals(entries),
    ...overlaps(entries, fileBytes),
  ];
}

function entryOffences(entry: EntryFacts): Offence[] {
  const reasons = [...nameProblems(entry.name), ...typeProblems(entry), ...sizeProblems(entry)];
  return reasons.map((reason) => ({ entry: entry.name, reason }));
}

/** Why a name cannot be a relative path inside the bundle. Both kinds of slash separate. */
export function nameProblems(name: string): string[] {
  const parts = name.split(/[/\\]/);
  const problems: string[] = [];
  if (name === '' || /[\0-\x1f\x7f]/.test(name)) problems.push('its name is empty or has control characters');
  if (/^[/\\]/.test(name) || /^[A-Za-z]:/.test(name)) problems.push('absolute path');
  if (parts.includes('..')) problems.push('path traversal');
  if (name.includes('\\') && !parts.includes('..')) problems.push('backslash in its name');
  if (/[^A-Za-z]:|^.{2,}:/.test(name) || parts.some(isDeviceName))
    problems.push('a name that some systems cannot store');
  if (Buffer.byteLength(name) > limits.nameBytes) problems.push(`name over ${limits.nameBytes} bytes`);
  if (parts.length > limits.depth) problems.push(`more than ${limits.depth} folders deep`);
  const extension = extensionOf(name);
  if (executableExtensions.includes(extension)) problems.push(`executable (.${extension})`);
  if (archiveExtensions.includes(extension)) problems.push(`archive inside the archive (.${extension})`);
  return problems;
}

function typeProblems({ unixType, isEncrypted, canBeRead }: EntryFacts): string[] {
  if (unixType === symbolicLink) return ['symbolic link'];
  if (unixType !== undefined && unixType !== 0 && unixType !== regularFile && unixType !== directory)
    return ['neither file nor folder'];
  if (isEncrypted) return ['encrypted'];
  return canBeRead ? [] : ['packed by a method that is not supported'];
}

function sizeProblems({ bytes, packedBytes, isDirectory }: EntryFacts): string[] {
  if (isDirectory) return bytes === 0 ? [] : ['a folder with content'];
  if (bytes > limits.entryBytes) return [`declares ${bytes} bytes, over ${limits.entryBytes}`];
  if (bytes > limits.ratioFrom && bytes > packedBytes * limits.ratio)
    return [`declares ${bytes} bytes in ${packedBytes} packed ones, over ${limits.ratio} to 1`];
  return [];
}

/** Two names that are the same file on some system, or a file where another entry needs a folder. */
function collisions(entries: readonly EntryFacts[]): Offence[] {
  const known = new Map<string, EntryFacts>();
  const found: Offence[] = [];
  for (const entry of entries) {
    const key = keyOf(entry.name);
    const other = known.get(key);
    if (other !== undefined && !(other.isDirectory && entry.isDirectory))
      found.push({ entry: entry.name, reason: `same name as ${JSON.stringify(other.name)}` });
    known.set(key, entry);
  }
  for (const entry of entries) {
    for (const folder of foldersOf(keyOf(entry.name))) {
      if (known.get(folder)?.isDirectory === false)
        found.push({ entry: entry.name, reason: `${JSON.stringify(folder)} is a file` });
    }
  }
  return found;
}

function totals(entries: readonly EntryFacts[]): Offence[] {
  const found: Offence[] = [];
  if (entries.length > limits.entries)
    found.push({ entry: '*', reason: `${entries.length} entries, over ${limits.entries}` });
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  if (bytes > limits.totalBytes)
    found.push({ entry: '*', reason: `declares ${bytes} bytes in all, over ${limits.totalBytes}` });
  return found;
}

/** Entries that share packed bytes make a small file unpack to a large one without any high ratio. */
function overlaps(entries: readonly EntryFacts[], fileBytes: number): Offence[] {
  const sorted = [...entries].sort((a, b) => a.offset - b.offset);
  const found: Offence[] = [];
  let end = 0;
  for (const { name, offset, packedBytes } of sorted) {
    if (offset < end) found.push({ entry: name, reason: 'shares its bytes with another entry' });
    end = Math.max(end, offset + localHeaderBytes + packedBytes);
  }
  if (end > fileBytes && entries.length > 0)
    found.push({ entry: '*', reason: 'the entries reach beyond the end of the file' });
  return found;
}

const localHeaderBytes = 30;

export function extensionOf(name: string): string {
  const base = trimEndChars(name, '/\\').split(/[/\\]/).at(-1) ?? '';
  // Windows drops trailing dots and blanks when it opens a file.
  return /\.([^.]+)$/.exec(trimEndChars(base, '. '))?.[1]?.toLowerCase() ?? '';
}

/** Names that open a device on Windows, whatever their extension. */
function isDeviceName(part: string): boolean {
  return /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i.test(part);
}

function keyOf(name: string): string {
  return trimEndChars(name, '/').normalize('NFC').toLowerCase();
}

function foldersOf(key: string): string[] {
  const parts = key.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
