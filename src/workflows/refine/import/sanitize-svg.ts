import sax, { type QualifiedAttribute, type QualifiedTag, type Tag } from 'sax';
import { limits } from './limits.ts';
import {
  isSafeReference,
  isSafeStyle,
  svgAttributes,
  svgElements,
  svgNamespace,
  unwrappedElements,
  xlinkNamespace,
  xmlNamespace,
} from './svg-rules.ts';

export type SanitizedSvg = { ok: true; text: string; removed: string[] } | { ok: false; reason: string };

/** The parser compares all of such a declaration anew at each of its characters. */
const unknownDeclaration = /<!(?!--|\[CDATA\[|DOCTYPE)/i;

const pieceLength = 64 * 1024;

/**
 * Writes a drawing anew from its parsed form, with nothing but elements and attributes that can only draw. A text that
 * is not well-formed XML is refused: what a browser would make of it is anybody's guess.
 */
export function sanitizeSvg(source: string): SanitizedSvg {
  if (unknownDeclaration.test(source))
    return { ok: false, reason: 'not well-formed: a declaration that is none' };
  const writer = new SvgWriter();
  const reader = sax.parser(true, { xmlns: true, position: false, strictEntities: true } as object);
  let failure: string | undefined;
  reader.onerror = (error) => {
    failure ??= `not well-formed: ${error.message.split('\n')[0]}`;
    throw error;
  };
  reader.onopentag = (tag) => writer.open(tag as QualifiedTag);
  reader.onclosetag = () => writer.close();
  reader.ontext = (text) => writer.text(text);
  reader.oncdata = (text) => writer.text(text);
  reader.ondoctype = () => writer.note('document type');
  reader.onprocessinginstruction = ({ name }) => {
    if (name.toLowerCase() !== 'xml') writer.note('processing instruction');
  };
  try {
    const text = source.replace(/^\ufeff/, '');
    for (let at = 0; at < text.length; at += pieceLength) {
      reader.write(text.slice(at, at + pieceLength));
      // The parser compares each of them with all before it, and says nothing until the element is whole.
      checkAttributes((reader as unknown as { attribList: unknown[] }).attribList);
    }
    reader.close();
  } catch (error) {
    failure ??= error instanceof Error ? error.message : String(error);
  }
  if (failure !== undefined) return { ok: false, reason: failure };
  return writer.finish();
}

type OpenElement = {
  name: string;
  mode: 'kept' | 'unwrapped' | 'dropped';
  style: string;
  /** Namespaces that are declared here and around it. */
  namespaces: number;
};

class SvgWriter {
  #out = '';
  #depth = 0;
  readonly #stack: OpenElement[] = [];
  readonly #removed = new Map<string, number>();
  #root: string | undefined;

  open(tag: QualifiedTag | Tag): void {
    const qualified = tag as QualifiedTag;
    const { local } = qualified;
    this.#root ??= isSvg(qualified.uri) ? local : `${qualified.prefix}:${local}`;
    const mode = this.#modeOf(qualified);
    if (mode === 'dropped' && this.#stack.at(-1)?.mode !== 'dropped') this.note(`<${qualified.name}>`);
    if (mode === 'unwrapped') this.note(`<${local}>`);
    const given = Object.values(qualified.attributes);
    checkAttributes(given);
    const namespaces = (this.#stack.at(-1)?.namespaces ?? 0) + given.filter(isDeclaration).length;
    if (namespaces > limits.svgNamespaces) throw new Error(`more than ${limits.svgNamespaces} namespaces`);
    this.#stack.push({ name: local, mode, style: '', namespaces });
    if (mode !== 'kept') return;
    const attributes = given.flatMap((attribute) => this.#attribute(local, attribute));
    const isRoot = this.#depth === 0;
    const declared = isRoot ? [` xmlns="${svgNamespace}"`] : [];
    this.#depth += 1;
    if (local !== 'style') this.#out += `<${local}${[...declared, ...attributes].join('')}>`;
  }

  close(): void {
    const element = this.#stack.pop();
    if (element?.mode !== 'kept') return;
    this.#depth -= 1;
    if (element.name !== 'style') {
      this.#out += `</${element.name}>`;
      return;
    }
    if (isSafeStyle(element.style)) this.#out += `<style>${escapeText(element.style)}</style>`;
    else this.note('<style>');
  }

  text(text: string): void {
    const element = this.#stack.at(-1);
    if (element === undefined || element.mode === 'dropped') return;
    if (element.name === 'style') element.style += text;
    else this.#out += escapeText(text);
  }

  note(what: string): void {
    this.#removed.set(what, (this.#removed.get(what) ?? 0) + 1);
  }

  finish(): SanitizedSvg {
    if (this.#root !== 'svg') return { ok: false, reason: `its root is <${this.#root ?? ''}>, not <svg>` };
    const removed = [...this.#removed].map(([what, count]) => (count === 1 ? what : `${what} ×${count}`));
    return { ok: true, text: `${this.#out}\n`, removed };
  }

  #modeOf({ uri, local }: QualifiedTag): OpenElement['mode'] {
    if (this.#stack.at(-1)?.mode === 'dropped' || !isSvg(uri) || !svgElements.has(local)) return 'dropped';
    return unwrappedElements.has(local) && this.#stack.length > 0 ? 'unwrapped' : 'kept';
  }

  #attribute(element: string, attribute: QualifiedAttribute): string[] {
    const { name, local, prefix, uri, value } = attribute;
    if (isDeclaration(attribute)) return [];
    if (local === 'href' && (uri === xlinkNamespace || prefix === '')) {
      // One form for both: browsers read plain href, and it needs no declaration.
      if (isSafeReference(element, value)) return [` href="${escapeAttribute(value.trim())}"`];
      this.note(`${element} ${name}`);
      return [];
    }
    const plain = prefix === '' && (svgAttributes.has(local) || /^(?:data|aria)-[\w.-]+$/.test(local));
    const isXml = uri === xmlNamespace && (local === 'space' || local === 'lang');
    if ((plain || isXml) && isSafeStyle(value)) return [` ${name}="${escapeAttribute(value)}"`];
    this.note(`${element} ${name}`);
    return [];
  }
}

function checkAttributes({ length }: readonly unknown[]): void {
  if (length > limits.svgAttributes) throw new Error(`more than ${limits.svgAttributes} attributes`);
}

function isDeclaration({ prefix, name }: QualifiedAttribute): boolean {
  return prefix === 'xmlns' || name === 'xmlns';
}

function isSvg(uri: string): boolean {
  return uri === svgNamespace || uri === '';
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapeAttribute(text: string): string {
  return escapeText(text)
    .replaceAll('"', '&quot;')
    .replaceAll('\t', '&#9;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;');
}
