import { isRecord, readJson } from '../../../base/safe-json.ts';
import type { ImportWarning } from './limits.ts';
import { cleanMarkup } from './markup.ts';

export type Component = {
  name: string;
  file: string | null;
  variants: unknown[];
  /** HTML without scripts, or the JSON as it was written; absent when it was too large. */
  markup?: string;
  spec?: unknown;
};

/** `hero-banner.html` is the component HeroBanner. */
export function componentName(text: string): string {
  const words = text
    .replace(/\.(?:html?|json)$/i, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('') || 'Component';
}

/** One file below components/ as a row of the manifest. */
export function readComponent(file: string, text: string, warnings: ImportWarning[]): Component {
  const base = file.split('/').at(-1) ?? file;
  if (!file.toLowerCase().endsWith('.json')) {
    const { markup, removed, variants } = cleanMarkup(text, `components/${file}`);
    if (removed > 0)
      warnings.push({ code: 'markup-cleaned', entry: file, text: `${removed} active parts were left out` });
    return { name: componentName(base), file, variants, markup };
  }
  const reading = readJson(text);
  if (!reading.ok) {
    warnings.push({ code: 'not-imported', entry: file, text: `invalid JSON: ${reading.message}` });
    return { name: componentName(base), file, variants: [] };
  }
  const spec = reading.value;
  const named = isRecord(spec) && typeof spec['name'] === 'string' ? spec['name'] : componentName(base);
  const variants = isRecord(spec) && Array.isArray(spec['variants']) ? spec['variants'] : [];
  return { name: named, file, variants, spec };
}
