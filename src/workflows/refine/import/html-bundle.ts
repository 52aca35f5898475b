import { type DefaultTreeAdapterTypes, serializeOuter } from 'parse5';
import { isRecord, readJson } from '../../../base/safe-json.ts';
import { replaceBetween } from '../../../base/text/strings.ts';
import { versionText } from './bundle-format.ts';
import { type ImportWarning, limits } from './limits.ts';
import {
  attributeOf,
  type Component,
  cleanMarkup,
  componentName,
  parsePage,
  textOf,
  walk,
} from './markup.ts';
import { type Tokens, tokensFromProperties } from './tokens.ts';

type Node = DefaultTreeAdapterTypes.Node;

/** The weight of every node with all its descendants, in one traversal; `own` is the weight of the node only. */
function treeWeights(root: Node, own: (node: Node) => number): ReadonlyMap<Node, number> {
  const nodes: { node: Node; parent: Node | undefined }[] = [{ node: root, parent: undefined }];
  const weights = new Map<Node, number>();
  // Grows while it is read, so that parents come before their children.
  for (const { node } of nodes) {
    weights.set(node, own(node));
    for (const child of childrenOf(node)) nodes.push({ node: child, parent: node });
  }
  for (const { node, parent } of nodes.reverse()) {
    if (parent !== undefined) weights.set(parent, (weights.get(parent) ?? 0) + (weights.get(node) ?? 0));
  }
  return weights;
}

function childrenOf(node: Node): readonly Node[] {
  if ('content' in node) return [node.content];
  return 'childNodes' in node ? node.childNodes : [];
}

/** Characters of its markup at least: escaping only makes it longer. */
function markupWeight(node: Node): number {
  if ('tagName' in node) {
    const attributes = node.attrs.map(({ name, value }) => name.length + value.length + 4);
    return attributes.reduce((sum, length) => sum + length, 2 * node.tagName.length + 5);
  }
  if ('value' in node) return node.value.length;
  return 'data' in node ? node.data.length : 0;
}

/** Characters of its text, and one for the visit. */
function textWeight(node: Node): number {
  return 'value' in node ? node.value.length + 1 : 1;
}

type HtmlBundle = {
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
  // Parts nest within parts: weigh what would be imported before serialising it.
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
    warnings.push({ code: 'too-large', text: `of ${large} large components only the names were imported` });
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
function readProperties(css: string, into: Map<string, string>): void {
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
    text: 'a block of design tokens is not a JSON object and was omitted',
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
