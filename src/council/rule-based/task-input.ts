import { isRecord } from '../../base/safe-json.ts';
import type { Defence } from '../../base/schema/judgements/debate.ts';
import type { ContestedDecision, Sketch, Synthesis } from '../../base/schema/judgements/design.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Finding } from '../../base/schema/judgements/review.ts';
import type { Complexity } from '../../base/schema/lite/plan.ts';
import { replaceBetween } from '../../base/text/strings.ts';

/**
 * The structured input of a task, beside its prompt (`AgentTask.input`). Every task gives `feature`; the rest as far as the
 * task has it. The static agent works from this alone.
 */
export type PanelTaskInput = {
  /** The description of the feature. */
  feature: string;
  /** What was clarified and settled about it; searched too. */
  commission?: { clarifications?: string; discussion?: string };
  /** The commit the run was started at; absent: HEAD. */
  baseCommit?: string;
  /** The seat's stance (`arch`, `edge`, `innovation`, `pragmatic`, `generic`) or method (`smallest`, `reuse`, …). */
  stance?: string;
  /** synthesis; a sketch is known by its seat's label. */
  sketches?: readonly { seat?: string; label?: string; sketch: Sketch }[];
  highlights?: boolean;
  /** plan */
  synthesis?: Synthesis;
  resolutions?: readonly {
    number: number;
    title: string;
    resolution: string;
    disposition: string;
    why?: unknown;
  }[];
  /** plan, revise-plan: what the answer is checked against. */
  decided?: readonly object[];
  /** debate-thesis, debate-antithesis */
  decision?: ContestedDecision;
  /** judge: the debates on the ballot; a defence is typed, a record of its tags, or its text. */
  debates?: readonly {
    number?: number;
    decision?: { number: number };
    thesis: DefenceInput;
    antithesis: DefenceInput;
  }[];
  /** plan-review, revise-plan, diagram */
  plan?: Plan;
  /** vote: the items on the ballot. */
  items?: readonly BallotItem[];
  /** merge-findings: the findings to group. */
  candidates?: readonly BallotItem[];
  /** revise-plan */
  accepted?: readonly { id: string; title: string; concern: string; suggestedRevision: string }[];
  /** code-review: what must be spoken of, as `TASK-001#1`. */
  criteria?: readonly { id: string }[];
  /** branch-fit */
  branch?: string;
  /** explore, when it is one of several looks. */
  angle?: string;
  /** lite-plan */
  complexity?: Complexity;
};

export type DefenceInput = Defence | Readonly<Record<string, string>> | string;

export type BallotItem = Pick<Finding, 'title' | 'concern' | 'severity' | 'citations'> & { id: string };

const longestPromptPart = 2000;

/** The input of a call, whatever was passed; a description is always there. */
export function readTaskInput(input: unknown, prompt: string): PanelTaskInput {
  const given: Record<string, unknown> = isRecord(input) ? input : {};
  const described = typeof given.feature === 'string' && given.feature.trim() !== '';
  const feature = described ? given.feature : prompt.slice(-longestPromptPart);
  return { ...given, feature } as PanelTaskInput;
}

/** All that was said about the feature, its own words first. */
export function describe({ feature, commission }: PanelTaskInput): string {
  return [feature, commission?.clarifications, commission?.discussion].filter(Boolean).join('\n\n');
}

const granted = new Set(['steelman', 'strongestConcession', 'strongest_concession', 'recommend']);

/** What a defence argues with; what it grants the other side is not its own evidence. */
export function defenceText(defence: DefenceInput | undefined): string {
  if (defence === undefined) return '';
  if (typeof defence === 'string')
    return replaceBetween(
      defence.replace(/<\/?steelman>/gi, (tag) => tag.toLowerCase()),
      '<steelman>',
      '</steelman>',
      () => '',
    );
  return Object.entries(defence)
    .filter(([name]) => !granted.has(name))
    .map(([, text]) => text)
    .join('\n');
}

/** The reason of a resolution, as text. */
export function whyText(why: unknown): string | undefined {
  if (typeof why === 'string') return why;
  return isRecord(why) && typeof why.text === 'string' ? why.text : undefined;
}
