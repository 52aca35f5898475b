import { isRecord } from '../../safe-json.ts';
import type { Defence } from '../../schema/judgements/defence.ts';
import type { Finding } from '../../schema/judgements/finding.ts';
import type { Plan } from '../../schema/judgements/plan.ts';
import type { Sketch } from '../../schema/judgements/sketch.ts';
import type { ContestedDecision, Synthesis } from '../../schema/judgements/synthesis.ts';

/**
 * The structured input of a task, beside its prompt (`AgentTask.input`). Every task gives `feature`; the rest as far as the
 * task has it. The static agent works from this alone.
 */
export type PanelTaskInput = {
  /** The description, with clarifications and settled scope. */
  feature: string;
  /** The commit the run was started at; absent: HEAD. */
  baseCommit?: string;
  /** The seat's stance (`arch`, `edge`, `innovation`, `pragmatic`, `generic`) or method (`smallest`, `reuse`, …). */
  stance?: string;
  /** synthesis */
  sketches?: readonly { seat: string; sketch: Sketch }[];
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
  /** debate-thesis, debate-antithesis */
  decision?: ContestedDecision;
  /** judge: the debates on the ballot, either as typed defences or as their text. */
  debates?: readonly { number: number; thesis: Defence | string; antithesis: Defence | string }[];
  /** plan-review, revise-plan, diagram */
  plan?: Plan;
  /** merge-findings, vote: the candidates or ballot items. */
  items?: readonly (Omit<Finding, 'outOfScope'> & { id: string; outOfScope?: boolean })[];
  /** revise-plan */
  accepted?: readonly { id: string; title: string; concern: string; suggestedRevision: string }[];
  /** branch-fit */
  branch?: string;
};

/** The input of a call, whatever was passed; a description is always there. */
export function readTaskInput(input: unknown, prompt: string): PanelTaskInput {
  const given: Record<string, unknown> = isRecord(input) ? input : {};
  const feature =
    typeof given.feature === 'string' && given.feature.trim() !== '' ? given.feature : prompt.slice(-2000);
  return { ...given, feature } as PanelTaskInput;
}

/** What a defence argues with, whether typed or already rendered; what it grants the other side is not its own evidence. */
export function defenceText(defence: Defence | string | undefined): string {
  if (defence === undefined) return '';
  if (typeof defence === 'string') return defence.replace(/<steelman>[\s\S]*?<\/steelman>/gi, '');
  return [defence.claim, defence.evidence, defence.counterToOpposition].join('\n');
}

/** The reason of a resolution, as text. */
export function whyText(why: unknown): string | undefined {
  if (typeof why === 'string') return why;
  return isRecord(why) && typeof why.text === 'string' ? why.text : undefined;
}
