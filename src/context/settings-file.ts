import path from 'node:path';
import { readTextFile } from '../files/bounded.ts';
import { settingsFile } from './defaults.ts';
import type { SettingsSource } from './settings.ts';

const sizeLimit = 1024 * 1024;

/** The project's settings as a value. Whatever is wrong with the file becomes a message; the parser loads on demand. */
export async function readSettingsFile(root: string): Promise<SettingsSource> {
  try {
    const text = await readTextFile(path.join(root, settingsFile), sizeLimit);
    if (text === undefined || text.trim() === '') return { kind: 'absent' };
    const { parseDocument } = await import('yaml');
    const document = parseDocument(text, { logLevel: 'silent', prettyErrors: true });
    const [error] = document.errors;
    if (error !== undefined) return { kind: 'broken', message: oneLine(error.message) };
    return { kind: 'value', value: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    return { kind: 'broken', message: oneLine(error instanceof Error ? error.message : String(error)) };
  }
}

function oneLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '').slice(0, 200);
}
