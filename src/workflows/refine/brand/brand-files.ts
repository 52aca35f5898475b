import path from 'node:path';
import { CharretteError } from '../../../base/errors.ts';
import { readTextFile } from '../../../base/files/bounded.ts';
import { containedPath } from '../../../base/files/contained.ts';
import { isRecord } from '../../../base/safe-json.ts';
import type { SettingsSource } from '../../../prompts/context/settings.ts';

/** The three files that say who speaks, how it looks, and to whom. */
export const brandFileNames = ['brand-voice.md', 'visual-identity.md', 'target-audience.md'] as const;
export type BrandFileName = (typeof brandFileNames)[number];

export const defaultBrandFolder = '.moai/project/brand';
const placeholder = '_TBD_';
const mostBytes = 1024 * 1024;

export type BrandFile = { name: BrandFileName; path: string; text: string };

export type BrandReading = {
  folder: string;
  files: BrandFile[];
  missing: BrandFileName[];
  /** Files with a placeholder anywhere, and its lines. Unlike in design documents one is enough. */
  unfinished: { name: BrandFileName; lines: number[] }[];
};

export function brandFolderOf(source: SettingsSource): string {
  const design = source.kind === 'value' && isRecord(source.value) ? source.value['design'] : undefined;
  const section = isRecord(design) ? design['brand_context'] : undefined;
  const dir = isRecord(section) ? section['dir'] : undefined;
  return typeof dir === 'string' && dir.trim() !== '' ? dir.replace(/\/+$/, '') : defaultBrandFolder;
}

export async function readBrandFiles(root: string, folder: string): Promise<BrandReading> {
  const reading: BrandReading = { folder, files: [], missing: [], unfinished: [] };
  for (const name of brandFileNames) {
    const cited = `${folder}/${name}`;
    const text = await readTextFile(await containedPath(root, path.join(folder, name)), mostBytes);
    if (text === undefined || text.trim() === '') {
      reading.missing.push(name);
      continue;
    }
    reading.files.push({ name, path: cited, text });
    const lines = text.split('\n').flatMap((line, index) => (line.includes(placeholder) ? [index + 1] : []));
    if (lines.length > 0) reading.unfinished.push({ name, lines });
  }
  return reading;
}

/** Stops work that would guess at a brand: every file must be there, without one placeholder. */
export function requireBrand({ folder, missing, unfinished }: BrandReading): void {
  if (missing.length === 0 && unfinished.length === 0) return;
  const said = [
    ...missing.map((name) => `${folder}/${name} is missing`),
    ...unfinished.map(
      ({ name, lines }) => `${folder}/${name} has ${placeholder} in line ${lines.join(', ')}`,
    ),
  ];
  throw new CharretteError({
    code: 'BRAND_DESIGN_MISSING_IDENTITY',
    message: `The brand is not complete: ${said.join('; ')}.`,
    fix: 'Complete the brand files; a colour or a tone that nobody decided is not guessed. Without a brand use --no-brand.',
  });
}
