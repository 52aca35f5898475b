import path from 'node:path';
import { CharretteError } from '../../../base/errors.ts';
import { containedPath, readTextFile } from '../../../base/files/bounded.ts';
import { isRecord } from '../../../base/safe-json.ts';
import { replaceBetween } from '../../../base/text/strings.ts';
import type { SettingsSource } from '../../../prompts/context/settings.ts';
import { distance, parseColour, toHex } from './colour.ts';

/** The three files that say who speaks, how it looks, and to whom. */
const brandFileNames = ['brand-voice.md', 'visual-identity.md', 'target-audience.md'] as const;
type BrandFileName = (typeof brandFileNames)[number];

const defaultBrandFolder = '.moai/project/brand';
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
    fix: 'Complete the brand files; Charrette does not guess colours or tone. To work without a brand, pass --no-brand.',
  });
}

export type NamedColour = { name: string; value: string; line: number };
type NamedFont = { name: string; value: string; line: number };
export type Identity = { colours: NamedColour[]; fonts: NamedFont[] };

const colourForm = /#[0-9a-f]{6}\b|#[0-9a-f]{3}\b|rgba?\([^)]{5,40}\)|hsla?\([^)]{5,40}\)/i;

/** What names a colour or a typeface is short; longer lines are prose, or made to keep the patterns busy. */
const longestLine = 400;

/**
 * Colours and typefaces that a document names: `Primary: #0b5fff`, `- **Primary** — #0b5fff`, `| primary | #0b5fff |`,
 * `Heading font: Inter`. Code fences count, comments do not.
 */
export function readIdentity(text: string): Identity {
  const colours: NamedColour[] = [];
  const fonts: NamedFont[] = [];
  const plain = replaceBetween(text, '<!--', '-->', (comment) => comment.replace(/[^\n]/g, ' '));
  for (const [index, whole] of plain.split('\n').entries()) {
    const line = whole.slice(0, longestLine);
    const found = colourForm.exec(line);
    const colour = found === null ? undefined : parseColour(found[0]);
    if (found !== null && colour !== undefined) {
      const name = labelBefore(line, found.index);
      if (name !== '') colours.push({ name, value: toHex(colour), line: index + 1 });
    }
    const font =
      /^[\s>*+|-]*((?:[\w-]+ )*(?:font|typeface)s?(?: family)?)[*\s]*(?:[:|=]|—|–)[\s*]*["'`]?([^"'`|,;<>]{2,60})/i.exec(
        line,
      );
    if (font !== null) {
      const value = (font[2] ?? '').replace(/\*+$/, '').trim();
      if (value !== '' && value !== '_TBD_')
        fonts.push({ name: slug(font[1] ?? ''), value, line: index + 1 });
    }
  }
  return { colours, fonts };
}

/** The words before a value; in a table the first cell of its row. */
function labelBefore(line: string, at: number): string {
  const before = line.slice(0, at);
  const cells = before.split('|').map((cell) => cell.trim());
  const cell = before.includes('|') ? (cells.find((each) => each !== '') ?? '') : before;
  return slug(cell.replace(/^[\s>*+-]*(?:\d+\.)?/, ''));
}

/** `**Primary colour:**` and `--color-primary` are both `primary`. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[`*_:=—–()"',]/g, ' ')
    .replace(/\bcolou?rs?\b|\bfonts?\b|\btypefaces?\b|\bfamily\b|\bbrand\b|\btokens?\b|\bhex\b/g, ' ')
    .trim()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
}

/** A value that says something else than the brand does under the same name. The brand's value holds. */
export type BrandConflict = {
  kind: 'colour' | 'font';
  name: string;
  /** The file and line of the other value. */
  source: string;
  found: string;
  brand: string;
  /** Two or three ways out. */
  options: string[];
};

/** What a design document says against the brand. */
export function documentConflicts(identity: Identity, source: string, text: string): BrandConflict[] {
  const said = readIdentity(text);
  const at = (line: number) => `${source}:${line}`;
  return [
    ...said.colours.flatMap(({ name, value, line }) => compareColour(identity, name, value, at(line))),
    ...said.fonts.flatMap(({ name, value, line }) => compareFont(identity, name, value, at(line))),
  ];
}

/** What design tokens say against the brand. */
export function tokenConflicts(
  identity: Identity,
  source: string,
  tokens: Readonly<Record<string, unknown>>,
): BrandConflict[] {
  return [
    ...leaves(tokens['colors']).flatMap(({ name, value, place }) =>
      compareColour(identity, name, value, `${source} colors.${place}`),
    ),
    ...leaves(isRecord(tokens['typography']) ? tokens['typography']['fontFamily'] : undefined).flatMap(
      ({ name, value, place }) =>
        compareFont(identity, name, value, `${source} typography.fontFamily.${place}`),
    ),
  ];
}

function compareColour(identity: Identity, name: string, value: string, source: string): BrandConflict[] {
  const found = parseColour(value);
  const brand = identity.colours.find((colour) => colour.name === name);
  if (found === undefined || brand === undefined || toHex(found) === brand.value) return [];
  return [
    {
      kind: 'colour',
      name,
      source,
      found: toHex(found),
      brand: brand.value,
      options: colourOptions(identity, brand, toHex(found)),
    },
  ];
}

function colourOptions(identity: Identity, brand: NamedColour, found: string): string[] {
  const wanted = parseColour(found);
  const nearest = identity.colours
    .filter(({ value }) => value !== brand.value)
    .flatMap((colour) => {
      const parsed = parseColour(colour.value);
      return parsed === undefined || wanted === undefined ? [] : [{ colour, far: distance(parsed, wanted) }];
    })
    .sort((a, b) => a.far - b.far)[0]?.colour;
  return [
    `use the brand's ${brand.value} for ${brand.name}`,
    ...(nearest === undefined
      ? []
      : [`use the brand's ${nearest.name} ${nearest.value}, the nearest to ${found}`]),
    `change ${brand.name} in the brand files to ${found}`,
  ];
}

function compareFont(identity: Identity, name: string, value: string, source: string): BrandConflict[] {
  const brand = identity.fonts.find((font) => font.name === name);
  if (brand === undefined || firstFamily(brand.value) === firstFamily(value)) return [];
  const options = [
    `use the brand's ${brand.value}`,
    `change ${name || 'the typeface'} in the brand files to ${value}`,
  ];
  return [{ kind: 'font', name, source, found: value, brand: brand.value, options }];
}

function firstFamily(stack: string): string {
  return (stack.split(',')[0] ?? '').replace(/["'`]/g, '').trim().toLowerCase();
}

/** Texts below a group of tokens, also in the `{value}` and `{$value}` forms. */
function leaves(group: unknown, place = ''): { name: string; place: string; value: string }[] {
  if (!isRecord(group)) return [];
  return Object.entries(group).flatMap(([key, value]) => {
    const below = place === '' ? key : `${place}.${key}`;
    const plain = isRecord(value) ? (value['$value'] ?? value['value'] ?? value) : value;
    if (typeof plain === 'string') return [{ name: slug(below), place: below, value: plain }];
    return leaves(plain, below);
  });
}
