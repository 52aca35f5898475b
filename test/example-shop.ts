import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { makeExampleRepository } from '../scripts/example-repository.mjs';

/** The example shop as a git repository in a temporary folder, made before the tests of a file and removed after them. */
export function useExampleShop(): { directory: string; commit: string } {
  const shop = { directory: mkdtempSync(path.join(tmpdir(), 'charrette-shop-')), commit: '' };
  beforeAll(() => {
    shop.commit = makeExampleRepository(shop.directory);
  });
  afterAll(() => rm(shop.directory, { recursive: true, force: true }));
  return shop;
}
