import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse, parseFragment, serialize } from 'parse5';
import { isRecord, readJson } from '../../../base/safe-json.ts';
import { type ImportWarning, limits, securityReject } from './limits.ts';

/** A whole page as a tree; `entry` names it when it is refused. */
export function parsePage(source: string, entry: string): DefaultTreeAdapterTypes.Document {
  return parse(source, { treeAdapter: boundedTree(entry) });
}

function parsePart(source: string, entry: string): DefaultTreeAdapterTypes.DocumentFragment {
  return parseFragment(source, { treeAdapter: boundedTree(entry) });
}

/** Formatting that is left open is repeated in every paragraph after it, so that a small page can make a tree without end. */
function boundedTree(entry: string): typeof defaultTreeAdapter {
  let elements = 0;
  return {
    ...defaultTreeAdapter,
    createElement(...parts) {
      elements += 1;
      if (elements > limits.elements)
        throw securityReject([{ entry, reason: `more than ${limits.elements} elements` }]);
      return defaultTreeAdapter.createElement(...parts);
    },
  };
}

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;
type Parent = DefaultTreeAdapterTypes.ParentNode;

/** Elements that run, load or embed something. */
const activeElements = new Set([
  'script',
  'iframe',
  'frame',
  'object',
  'embed',
  'applet',
  'base',
  'noscript',
  'template',
]);
const urlAttributes = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'poster',
  'data',
  'background',
  'srcdoc',
  'xlink:href',
]);

type CleanMarkup = { markup: string; removed: number; variants: string[] };

/** A piece of HTML without anything that runs, and the variants it names in `data-variant`; `entry` names it when it is refused. */
export function cleanMarkup(source: string, entry: string): CleanMarkup {
  const isPage = /<!doctype|<html[\s>]/i.test(source.slice(0, 2000));
  const fragment = isPage ? bodyOf(parsePage(source, entry)) : parsePart(source, entry);
  const variants = new Set<string>();
  const active = new Set<Node>();
  const holders = new Set<Parent>();
  let removed = 0;
  walk(fragment, (element, parent) => {
    if (activeElements.has(element.tagName) || isLoadingMeta(element)) {
      active.add(element);
      holders.add(parent);
      removed += 1;
      return false;
    }
    const variant = attributeOf(element, 'data-variant');
    if (variant !== undefined && variant.length <= 80) variants.add(variant);
    const kept = element.attrs.filter(({ name, prefix, value }) =>
      isPassive(prefix ? `${prefix}:${name}` : name, value),
    );
    removed += element.attrs.length - kept.length;
    element.attrs = kept;
    return true;
  });
  for (const holder of holders) holder.childNodes = holder.childNodes.filter((node) => !active.has(node));
  return { markup: serialize(fragment).trim(), removed, variants: [...variants] };
}

function isPassive(name: string, value: string): boolean {
  if (/^on/i.test(name) || name.toLowerCase() === 'srcdoc') return false;
  if (!urlAttributes.has(name.toLowerCase())) return true;
  const target = value.replace(/[\0- \u00a0]/g, '').toLowerCase();
  return !/^(?:javascript|vbscript|data:(?!image\/(?:png|jpe?g|gif|webp)))/.test(target);
}

function isLoadingMeta({ tagName, attrs }: Element): boolean {
  return tagName === 'meta' && attrs.some(({ name }) => name === 'http-equiv');
}

function bodyOf(document: DefaultTreeAdapterTypes.Document): Parent {
  let body: Parent = document;
  walk(document, (element) => {
    if (element.tagName === 'body') body = element;
    return element.tagName === 'html';
  });
  return body;
}

/** Every element from the top down; a visitor that gives false keeps its children from being visited. */
export function walk(root: Parent, visit: (element: Element, parent: Parent) => boolean): void {
  // A list instead of recursion: depth is the author's choice.
  const pending: Parent[] = [root];
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    const below: Parent[] = [];
    for (const node of parent.childNodes) {
      if (isElement(node) && visit(node, parent)) below.push(node);
    }
    // One by one: as arguments of a single call they would have to fit on the stack.
    for (const node of below.reverse()) pending.push(node);
  }
}

function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

export function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}

/** The text below an element on one line. */
export function textOf(element: Element): string {
  const parts: string[] = [];
  const pending: Node[] = [element];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if ('value' in node && node.nodeName === '#text') parts.push(node.value);
    if ('childNodes' in node && !(isElement(node) && activeElements.has(node.tagName)))
      for (const child of node.childNodes.toReversed()) pending.push(child);
  }
  return parts.join(' ').replace(/\s+/g, ' ').trim();
}

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
