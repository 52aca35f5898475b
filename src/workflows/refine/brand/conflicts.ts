import { isRecord } from '../../../base/safe-json.ts';
import { distance, parseColour, toHex } from './colour.ts';
import { type Identity, type NamedColour, readIdentity, slug } from './identity.ts';

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
