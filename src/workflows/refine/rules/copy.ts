import { isRecord } from '../../../base/safe-json.ts';

/** Texts that the page must have word for word: `primary` of the sections of copy.json. */
export function contractedCopy(copy: unknown): string[] {
  if (!isRecord(copy)) return [];
  const sections = copy['sections'];
  const list = Array.isArray(sections) ? sections : isRecord(sections) ? Object.values(sections) : [];
  return list.flatMap((section) => (isRecord(section) ? textsOf(section['primary']) : [])).slice(0, 500);
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isRecord(value) ? Object.values(value).flatMap(textsOf) : [];
}

/** Contracted texts that the page does not have; white space and the case that CSS may change do not count. */
export function compareCopy(contracted: readonly string[], pageText: string): string[] {
  const page = plain(pageText);
  return contracted
    .filter((text) => !page.includes(plain(text)))
    .map((text) => `missing: ${JSON.stringify(text.slice(0, 120))}`);
}

function plain(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase();
}
