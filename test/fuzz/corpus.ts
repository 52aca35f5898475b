import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.join(import.meta.dirname, 'corpus');

/** A text that once broke a target, and what was wrong. As JSON, half surrogates and control characters survive git and editors. */
type Saved = { message: string; input: string; times?: number; after?: string };

/** Texts that once broke a target: tried first by the fuzzer, and on every run of the tests. */
export function savedTexts(target: string): { message: string; text: string }[] {
  const place = path.join(folder, target);
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .sort()
    .map((name) => JSON.parse(readFileSync(path.join(place, name), 'utf8')) as Saved)
    .map(({ message, input, times = 1, after = '' }) => ({ message, text: input.repeat(times) + after }));
}

/** Targets with saved texts. */
export function savedTargets(): string[] {
  return readdirSync(folder).sort();
}

export function saveText(target: string, input: string, message: string): string {
  const name = `${createHash('sha256').update(input).digest('hex').slice(0, 12)}.json`;
  const place = path.join(folder, target);
  mkdirSync(place, { recursive: true });
  const saved: Saved = { message, input };
  writeFileSync(path.join(place, name), `${JSON.stringify(saved, null, 2)}\n`);
  return path.join(place, name);
}
