// Screens with SGR sequences as one animated SVG; with reduced motion only the last one is shown.

const cell = { width: 8, height: 18 };
const margin = 14;
const palette = ['#6e7681', '#ff7b72', '#7ee787', '#e3b341', '#79c0ff', '#d2a8ff', '#76e3ea', '#e6edf3'];
const holdMs = 5000;
const longestMs = 900;

/** `frames` are `{at, text}` in milliseconds; pauses in which nothing happens are shortened. */
export function animatedScreen(frames, { columns, rows, title }) {
  const width = columns * cell.width + 2 * margin;
  const height = rows * cell.height + 2 * margin;
  const lengths = frames.map(({ at }, index) => {
    const next = frames[index + 1];
    return next === undefined ? holdMs : Math.min(longestMs, Math.max(60, next.at - at));
  });
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let start = 0;
  const shown = frames.map(({ text }, index) => {
    const from = ((start / total) * 100).toFixed(2);
    start += lengths[index];
    const to = ((start / total) * 100).toFixed(2);
    const last = index === frames.length - 1;
    const keys = `@keyframes f${index}{0%{visibility:${index === 0 ? 'visible' : 'hidden'}}${from}%{visibility:visible}${last ? '' : `${to}%{visibility:hidden}`}}`;
    return {
      keys,
      group: `<g class="f${last ? ' last' : ''}" style="animation-name:f${index}">${linesOf(text)}</g>`,
    };
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}`,
    `.f{visibility:hidden;animation:${total}ms step-end infinite}.b{font-weight:700}.d{opacity:.6}.i{font-style:italic}.u{text-decoration:underline}`,
    ...palette.map((color, index) => `.c${index}{fill:${color}}`),
    ...shown.map(({ keys }) => keys),
    `@media (prefers-reduced-motion:reduce){.f{animation:none}.last{visibility:visible}}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...shown.map(({ group }) => group),
    '</svg>\n',
  ].join('\n');
}

/** A terminal says a style once; it holds over the ends of lines until it is changed. */
function linesOf(text) {
  let style = new Set();
  return text
    .split('\n')
    .map((line, index) => {
      const y = margin + (index + 1) * cell.height - 5;
      const read = spansOf(line, style);
      style = read.style;
      const { spans } = read;
      return spans === '' ? '' : `<text x="${margin}" y="${y}">${spans}</text>`;
    })
    .join('');
}

/** The text of a line with its styles; every other sequence is dropped. */
function spansOf(line, before) {
  let style = before;
  let spans = '';
  for (const part of line.split(/(\x1b\[[\d;]*m)/)) {
    const codes = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes !== undefined) {
      for (const code of (codes || '0').split(';').map(Number)) style = changed(style, code);
      continue;
    }
    const text = escaped(part.replace(/\x1b\[[^m]*?[A-Za-z]|[\x00-\x1f]/g, ''));
    if (text === '') continue;
    spans += style.size === 0 ? text : `<tspan class="${[...style].join(' ')}">${text}</tspan>`;
  }
  return { spans: spans.trimEnd(), style };
}

function changed(style, code) {
  if (code === 0) return new Set();
  const without = (test) => new Set([...style].filter((name) => !test(name)));
  if (code === 22) return without((name) => name === 'b' || name === 'd');
  if (code === 39) return without((name) => name.startsWith('c'));
  const name = { 1: 'b', 2: 'd', 3: 'i', 4: 'u' }[code];
  if (name !== undefined) return new Set([...style, name]);
  const color = code >= 30 && code <= 37 ? code - 30 : code >= 90 && code <= 97 ? code - 90 : undefined;
  return color === undefined ? style : new Set([...without((each) => each.startsWith('c')), `c${color}`]);
}

function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
