import { readTextFile } from '../../base/files/bounded.ts';
import { localOnly } from '../../council/outcome-files.ts';
import type { RunEvent } from '../../engine/event.ts';
import { readEvents } from '../../engine/event-log.ts';
import type { Price } from '../../engine/prices.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { listArtifacts } from '../../service/artifacts.ts';
import { citedParts } from './cited-parts.ts';
import type { ReportData } from './html-report.ts';
import { isPicture, readPicture } from './picture.ts';
import { snapshotOf } from './snapshot.ts';
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
