import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { RunEvent } from '../../engine/event.ts';
import type { Snapshot } from './snapshot.ts';
import type { SourceLines } from './source-lines.ts';

/** Everything that a report file holds, as the page reads it. */
export type ReportData = {
  snapshot: Snapshot;
  events: RunEvent[];
  artifacts: Record<string, string>;
  /** Pictures that the run made, as data addresses. */
  pictures: Record<string, string>;
  /** Cited lines by `path:from-to`. */
  sources: Record<string, SourceLines>;
};

/** The built page, as texts. */
export type PageParts = { script: string; style: string; font: Uint8Array; board: string };

/** One file with the whole page and one run in it: it needs no server and no network, and opens from disk. */
export function htmlReport(data: ReportData, { script, style, font, board }: PageParts): string {
  const code = inScript(script);
  const drawing = data.snapshot.view.diagram === undefined ? '' : inScript(board);
  const scripts = [code, drawing].filter((text) => text !== '').map(hashOf);
  const face = `@font-face{font-family:"Inter";font-weight:100 900;font-display:swap;src:url(data:font/woff2;base64,${Buffer.from(font).toString('base64')}) format("woff2")}`;
  // The frame in which mermaid draws inherits this policy, and mermaid writes styles; scripts are named one by one.
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.join(' ')}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const frame = `<!doctype html><meta charset="utf-8"><title>Drawing board</title><script>${drawing}</script>`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeText(data.snapshot.title)} · Charrette</title>`,
    `<style>${face}${style.replaceAll('</', '<\\/')}</style>`,
    '</head>',
    '<body>',
    '<div id="app"></div>',
    '<noscript>This report needs JavaScript; `charrette report` without --html writes it as Markdown.</noscript>',
    `<script type="application/json" id="charrette-report">${inData(JSON.stringify(data))}</script>`,
    ...(drawing === ''
      ? []
      : [
          `<script type="application/octet-stream" id="charrette-board">${gzipSync(frame).toString('base64')}</script>`,
        ]),
    `<script type="module">${code}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Nothing in a script may look like its end, or like a comment that swallows it. */
function inScript(text: string): string {
  return text.replace(/<(?=\/script|!--)/gi, '\\x3c');
}

function inData(json: string): string {
  return json.replaceAll('<', '\\u003c');
}

function hashOf(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
