import type { RunFiles } from './run-files.ts';

/** One seat's approach. `seat` is the short name that the synthesis uses (`arch`). */
export type SketchView = { lane: string; seat: string; label: string; agent: string; text: string };

/** The sketches in the order in which the seats were called. */
export function sketchViews({ events, artifacts }: RunFiles): SketchView[] {
  const agents = new Map(
    events.flatMap((event) => (event.type === 'lane-end' ? [[event.lane, event.agent] as const] : [])),
  );
  const seen = new Set<string>();
  return events.flatMap((event) => {
    if (event.type !== 'lane-queue' || event.task !== 'sketch' || seen.has(event.lane)) return [];
    seen.add(event.lane);
    const text = artifacts[`${event.lane}-output.txt`];
    if (text === undefined) return [];
    const seat = /-sketch-(.+)$/.exec(event.lane)?.[1] ?? event.lane;
    return [{ lane: event.lane, seat, label: event.label, agent: agents.get(event.lane) ?? '', text }];
  });
}
