import { unifiedDiff } from '../../../base/text/diff.ts';
import { readSynthesis } from '../../../council/synthesis.ts';
import { type DebateView, debateViews } from './debates.ts';
import { type FindingView, findingViews, type VotesView, votesView } from './findings.ts';
import type { RunFiles } from './run-files.ts';

/** A state of the plan; `diff` is what changed since the one before, as a unified diff. */
export type PlanRevision = { title: string; text: string; diff?: string; added: number; removed: number };

const headings: readonly string[] = ['Implementation Plan', 'Revised Implementation Plan'];

/** Every state that the plan went through, oldest first. The dissent that is added at the end is no revision. */
function planRevisions({ events, artifacts }: RunFiles): PlanRevision[] {
  const shown = events.flatMap((event) =>
    event.type === 'body' && headings.includes(event.heading) ? [event.text] : [],
  );
  const texts = shown.length > 0 ? shown : [artifacts['plan-before-review.txt'] ?? ''];
  const final = withoutDissent(artifacts['plan.txt'] ?? '');
  const all = [...texts.map(withoutDissent), final].filter(
    (text, index, states) => text.trim() !== '' && text.trim() !== states[index - 1]?.trim(),
  );
  return all.map((text, index) => {
    const title = index === 0 ? 'First plan' : index === all.length - 1 ? 'Final plan' : `Revision ${index}`;
    const before = all[index - 1];
    const diff = before === undefined ? undefined : unifiedDiff(before, text, { context: 4 });
    if (diff?.kind !== 'diff') return { title, text, added: 0, removed: 0 };
    return { title, text, diff: diff.text, added: diff.added, removed: diff.removed };
  });
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
  revisions: PlanRevision[];
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
  const diagram = /^```mermaid[ \t]*\n([\s\S]*?)^```/m.exec(artifacts['architecture-diagram.md'] ?? '')?.[1];
  return {
    sketches: sketchViews(files),
    ...(synthesis !== undefined && { synthesis: readSynthesis(synthesis) }),
    debates: debateViews(files),
    ...(plan !== undefined && { plan }),
    revisions: planRevisions(files),
    findings: findingViews(files),
    ...(votes && { votes }),
    ...(diagram !== undefined && { diagram }),
  };
}
