import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { readTextFile } from '../../base/files/bounded.ts';
import { recordsAround } from '../records.ts';
import { secretsIn, shortestSecret } from './redact.ts';

/** Larger ones hold no keys. */
const largest = 256 * 1024;
/** `.env`, `.env.local`; what is there to be copied holds placeholders. */
const environmentFile = /^\.env(?:\.(?!example$|sample$|template$|dist$)[\w-]+)*$/;
/** Words, alone or joined: blotting out `postgres` wherever it stands would spoil what an agent says. */
const words = /^[\p{L}]+(?:[\s._-]+[\p{L}]+)*$/u;

/**
 * Secrets that an agent may find where it works although nobody gave them to it: in `.env` files at the top of the project and in
 * the environment of this process. No other files of keys are opened for this.
 */
export async function secretsAround(
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const records = recordsAround(directory);
  const places = [directory, ...(records === undefined ? [] : [path.dirname(records)])];
  const files = await Promise.all(
    places.map(async (place) => {
      const names = (await readdir(place).catch(() => [])).filter((name) => environmentFile.test(name));
      return Promise.all(names.map((name) => textOf(path.join(place, name))));
    }),
  );
  const variables = files.flat().flatMap((text) => Object.entries(parseEnv(text)));
  const found = [...variables, ...Object.entries(environment)].flatMap(([name, value = '']) =>
    secretsIn({ [name]: value }),
  );
  // Of a value of several lines, as a private key, each line is said on its own.
  const lines = found.flatMap((secret) => secret.split(/\r?\n/)).map((line) => line.trim());
  return [...new Set(lines)].filter(
    (line) => line.length >= shortestSecret && !words.test(line) && !line.includes('${'),
  );
}

async function textOf(file: string): Promise<string> {
  return (await readTextFile(file, largest).catch(() => undefined)) ?? '';
}
