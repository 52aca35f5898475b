import { yamlValue } from '../../base/text/frontmatter.ts';
import { settingsFile } from './defaults.ts';
import { readPlainSettings } from './plain-settings.ts';
import { realPath } from './quick-files.ts';
import { readDocument, type UnreadableReason } from './read-document.ts';
import type { SettingsSource } from './settings.ts';

const sizeLimit = 1024 * 1024;

/** The project's settings as a value. Whatever is wrong with the file becomes a message; the parser loads on demand. */
export async function readSettingsFile(root: string): Promise<SettingsSource> {
  const directory = await realPath(root).catch(() => root);
  const reading = await readDocument(directory, settingsFile, sizeLimit);
  if (reading.state === 'absent') return { kind: 'absent' };
  if (reading.state === 'unreadable') return { kind: 'broken', message: reasonOf(reading.reason) };
  if (reading.text.trim() === '') return { kind: 'absent' };
  const plain = readPlainSettings(reading.text);
  if (plain !== undefined) return { kind: 'value', value: plain };
  try {
    const { parseDocument } = await import('yaml');
    const document = parseDocument(reading.text, { logLevel: 'silent', prettyErrors: true });
    const [error] = document.errors;
    if (error !== undefined) return { kind: 'broken', message: oneLine(error.message) };
    return { kind: 'value', value: yamlValue(document) };
  } catch (error) {
    return { kind: 'broken', message: oneLine(error instanceof Error ? error.message : String(error)) };
  }
}

function reasonOf(reason: UnreadableReason): string {
  return reason === 'symlink leaves design dir' ? 'it is a link out of the project' : reason;
}

function oneLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '').slice(0, 200);
}
