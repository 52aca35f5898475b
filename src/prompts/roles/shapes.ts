import type { ArtifactKey } from '../artifacts.ts';
import { data, type PromptDraft, words } from '../part.ts';

/** A role as one command calls it. The same role name means other artifacts in another command (T-032). */
export type Dispatch = {
  command: CommandName;
  role: string;
  /** T-036: shown by hosts while the agent runs. */
  description: string;
  /** Type of the agent that plays the role, where it is not named like the role. */
  agent?: string;
  model: 'opus' | 'sonnet';
  /** T-038: reviewers read before their review, action agents before their work. */
  reads: 'review' | 'work';
  /** What the role must read, in this order. */
  required: readonly ArtifactKey[];
  /** What the role was given before pruning; `reads` of the full layouts and what a project can go back to (T-034). */
  unpruned: readonly ArtifactKey[];
  /** T-007: the artifact under review, where there is a single one. */
  target?: ArtifactKey;
  /** T-146: the target is always in the prompt. */
  targetInline?: boolean;
  rubric: string;
  /** T-046: what the next phase needs from this one. */
  expects?: string;
  answer: ShapeName | 'report';
  /** T-040: the list of changed files goes into the prompt. */
  listsFiles?: boolean;
  /** T-113: only roles in a review loop are resumed. */
  resumable: boolean;
  /** T-042: how the iteration is announced. */
  phaseReview?: boolean;
};

export const commandNames = [
  'brainstorm',
  'specify',
  'design',
  'plan',
  'tasks',
  'implement',
  'implementing',
] as const;

export type CommandName = (typeof commandNames)[number];

/** Other names of the same commands: those of the seed, and a shorter one. */
export const commandAliases: Readonly<Record<string, CommandName>> = {
  'create-plan': 'plan',
  'create-tasks': 'tasks',
  task: 'implementing',
};

/** T-118: asks for an answer again, in the required form. `earlier` for agents that have forgotten what they said. */
export function retryPrompt(dispatch: Dispatch, problem: string, earlier: string | undefined): PromptDraft {
  return {
    task: `${dispatch.command}/${dispatch.role}/retry`,
    fixed: [
      words(
        'again',
        `Your answer could not be used: ${problem}. Give it again in the required form, with the same judgement.`,
      ),
    ],
    answer:
      dispatch.answer === 'report'
        ? { kind: 'text', rules: implementerReport }
        : { kind: 'shape', shape: shapes[dispatch.answer] },
    changing:
      earlier === undefined
        ? []
        : [data('earlier_answer', earlier, { heading: 'Your answer', limit: 60_000 })],
  };
}

/** §2D: what each kind of reviewer returns, in the form of the prompt. A key without a value is a text. */

const severity = '"severity":"blocker|warning|suggestion"';
const rest = '"description","location","suggestion"';

function review(issue: string, extra = '', after = ''): string {
  return `{"approved":bool,${extra}"issues":[{${issue}}],"summary"${after}}`;
}

/** §2F: a fault that cannot be fixed where it is found. */
const backward = ',"backward_to"?:"earlier phase at fault","backward_reason"?';

const levels = '"tasks|spec|design|prd":{"passed":bool,"issues_count":0}';

export const shapes = {
  'spec-reviewer': review(
    `${severity},"category":"testability|assumptions|scope|traceability|clarity",${rest}`,
  ),
  'design-reviewer': review(
    `${severity},"category":"completeness|consistency|feasibility|assumptions|complexity",${rest}`,
  ),
  'plan-reviewer': review(`${severity},${rest}`),
  'task-reviewer': review(`${severity},"task","description","suggestion"`),
  'phase-reviewer': review(`${severity},${rest}`),
  'later-phase-reviewer': review(`${severity},${rest}`, '', backward),
  'implementation-reviewer': review(
    `${severity},"level":"tasks|spec|design|prd","category":"missing|extra|misunderstood|incomplete",${rest}`,
    `"levels":{${levels}},"evidence":{"verified":[],"missing":[]},`,
    backward,
  ),
  'code-quality-reviewer': review(
    `${severity},"category":"readability|kiss|yagni|formatting|flow",${rest}`,
    '"strengths":[],',
  ),
  'security-reviewer': review(
    `${severity},"securitySeverity":"critical|high|medium|low","category":"injection|auth|crypto|exposure|config",${rest}`,
  ),
  'prd-reviewer': review(`${severity},"description","location","evidence","suggested_fix"`),
  'relevance-verifier':
    '{"pass":bool,"checks":[{"name":"coverage|completeness|testability|coherence","pass":bool,"details","gaps":[]}],"summary"}',
  'code-simplifier': review(`${severity},${rest}`),
  'test-deepener':
    '{"outlines":[{"dimension","scenario_name","given","when","then","derived_from"}],"dimensions_assessed":{}}',
  'test-writer':
    '{"tests_added":[],"spec_divergences":[{"criterion","expected","actual"}],"all_tests_pass":bool}',
  research: '{"findings":[{"finding","source","relevance"}]}',
} as const;

export type ShapeName = keyof typeof shapes;

/** T-069: the implementer reports under headings, not in JSON. */
export const implementerReport =
  'Report under the headings Files changed (one path per line), Decisions, Deviations and Concerns; write none where there are none.';
