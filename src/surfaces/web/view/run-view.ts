import { unifiedDiff } from '../../../base/text/diff.ts';
import { readSynthesis } from '../../../council/sketch.ts';
import { type DebateView, debateViews } from './debates.ts';
import { type FindingView, findingViews, type VotesView, votesView } from './findings.ts';
import type { RunFiles } from './run-files.ts';

/** What review changed in the plan, as a unified diff. */
export type PlanChange = { diff: string; added: number; removed: number };

/** The first plan against the final one. The dissent that is added at the end does not count. */
function planChange({ events, artifacts }: RunFiles): PlanChange | undefined {
  const shown = events.find((event) => event.type === 'body' && event.heading === 'Implementation Plan');
  const first = shown?.type === 'body' ? shown.text : (artifacts['plan-before-review.txt'] ?? '');
  const final = withoutDissent(artifacts['plan.txt'] ?? '');
  if (first.trim() === '' || final.trim() === '') return undefined;
  const change = unifiedDiff(withoutDissent(first), final, { context: 4 });
  return change.kind === 'diff'
    ? { diff: change.text, added: change.added, removed: change.removed }
    : undefined;
}

function withoutDissent(text: string): string {
  return `${(text.split(/^## Dissent$/m)[0] ?? '').trimEnd()}\n`;
}

/** One seat's approach. `seat` is the short name that the synthesis uses (`arch`). */
export type SketchView = { lane: string; seat: string; label: string; agent: string; text: string };

/** The sketches in the order in which the seats were called. */
function sketchViews({ events, artifacts }: RunFiles): SketchView[] {
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

export type SynthesisView = ReturnType<typeof readSynthesis>;

/** A design as it can be shown; parts that do not exist yet are absent or empty. */
export type RunView = {
  sketches: SketchView[];
  synthesis?: SynthesisView;
  debates: DebateView[];
  plan?: string;
  change?: PlanChange;
  findings: FindingView[];
  votes?: VotesView;
  diagram?: string;
};

/** Reads the artifacts of a run back into what they mean. One that cannot be read is left to be shown as text. */
export function runViewOf(files: RunFiles): RunView {
  const { artifacts } = files;
  const synthesis = artifacts['approach-synthesis.txt'];
  const plan = artifacts['plan.txt'];
  const votes = votesView(files);
  const change = planChange(files);
  const diagram = /^```mermaid[ \t]*\n([\s\S]*?)^```/m.exec(artifacts['architecture-diagram.md'] ?? '')?.[1];
  return {
    sketches: sketchViews(files),
    ...(synthesis !== undefined && { synthesis: readSynthesis(synthesis) }),
    debates: debateViews(files),
    ...(plan !== undefined && { plan }),
    ...(change && { change }),
    findings: findingViews(files),
    ...(votes && { votes }),
    ...(diagram !== undefined && { diagram }),
  };
}
