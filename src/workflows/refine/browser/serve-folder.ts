import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { containedPath } from '../../../base/files/contained.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
};

export type FolderServer = { origin: string; close(): Promise<void> };

/** Serves a folder on loopback, to read; nothing outside of it, links included, and nothing hidden. */
export async function serveFolder(root: string): Promise<FolderServer> {
  const server = createServer((request, response) => {
    void find(root, request.url ?? '/').then((file) => {
      if (file === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, {
        'content-type': types[path.extname(file).toLowerCase()] ?? 'application/octet-stream',
      });
      if (request.method === 'HEAD') response.end();
      else
        createReadStream(file)
          .on('error', () => response.destroy())
          .pipe(response);
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function find(root: string, url: string): Promise<string | undefined> {
  try {
    const wanted = decodeURIComponent(new URL(url, 'http://localhost').pathname).replace(/^\/+/, '');
    if (wanted.split('/').some((part) => part.startsWith('.'))) return undefined;
    const file = await containedPath(root, wanted === '' ? 'index.html' : wanted);
    const found = await stat(file);
    if (found.isFile()) return file;
    const index = path.join(file, 'index.html');
    return found.isDirectory() && (await stat(index)).isFile() ? index : undefined;
  } catch {
    return undefined;
  }
}
