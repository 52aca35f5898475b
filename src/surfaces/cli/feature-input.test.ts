import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { maxFeatureBytes } from '../../service/design.ts';
import { readFeature } from './design.ts';

const terminalWith = (...chunks: (string | Buffer)[]) => ({
  stdin: Readable.from(chunks),
  stdout: process.stdout,
  stderr: process.stderr,
  env: {},
});

test('a feature is its words; a dash alone reads all of stdin', async () => {
  expect(await readFeature(['limit', 'requests '], terminalWith('not read'))).toBe('limit requests');
  expect(await readFeature(['-', 'x'], terminalWith('not read'))).toBe('- x');
  const letter = Buffer.from('ä');
  const long = 'a'.repeat(200_000);
  const given = terminalWith(` ${long}`, letter.subarray(0, 1), letter.subarray(1), '-\n');
  expect(await readFeature(['-'], given)).toBe(`${long}ä-`);
});

test('rejects oversized and non-text input', async () => {
  const much = terminalWith('a'.repeat(maxFeatureBytes), 'b');
  await expect(readFeature(['-'], much)).rejects.toMatchObject({ code: 'file-too-large' });
  await expect(readFeature(['-'], terminalWith('a\0b'))).rejects.toMatchObject({ code: 'usage' });
  const latin = terminalWith(Buffer.from('prix du café', 'latin1'));
  await expect(readFeature(['-'], latin)).rejects.toMatchObject({
    message: expect.stringContaining('UTF-8'),
  });
});
