import { readBlocks, renderBlock, renderBlocks } from '../base/text/labelled-block.ts';
import type { NumberedDecision } from './decisions.ts';
import type { Resolution } from './resolutions.ts';

/** L-180: a point that was settled before or after planning. */
export type SettledPoint = {
  title: string;
  question: string;
  resolution: string;
  source: 'user' | 'codebase';
};

/** L-177, L-178, L-723 */
export const discussionLimits = {
  questionsPerRound: 7,
  /** In step 1c and round one together. */
  questionsBeforeWork: 3,
  fewestScopeBranches: 2,
} as const;

/** L-180, L-725, C-06: the format of `clarifications.md`, `discussion-round1.md` and `discussion-round2.md`. */
export function renderDiscussion(points: readonly SettledPoint[]): string {
  return renderBlocks(
    points.map(({ title, question, resolution, source }, index) =>
      renderBlock(
        `Decision ${index + 1}: ${title}`,
        [
          ['Question', question],
          ['Resolution', resolution],
          ['Source', source],
        ],
        'bullet',
      ),
    ),
  );
}

export function readDiscussion(text: string): SettledPoint[] {
  return readBlocks(text, /^Decision \d+: (.*)$/i, ['Question', 'Resolution', 'Source']).map(
    ({ heading, fields }) => ({
      title: heading[0] ?? '',
      question: fields.get('Question') ?? '',
      resolution: fields.get('Resolution') ?? '',
      source: fields.get('Source')?.toLowerCase() === 'codebase' ? 'codebase' : 'user',
    }),
  );
}

const nonAnswers = new Set([
  '',
  'y',
  'yes',
  'ok',
  'okay',
  'k',
  'sure',
  'fine',
  'whatever',
  'dunno',
  'idk',
  'i don t know',
  'i do not know',
  'don t know',
  'no idea',
  'no preference',
  'you decide',
  'your call',
  'up to you',
  'recommended',
  'default',
  'skip',
  'not sure',
  'either',
  'sounds good',
  'go ahead',
]);

/** A question as its author put it. */
export type PutQuestion = { question: string; recommended: string; options: readonly string[] };

/**
 * L-179: a terse or empty answer takes the recommendation; no question is asked twice. An answer that decides is not terse: one of
 * its options, a word of “this or that?”, yes to what can be answered so.
 */
export function resolveAnswer(answer: string, { question, recommended, options }: PutQuestion): string {
  const given = plain(answer);
  const option = options.find((each) => plain(each) === given);
  if (given !== '' && option !== undefined) return option;
  if (!nonAnswers.has(given)) return answer.trim();
  const asked = ` ${plain(question)} `;
  if (given !== '' && asked.includes(' or ') && asked.includes(` ${given} `)) return answer.trim();
  return isYes(given) && isYesOrNo({ question, recommended, options }) ? 'yes' : recommended;
}

function isYes(given: string): boolean {
  return given === 'y' || given === 'yes';
}

/** A question of the kind “this or that?” has no yes; the options and the recommendation tell otherwise. */
function isYesOrNo({ question, recommended, options }: PutQuestion): boolean {
  const proposed = [recommended, ...options].map(plain);
  if (proposed.some((text) => /^(?:yes|no)\b/.test(text))) return true;
  return options.length === 0 && !/^(?:which|what|how|who|whom|where|when|why)\b| or /.test(plain(question));
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The options as a person reads them; any other answer is as good. */
export function optionsDetail(options: readonly string[]): string | undefined {
  return options.length === 0
    ? undefined
    : ['Options:', ...options.map((option) => `- ${option}`)].join('\n');
}

export type RoundPlan<Point> = {
  /** Points the code answers; reported, not asked. */
  answered: Point[];
  ask: Point[];
  /** More than a round may ask. */
  deferred: Point[];
};

/** L-175, L-178: what a round asks, one at a time, and what is left for the implementation. */
export function planRound<Point extends { answeredByCode: string | null }>(
  points: readonly Point[],
  limit: number = discussionLimits.questionsPerRound,
): RoundPlan<Point> {
  const open = points.filter(({ answeredByCode }) => answeredByCode === null);
  return {
    answered: points.filter(({ answeredByCode }) => answeredByCode !== null),
    ask: open.slice(0, limit),
    deferred: open.slice(limit),
  };
}

export const candidateReasons = ['not-covered', 'challenged', 'still-contested'] as const;
export type CandidateReason = (typeof candidateReasons)[number];

export type DiscussionCandidate = { decision: NumberedDecision; reasons: CandidateReason[] };

/** L-722: a decision is open after a vote with dissent, such as 2–1, and without any vote. */
export function isStillContested(resolution: Resolution): boolean {
  if (resolution.disposition !== 'voted' || !resolution.tally) return true;
  return Math.min(resolution.tally.thesis, resolution.tally.antithesis) > 0;
}

/** L-722: what the second discussion round may ask about. Without a first round every decision counts as not covered. */
export function discussionCandidates({
  decisions,
  resolutions,
  coveredTitles,
  challenged,
}: {
  decisions: readonly NumberedDecision[];
  resolutions: readonly Resolution[];
  /** Titles settled in round 1. */
  coveredTitles: readonly string[];
  /** Numbers of decisions that an accepted finding speaks against. */
  challenged: readonly number[];
}): DiscussionCandidate[] {
  const covered = new Set(coveredTitles.map((title) => title.toLowerCase()));
  return decisions
    .map((decision) => {
      const resolution = resolutions.find(({ number }) => number === decision.number);
      const settled = resolution !== undefined && !isStillContested(resolution);
      const reasons: CandidateReason[] = [];
      if (!covered.has(decision.title.toLowerCase()) && !settled) reasons.push('not-covered');
      if (challenged.includes(decision.number)) reasons.push('challenged');
      if (resolution !== undefined && !settled) reasons.push('still-contested');
      return { decision, reasons };
    })
    .filter(({ reasons }) => reasons.length > 0);
}
