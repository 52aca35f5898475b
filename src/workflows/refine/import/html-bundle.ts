import { serializeOuter } from 'parse5';
import { isRecord, readJson } from '../../../base/safe-json.ts';
import { replaceBetween } from '../../../base/text/replace-between.ts';
import { type Component, componentName } from './components.ts';
import { limits } from './limits.ts';
import { versionText } from './manifest.ts';
import { attributeOf, cleanMarkup, textOf, walk } from './markup.ts';
import { parsePage } from './parse-markup.ts';
import { type Tokens, tokensFromProperties } from './tokens.ts';
import { markupWeight, textWeight, treeWeights } from './tree-weights.ts';
import type { ImportWarning } from './warnings.ts';

export type HtmlBundle = {
  tokens: Tokens;
  components: Component[];
  copy: { page_type: string; sections: { name: string; primary: string }[] } | undefined;
  version: string | undefined;
  warnings: ImportWarning[];
};

const copyElements = new Set([
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'p',
  'li',
  'button',
  'a',
  'label',
  'figcaption',
  'blockquote',
]);
/** The page in refusals; a bundle that is one page has no other entry. */
const page = '*';

/** One exported page as a bundle: custom properties and tagged JSON as tokens, named parts, texts. Nothing is fetched or run. */
export function readHtmlBundle(source: string): HtmlBundle {
  const properties = new Map<string, string>();
  const warnings: ImportWarning[] = [];
  const components: Component[] = [];
  const texts: { name: string; primary: string }[] = [];
  const declared: Tokens = {};
  let [scripts, large, markupTotal, textTotal] = [0, 0, 0, 0];
  /** Elements whose text is copied as a whole. */
  const copied = new Set<unknown>();
  const tree = parsePage(source, page);
  // Parts lie within parts and texts within texts: what is taken over is weighed before it is written out.
  const [markupOf, charactersOf] = [treeWeights(tree, markupWeight), treeWeights(tree, textWeight)];
  walk(tree, (element, parent) => {
    const { tagName } = element;
    if (tagName === 'style') readProperties(rawText(element), properties);
    if (tagName === 'script') {
      if (attributeOf(element, 'data-design-tokens') === undefined) scripts += 1;
      else Object.assign(declared, readTokens(rawText(element), warnings));
      return false;
    }
    if (tagName === 'link' || tagName === 'img' || tagName === 'source') {
      const target = attributeOf(element, 'href') ?? attributeOf(element, 'src');
      if (target !== undefined && !/^(?:data:|#)/i.test(target))
        warnings.push({ code: 'external', text: `not fetched: ${target.slice(0, 300)}` });
    }
    const name = attributeOf(element, 'data-component');
    const weight = markupOf.get(element) ?? 0;
    const fits = weight <= limits.componentBytes && markupTotal + weight <= limits.componentTotalBytes;
    if (name !== undefined && fits) {
      const { markup, variants } = cleanMarkup(serializeOuter(element), page);
      markupTotal += Math.max(weight, markup.length);
      components.push({ name: componentName(name), file: null, variants, markup });
    } else if (name !== undefined) {
      large += 1;
      components.push({ name: componentName(name), file: null, variants: [] });
    }
    // Below a text there are still parts, files and buttons; only its words are not copied again.
    const within = copied.has(parent);
    const length = charactersOf.get(element) ?? 0;
    const hasRoom = texts.length < limits.texts && textTotal + length <= limits.textCharacters;
    if (copyElements.has(tagName) && (!within || tagName === 'button') && hasRoom) {
      const primary = textOf(element);
      textTotal += length;
      if (primary !== '') texts.push({ name: tagName, primary });
    }
    if (within || (copyElements.has(tagName) && tagName !== 'li' && tagName !== 'blockquote'))
      copied.add(element);
    return true;
  });
  if (large > 0)
    warnings.push({ code: 'too-large', text: `of ${large} large components only the names were taken over` });
  if (scripts > 0) warnings.push({ code: 'script', text: `${scripts} scripts were left out` });
  const { format_version: version, ...tokens } = declared;
  return {
    tokens: merge(tokensFromProperties(properties), tokens),
    components,
    copy: texts.length === 0 ? undefined : { page_type: 'page', sections: texts },
    version: versionText(version),
    warnings,
  };
}

/** The first definition of a property counts; later ones are those of themes and media. */
export function readProperties(css: string, into: Map<string, string>): void {
  const text = replaceBetween(css, '/*', '*/', () => ' ').replace(/\s+/g, ' ');
  for (const [, name = '', value = ''] of text.matchAll(
    /(?:^|[\s;{])--([\w-]{1,120})\s*:\s*([^;{}]{1,500})/g,
  )) {
    if (!into.has(name)) into.set(name, value.trim());
  }
}

function readTokens(text: string, warnings: ImportWarning[]): Tokens {
  const reading = readJson(text);
  if (reading.ok && isRecord(reading.value)) return reading.value;
  warnings.push({
    code: 'tokens-unreadable',
    text: 'a block of design tokens is no JSON object and was left out',
  });
  return {};
}

function rawText(element: Parameters<typeof textOf>[0]): string {
  return element.childNodes.map((node) => ('value' in node ? node.value : '')).join('');
}

/** Declared tokens win over custom properties, key by key. */
function merge(base: Tokens, over: Tokens): Tokens {
  const result: Tokens = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = result[key];
    result[key] = isRecord(below) && isRecord(value) ? merge(below, value) : value;
  }
  return result;
}
