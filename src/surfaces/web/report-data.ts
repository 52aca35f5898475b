import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { readTextFile } from '../../base/files/bounded.ts';
import { localOnly } from '../../council/outcome-files.ts';
import type { RunEvent } from '../../engine/event.ts';
import { readEvents } from '../../engine/event-log.ts';
import type { Price } from '../../engine/ledger.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { isPicture, listArtifacts, readPicture } from '../../service/artifacts.ts';
import { citedParts } from './cited-parts.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';
import { type CitedLines, linesAround, readAtCommit, type SourceLines } from './source-lines.ts';

const mostArtifactText = 16 * 1024 * 1024;
const mostSources = 500;
/** Texts that the page shows from elsewhere. */
const leftOut: readonly RunEvent['type'][] = ['body', 'record'];

/**
 * A run with everything its page can open: events, artifacts, and the lines that anybody in it cites. The file is made to be
 * sent around, so what is local only is not in it (L-694).
 */
export async function reportData(
  project: string,
  directory: RunDirectory,
  prices?: Readonly<Record<string, Price>>,
): Promise<ReportData> {
  const snapshot = await snapshotOf(directory, prices);
  const artifacts: Record<string, string> = {};
  const pictures: Record<string, string> = {};
  let room = mostArtifactText;
  const files = await listArtifacts(directory);
  const kept = localOnly(files.map(({ name }) => name));
  for (const { name, path, bytes } of files) {
    if (kept.includes(name) || bytes > room) continue;
    room -= bytes;
    if (isPicture(name)) pictures[name] = await readPicture(directory, name).catch(() => '');
    else artifacts[name] = (await readTextFile(path)) ?? '';
  }
  const cited = placesIn([snapshot.view, snapshot.documents, Object.values(artifacts)]);
  return {
    snapshot: {
      ...snapshot,
      questions: [],
      artifacts: snapshot.artifacts.filter(
        ({ name }) => Object.hasOwn(artifacts, name) || Object.hasOwn(pictures, name),
      ),
    },
    events: readEvents(directory.events).filter(({ type }) => !leftOut.includes(type)),
    artifacts,
    pictures,
    sources: await readPlaces(project, snapshot.baseCommit, cited),
  };
}

/** Every place that a text somewhere in a value cites. */
function placesIn(value: unknown): Map<string, CitedLines> {
  const places = new Map<string, CitedLines>();
  const visit = (each: unknown): void => {
    if (typeof each === 'string') {
      for (const part of citedParts(each)) {
        if (part.kind === 'text' || places.size >= mostSources) continue;
        const { path, line, endLine } = part;
        places.set(`${path}:${line}-${endLine}`, { path, line, endLine });
      }
    } else if (typeof each === 'object' && each !== null)
      for (const inner of Object.values(each)) visit(inner);
  };
  visit(value);
  return places;
}

/** What cannot be opened is left out; the page then says so. */
async function readPlaces(
  project: string,
  commit: string | undefined,
  places: ReadonlyMap<string, CitedLines>,
): Promise<Record<string, SourceLines>> {
  const sources: Record<string, SourceLines> = {};
  if (commit === undefined) return sources;
  const files = new Map<string, Promise<string[] | undefined>>();
  for (const [name, place] of places) {
    const reading = files.get(place.path) ?? readAtCommit(project, commit, place.path).catch(() => undefined);
    files.set(place.path, reading);
    const lines = await reading;
    if (lines !== undefined && place.line <= lines.length) sources[name] = linesAround(lines, commit, place);
  }
  return sources;
}

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
