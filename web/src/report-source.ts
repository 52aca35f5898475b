import type { ReportData } from '../../src/surfaces/web/report-data.ts';
import { parse } from './json.ts';
import type { Source } from './source.ts';

/** The run that a report file holds; undefined when this page is served. */
export function reportSource(): Source | undefined {
  const text = document.getElementById('charrette-report')?.textContent;
  if (text === undefined || text === null) return undefined;
  const { snapshot, events, artifacts, pictures, sources } = parse<ReportData>(text);
  const missing = (what: string) => Promise.reject(new Error(`${what} is not part of this report.`));
  return {
    report: snapshot.run,
    runs: async () => ({ project: '', runs: [], total: 0 }),
    snapshot: async () => snapshot,
    watch(_run, watcher) {
      watcher.events(events);
      watcher.state({ status: snapshot.status, questions: [] });
      watcher.connected(true);
      return () => {};
    },
    artifact: async (_run, name) => artifacts[name] ?? missing(name),
    picture: async (_run, name) => pictures[name] ?? missing(name),
    lane: () => missing('The text of a lane'),
    lines: async (_run, { path, line, endLine }) =>
      sources[`${path}:${line}-${endLine}`] ?? missing(`${path}:${line}`),
    forms: async () => [],
    start: () => missing('Starting a run'),
    steer: () => missing('Answering'),
  };
}
