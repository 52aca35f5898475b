import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { headers } from './reply.ts';

/**
 * Path on the server → file of the built page. A closed list: no name that a client sends is ever a path. The first page may be
 * linked to from anywhere, and the drawing board, which has no origin, must get its script.
 */
const forAnySite: readonly string[] = ['/', '/board.js'];

const table = {
  '/': ['index.html', 'text/html; charset=utf-8', headers.page],
  '/app.js': ['app.js', 'text/javascript; charset=utf-8', headers.data],
  '/app.css': ['app.css', 'text/css; charset=utf-8', headers.data],
  '/font.css': ['font.css', 'text/css; charset=utf-8', headers.data],
  '/inter.woff2': ['inter.woff2', 'font/woff2', headers.data],
  '/stream.js': ['stream.js', 'text/javascript; charset=utf-8', headers.page],
  '/icon.svg': ['icon.svg', 'image/svg+xml', headers.data],
  '/board.html': ['board.html', 'text/html; charset=utf-8', headers.board],
  '/board.js': ['board.js', 'text/javascript; charset=utf-8', headers.boardScript],
} as const;

export type PageFile = {
  body: Buffer;
  type: string;
  tag: string;
  headers: Readonly<Record<string, string>>;
  forAnySite: boolean;
};

/** The files of the page, read once. */
export function loadPageFiles(folder: string): Map<string, PageFile> {
  return new Map(
    Object.entries(table).map(([address, [name, type, own]]) => {
      const body = readPageFile(folder, name);
      const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      return [address, { body, type, tag, headers: own, forAnySite: forAnySite.includes(address) }];
    }),
  );
}

/** One file of the built page, by its own name. */
export function readPageFile(folder: string, name: string): Buffer {
  const file = path.join(folder, name);
  if (existsSync(file)) return readFileSync(file);
  throw new CharretteError({
    code: 'not-built',
    message: `The page is not built: ${file} is missing.`,
    fix: 'Run `npm run setup` in the checkout, or install the package again.',
  });
}

/** Where the build puts the page: `dist/web`, next to or above the file that this is bundled into. */
export function pageFolder(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = path.dirname(folder)) {
    for (const candidate of [path.join(folder, 'web'), path.join(folder, 'dist', 'web')])
      if (existsSync(path.join(candidate, 'app.js'))) return candidate;
    if (path.dirname(folder) === folder) return path.join(from, 'web');
  }
}
