import { replaceBetween } from '../../../base/text/replace-between.ts';

/** What a drawing may consist of. Everything that is not named here is left out. */
export const svgNamespace = 'http://www.w3.org/2000/svg';
export const xlinkNamespace = 'http://www.w3.org/1999/xlink';
export const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

const words = (text: string) => new Set(text.trim().split(/\s+/));

export const svgElements: ReadonlySet<string> = words(`
  svg g defs symbol use title desc switch a
  path rect circle ellipse line polyline polygon image
  text tspan textPath
  linearGradient radialGradient stop pattern clipPath mask marker style
  filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
  feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology
  feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence
`);

/** Elements whose children stay although they themselves go: a link leads out of the picture. */
export const unwrappedElements: ReadonlySet<string> = new Set(['a', 'switch']);

export const svgAttributes: ReadonlySet<string> = words(`
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
export function isSafeReference(element: string, value: string): boolean {
  const text = value.trim();
  return /^#[^\s]*$/.test(text) || (element === 'image' && embeddedImage.test(text));
}

/** Style and presentation values: no way out by url(), no rule that loads, no old script hook, no escape that hides one. */
export function isSafeStyle(value: string): boolean {
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
