import { readSynthesis } from '../../../council/synthesis.ts';
import { type DebateView, debateViews } from './debates.ts';
import { type FindingView, findingViews, type VotesView, votesView } from './findings.ts';
import { type PlanRevision, planRevisions } from './plan-revisions.ts';
import type { RunFiles } from './run-files.ts';
import { type SketchView, sketchViews } from './sketches.ts';

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
