import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { createTar } from 'nanotar';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packRun, readArchive } from './run-archive.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'charrette-archive-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const deep = `lanes/${'long-name-'.repeat(15)}/result.json`;

async function packed(): Promise<Uint8Array> {
  for (const name of ['run.json', 'artifacts/plan.txt', deep, 'artifacts/empty.txt']) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), name.includes('empty') ? '' : `content of ${name}`);
  }
  return packRun(root, 'some-run', 'github.com/acme/shop');
}

test('an archive holds a run as it was, names of any length and empty files too', async () => {
  const archive = await readArchive(await packed());
  expect(archive).toMatchObject({ run: 'some-run', repository: 'github.com/acme/shop' });
  expect(archive.files.map((file) => [file.path, Buffer.from(file.bytes).toString()])).toEqual([
    ['artifacts/empty.txt', ''],
    ['artifacts/plan.txt', 'content of artifacts/plan.txt'],
    [deep, `content of ${deep}`],
    ['run.json', 'content of run.json'],
  ]);
});

test('names that lead out, links, wrong digests, missing and doubled entries are refused', async () => {
  const make = (files: unknown[], entries: { name: string; data: string }[]) =>
    gzipSync(
      createTar([
        {
          name: 'manifest.json',
          data: JSON.stringify({
            schemaVersion: 1,
            format: 'charrette-run',
            run: 'r',
            repository: 'x',
            files,
          }),
        },
        ...entries,
      ]),
    );
  const digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const empty = { name: 'files/00001', data: '' };
  for (const name of [
    '../run.json',
    '/etc/passwd',
    'lanes/a/home/.netrc',
    'artifacts/../../x',
    7,
    'run.lock',
  ])
    await expect(readArchive(make([{ path: name, digest }], [empty])), String(name)).rejects.toMatchObject({
      code: 'path-unsafe',
    });
  const good = { path: 'run.json', digest };
  expect((await readArchive(make([good], [empty]))).files).toHaveLength(1);
  for (const [files, entries] of [
    [
      [good, good],
      [empty, { name: 'files/00002', data: '' }],
    ],
    [[good], []],
    [[], [empty]],
    [[{ ...good, digest: 'other' }], [empty]],
    [[good], [{ name: 'files/00002', data: '' }]],
  ] as [unknown[], { name: string; data: string }[]][])
    await expect(readArchive(make(files, entries))).rejects.toThrow('cannot be used');
  const link = gunzipSync(make([good], [empty]));
  // The type of the second entry: 2 is a symbolic link.
  const at = link.indexOf('files/00001') + 156;
  link[at] = '2'.charCodeAt(0);
  await expect(readArchive(gzipSync(link))).rejects.toMatchObject({ code: 'path-unsafe' });
});

test('no bytes at all make the reader do anything but read or refuse', async () => {
  const whole = gunzipSync(await packed());
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }),
      async (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, value] of changes) bytes[at] = value;
        await readArchive(gzipSync(bytes, { level: 1 })).catch((error: { code?: string }) =>
          expect(['archive-invalid', 'path-unsafe']).toContain(error.code),
        );
      },
    ),
    { numRuns: 200 },
  );
  const bomb = gzipSync(Buffer.alloc(160 * 1024 * 1024));
  await expect(readArchive(bomb)).rejects.toMatchObject({ code: 'archive-invalid' });
});
