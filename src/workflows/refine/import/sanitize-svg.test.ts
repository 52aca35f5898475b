import fc from 'fast-check';
import { parseFragment } from 'parse5';
import { expect, test } from 'vitest';
import { walk } from './markup.ts';
import { sanitizeSvg } from './sanitize-svg.ts';

const namespace = 'xmlns="http://www.w3.org/2000/svg"';
const clean = (inner: string, attributes = '') => {
  const result = sanitizeSvg(`<svg ${namespace} ${attributes}>${inner}</svg>`);
  return result.ok ? result.text.trim() : result.reason;
};
const wrapped = (inner: string) => `<svg ${namespace}>${inner}</svg>`;

test.each([
  ['a script', '<script>alert(1)</script><g></g>', '<g></g>'],
  [
    'a script in another namespace',
    '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
    '',
  ],
  ['a script by prefix', '<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>', ''],
  ['handlers', '<g onload="alert(1)" onclick="x" ONCLICK="x"></g>', '<g></g>'],
  [
    'foreign content',
    '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><b/></body></foreignObject>',
    '',
  ],
  ['a link', '<a href="javascript:alert(1)"><path d="M0"></path></a>', '<path d="M0"></path>'],
  ['an outer reference', '<use href="https://e.com/x.svg#a"/>', '<use></use>'],
  ['an outer xlink', '<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="x.svg#a"/>', '<use></use>'],
  [
    'an inner reference',
    '<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#a"/>',
    '<use href="#a"></use>',
  ],
  ['an outer image', '<image href="https://e.com/x.png"/>', '<image></image>'],
  ['an SVG inside an image', '<image href="data:image/svg+xml;base64,PHN2Zz4="/>', '<image></image>'],
  [
    'an embedded picture',
    '<image href="data:image/png;base64,iVBOR="/>',
    '<image href="data:image/png;base64,iVBOR="></image>',
  ],
  ['an animation of a link', '<animate attributeName="href" values="javascript:alert(1)"/>', ''],
  ['style that loads', '<style>@import url(https://e.com/a.css);</style>', ''],
  ['style with an escape', '<style>@\\69mport "x";</style>', ''],
  ['style that draws', '<style>.a{fill:url(#b)}</style>', '<style>.a{fill:url(#b)}</style>'],
  [
    'an outer url in an attribute',
    '<g fill="url(https://e.com)" filter="url(#f)"></g>',
    '<g filter="url(#f)"></g>',
  ],
  ['metadata of editors', '<metadata>x</metadata><g xmlns:i="i" i:label="x" id="a"></g>', '<g id="a"></g>'],
  [
    'text that looks like markup',
    '<text>&lt;script&gt; &amp;amp;</text>',
    '<text>&lt;script&gt; &amp;amp;</text>',
  ],
])('IM-08 %s', (_, source, expected) => {
  expect(clean(source)).toBe(wrapped(expected));
});

test.each([
  ['an unclosed element', '<svg><g></svg>'],
  ['a declared entity', '<!DOCTYPE svg [<!ENTITY x "y">]><svg xmlns="http://www.w3.org/2000/svg">&x;</svg>'],
  ['another root', '<html xmlns="http://www.w3.org/1999/xhtml"><script>1</script></html>'],
  ['no markup', 'hello'],
  ['nothing', ''],
])('IM-08 refuses %s', (_, source) => {
  expect(sanitizeSvg(source).ok).toBe(false);
});

test('IM-08 whatever a drawing is made of, what comes out can only draw, and cleaning it again changes nothing', () => {
  const name = fc.constantFrom(
    'svg',
    'g',
    'script',
    'SCRIPT',
    'style',
    'a',
    'use',
    'image',
    'foreignObject',
    'animate',
    'text',
    'set',
  );
  const attribute = fc.tuple(
    fc.constantFrom(
      'onload',
      'href',
      'xlink:href',
      'style',
      'fill',
      'id',
      'class',
      'data-x',
      'onBegin',
      'xml:base',
    ),
    fc.constantFrom(
      'javascript:alert(1)',
      '#a',
      'url(#a)',
      'url(//e.com)',
      'data:text/html,x',
      'red',
      '" onload="x',
      '&#106;avascript:x',
      '<script>',
    ),
  );
  const escaped = (text: string) => text.replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const element = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('text', '&lt;script&gt;', '<![CDATA[<script>x</script>]]>', '<!-- c -->', '<?php x ?>'),
      fc
        .tuple(
          name,
          fc.uniqueArray(attribute, { maxLength: 3, selector: ([key]) => key }),
          fc.array(tie('node'), { maxLength: 3 }),
        )
        .map(([tag, attributes, inner]) => {
          const list = attributes.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('');
          return `<${tag}${list}>${inner.join('')}</${tag}>`;
        }),
    ),
  })).node;
  fc.assert(
    fc.property(element, (inner) => {
      const result = sanitizeSvg(
        `<svg ${namespace} xmlns:xlink="http://www.w3.org/1999/xlink">${String(inner)}</svg>`,
      );
      if (!result.ok) return;
      // Read back as a browser reads it inside a page.
      walk(parseFragment(result.text), (read) => {
        expect(['script', 'foreignObject', 'animate', 'set', 'a']).not.toContain(read.tagName);
        for (const { name: key, value } of read.attrs) {
          expect(key).not.toMatch(/^on|base$/i);
          if (/href$/.test(key)) expect(value).toMatch(/^(?:#|data:image\/png)/);
          expect(value).not.toMatch(/javascript:|\/\/e\.com/);
        }
        return true;
      });
      expect(sanitizeSvg(result.text)).toEqual({ ok: true, text: `${result.text.trim()}\n`, removed: [] });
    }),
    { numRuns: 500 },
  );
});
