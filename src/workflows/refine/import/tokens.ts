import { isRecord } from '../../../base/safe-json.ts';

export type Tokens = Record<string, unknown>;

/** Names that other exports use, and where the value belongs. */
export const tokenRenames: readonly { from: string; to: readonly string[] }[] = [
  { from: 'primary_color', to: ['colors', 'primary'] },
  { from: 'brand_color', to: ['colors', 'primary'] },
  { from: 'heading_font', to: ['typography', 'fontFamily', 'heading'] },
  { from: 'base_spacing', to: ['spacing', 'base'] },
];

export const requiredGroups = ['colors', 'typography', 'spacing'] as const;

export type TokenReading = {
  tokens: Tokens;
  warnings: { code: 'renamed' | 'missing-group' | 'conflict'; text: string }[];
};

/** Tokens in our grouping. A renamed value never replaces an existing one. */
export function normaliseTokens(source: Tokens): TokenReading {
  const tokens = structuredClone(source);
  const warnings: TokenReading['warnings'] = [];
  for (const { from, to } of tokenRenames) {
    if (!Object.hasOwn(tokens, from)) continue;
    const value = tokens[from];
    const place = to.join('.');
    const outcome = setAt(tokens, to, value);
    if (outcome === 'set') {
      warnings.push({ code: 'renamed', text: `${from} was renamed to ${place}` });
      Reflect.deleteProperty(tokens, from);
    } else if (outcome === 'same') Reflect.deleteProperty(tokens, from);
    else
      warnings.push({
        code: 'conflict',
        text: `${from} is ${JSON.stringify(value)}, but ${place} has another value; both were kept`,
      });
  }
  for (const group of requiredGroups) {
    if (!isRecord(tokens[group]))
      warnings.push({ code: 'missing-group', text: `the tokens have no group ${group}` });
  }
  return { tokens, warnings };
}

function setAt(tokens: Tokens, place: readonly string[], value: unknown): 'set' | 'same' | 'taken' {
  let holder: Record<string, unknown> = tokens;
  for (const key of place.slice(0, -1)) {
    const next = Object.hasOwn(holder, key) ? holder[key] : undefined;
    if (next !== undefined && !isRecord(next)) return 'taken';
    const below: Record<string, unknown> = next ?? {};
    holder[key] = below;
    holder = below;
  }
  const last = place.at(-1) ?? '';
  if (Object.hasOwn(holder, last))
    return JSON.stringify(holder[last]) === JSON.stringify(value) ? 'same' : 'taken';
  holder[last] = value;
  return 'set';
}

/** CSS custom properties by the group their name tells; the rest stay under `custom`. */
export function tokensFromProperties(properties: ReadonlyMap<string, string>): Tokens {
  const groups = new Map<string, Map<string, string>>();
  for (const [name, value] of properties) {
    const { group, key } = placeOf(name, value);
    const known = groups.get(group) ?? new Map<string, string>();
    groups.set(group, known.set(key, value));
  }
  return Object.fromEntries([...groups].map(([group, values]) => [group, Object.fromEntries(values)]));
}

const groupsByName: readonly { pattern: RegExp; group: string }[] = [
  { pattern: /^(?:colou?r|clr)s?-/, group: 'colors' },
  { pattern: /^(?:font|type|typography|text|line-height|letter)-/, group: 'typography' },
  { pattern: /^(?:space|spacing|gap)-?/, group: 'spacing' },
  { pattern: /^(?:radius|radii|rounded)-?/, group: 'radii' },
  { pattern: /^shadows?-?/, group: 'shadows' },
];

function placeOf(name: string, value: string): { group: string; key: string } {
  const found = groupsByName.find(({ pattern }) => pattern.test(name));
  if (found !== undefined) {
    const key = name.replace(found.pattern, '');
    return { group: found.group, key: found.group === 'typography' || key === '' ? name : key };
  }
  return {
    group: /^(?:#[0-9a-f]{3,8}$|rgba?\(|hsla?\(|oklch\()/i.test(value) ? 'colors' : 'custom',
    key: name,
  };
}
