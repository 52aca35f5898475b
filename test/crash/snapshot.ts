import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { BlockPack } from './block-pack.ts';

/** One entry of a folder as it stood at a moment. */
export type Entry =
  | { kind: 'folder'; mode: number }
  | { kind: 'link'; target: string }
  | { kind: 'file'; mode: number; size: number; places: number[] };

/** A folder at a moment: its entries by path below it. */
export type Snapshot = Record<string, Entry>;

type Seen = { mark: string; entry: Entry };

/** A file that was just written may be written again within the same tick of the file system's clock. */
const tickMs = 50;
const longAgo = new Date('2020-01-01T00:00:00Z');

/** Takes one snapshot of a folder after the other; what did not change is not read again. */
export class Camera {
  readonly #folder: string;
  readonly #pack: BlockPack;
  #seen = new Map<string, Seen>();

  constructor(folder: string, pack: BlockPack) {
    this.#folder = folder;
    this.#pack = pack;
  }

  take(): Snapshot {
    const snapshot: Snapshot = {};
    const seen = new Map<string, Seen>();
    const recent = Date.now() - tickMs;
    walk(this.#folder, (name, stat) => {
      const mark = `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
      const known = this.#seen.get(name);
      const entry = known?.mark === mark ? known.entry : this.#read(name, stat);
      if (entry === undefined) return;
      snapshot[name] = entry;
      if (stat.mtimeMs < recent) seen.set(name, { mark, entry });
    });
    this.#seen = seen;
    return snapshot;
  }

  #read(name: string, stat: fs.Stats): Entry | undefined {
    const file = path.join(this.#folder, name);
    if (stat.isDirectory()) return { kind: 'folder', mode: stat.mode };
    try {
      if (stat.isSymbolicLink()) return { kind: 'link', target: fs.readlinkSync(file) };
      if (!stat.isFile()) return undefined;
      const content = fs.readFileSync(file);
      return { kind: 'file', mode: stat.mode, size: content.length, places: this.#pack.add(content) };
    } catch {
      // It went while we were looking.
      return undefined;
    }
  }
}

/** The same for equal states whose content is in one pack. */
export function digestOf(snapshot: Snapshot): string {
  const names = Object.keys(snapshot).sort();
  const text = JSON.stringify(names.map((name) => [name, snapshot[name]]));
  return createHash('sha256').update(text).digest('base64');
}

/** Restores the folder. Files that are unchanged since an earlier call are skipped. */
export function restore(
  folder: string,
  snapshot: Snapshot,
  pack: BlockPack,
  made: Map<string, string>,
): void {
  const there = new Set<string>();
  walk(folder, (name, stat) => {
    there.add(name);
    const entry = snapshot[name];
    const kept = entry !== undefined && made.get(name) === markOf(entry) && isUntouched(stat, entry);
    if (kept) return;
    made.delete(name);
    if (!stat.isDirectory()) fs.unlinkSync(path.join(folder, name));
    else if (entry?.kind !== 'folder') fs.rmSync(path.join(folder, name), { recursive: true });
  });
  for (const name of made.keys()) if (!there.has(name)) made.delete(name);
  for (const [name, entry] of Object.entries(snapshot)) {
    const target = path.join(folder, name);
    if (entry.kind === 'folder') fs.mkdirSync(target, { recursive: true, mode: entry.mode });
    if (entry.kind === 'link' && !fs.existsSync(target)) fs.symlinkSync(entry.target, target);
    if (entry.kind !== 'file' || made.has(name)) continue;
    fs.writeFileSync(target, pack.get(entry.places, entry.size), { mode: entry.mode });
    fs.utimesSync(target, longAgo, longAgo);
    made.set(name, markOf(entry));
  }
}

function isUntouched(stat: fs.Stats, entry: Entry): boolean {
  return entry.kind === 'file' && stat.size === entry.size && stat.mtimeMs === longAgo.getTime();
}

function markOf(entry: Entry): string {
  return JSON.stringify(entry);
}

/** Parents come before what is in them. */
function walk(folder: string, visit: (name: string, stat: fs.Stats) => void, below = ''): void {
  for (const child of readFolder(path.join(folder, below))) {
    const name = path.join(below, child);
    const stat = fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false });
    if (stat === undefined) continue;
    visit(name, stat);
    if (stat.isDirectory()) walk(folder, visit, name);
  }
}

function readFolder(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}
