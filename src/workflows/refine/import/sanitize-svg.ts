import sax, { type QualifiedAttribute, type QualifiedTag, type Tag } from 'sax';
import { replaceBetween } from '../../../base/text/strings.ts';
import { limits } from './limits.ts';

/** What a drawing may consist of. Everything that is not named here is left out. */
const svgNamespace = 'http://www.w3.org/2000/svg';
const xlinkNamespace = 'http://www.w3.org/1999/xlink';
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

const words = (text: string) => new Set(text.trim().split(/\s+/));

const svgElements: ReadonlySet<string> = words(`
  svg g defs symbol use title desc switch a
  path rect circle ellipse line polyline polygon image
  text tspan textPath
  linearGradient radialGradient stop pattern clipPath mask marker style
  filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
  feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology
  feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence
`);

/** Elements whose children stay although they themselves go: a link leads out of the picture. */
const unwrappedElements: ReadonlySet<string> = new Set(['a', 'switch']);

const svgAttributes: ReadonlySet<string> = words(`
  id class style lang tabindex role width height x y x1 y1 x2 y2 cx cy r rx ry fx fy fr d points viewBox
  preserveAspectRatio transform gradientTransform gradientUnits patternTransform patternUnits patternContentUnits
  clipPathUnits maskUnits maskContentUnits markerUnits markerWidth markerHeight refX refY orient offset spreadMethod
  version baseProfile pathLength textLength lengthAdjust startOffset method spacing side dx dy rotate
  fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit
  stroke-dasharray stroke-dashoffset opacity color display visibility overflow clip clip-path clip-rule mask filter
  marker marker-start marker-mid marker-end stop-color stop-opacity flood-color flood-opacity lighting-color
  font-family font-size font-style font-weight font-variant font-stretch letter-spacing word-spacing text-anchor
  text-decoration dominant-baseline alignment-baseline baseline-shift writing-mode direction unicode-bidi
  paint-order vector-effect shape-rendering text-rendering image-rendering color-interpolation
  color-interpolation-filters mix-blend-mode isolation transform-origin transform-box
  in in2 result type values mode operator k1 k2 k3 k4 stdDeviation edgeMode scale xChannelSelector yChannelSelector
  baseFrequency numOctaves seed stitchTiles radius surfaceScale diffuseConstant specularConstant specularExponent
  kernelMatrix kernelUnitLength order divisor bias targetX targetY preserveAlpha azimuth elevation z pointsAtX
  pointsAtY pointsAtZ limitingConeAngle filterUnits primitiveUnits slope intercept amplitude exponent tableValues
`);

/** A picture inside the picture, as bytes of a kind that cannot carry a script. */
const embeddedImage = /^data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=\s]*$/;

/** A reference stays within the drawing; an image may carry its bytes. */
function isSafeReference(element: string, value: string): boolean {
  const text = value.trim();
  return /^#[^\s]*$/.test(text) || (element === 'image' && embeddedImage.test(text));
}

/** Style and presentation values: no way out by url(), no rule that loads, no old script hook, no escape that hides one. */
function isSafeStyle(value: string): boolean {
  const text = replaceBetween(value, '/*', '*/', () => '');
  if (
    /\\|@import|@namespace|@font-face|expression\s*\(|javascript\s*:|vbscript\s*:|data\s*:(?!image\/)|-moz-binding|behavior\s*:|<[\s/]*\w/i.test(
      text,
    )
  )
    return false;
  if (/image-set\s*\(|(?:^|[^-\w])src\s*\(/i.test(text)) return false;
  return [...text.matchAll(/url\s*\(\s*(['"]?)\s*([^)]*)/gi)].every(([, , target]) =>
    (target ?? '').startsWith('#'),
  );
}

type SanitizedSvg = { ok: true; text: string; removed: string[] } | { ok: false; reason: string };

/** The parser compares the whole declaration again at each of its characters. */
const unknownDeclaration = /<!(?!--|\[CDATA\[|DOCTYPE)/i;

const pieceLength = 64 * 1024;

/**
 * Writes a drawing from its parsed form, with nothing but elements and attributes that can only draw. A text that
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
