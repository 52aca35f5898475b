import type { JsonSchema } from '../agents/port.ts';
import { withoutCode } from '../base/markdown/lines.ts';
import type { Plan } from '../base/schema/judgements/plan.ts';
import {
  type Citation,
  type Finding,
  type FocusArea,
  type Merge,
  type Severity,
  severities,
} from '../base/schema/judgements/review.ts';
import { renderBlock, renderBlocks } from '../base/text/labelled-block.ts';
import { renderPlan } from '../plan/plan-text.ts';
import type { Commission } from '../prompts/panel/common.ts';
import { mergeFindingsPrompt, planReviewPrompt } from '../prompts/panel/plan.ts';
import type { PromptDraft } from '../prompts/part.ts';
import { checkCitation } from '../repo/index/citation.ts';
import { openIndex } from '../repo/index/repository-index.ts';
import { type Council, type Question, type Reply, type Seat, tryAuthor, warnOfFailures } from './council.ts';
import { renderFindings } from './findings-text.ts';
import { type Resolution, renderVoted } from './resolutions.ts';
import { answerFile, attribution } from './seating.ts';

/** What opening the cited places at the base commit showed. `none`: nothing was cited. */
export const evidenceMarks = ['found', 'moved', 'missing', 'none', 'unchecked'] as const;
export type EvidenceMark = (typeof evidenceMarks)[number];

/** A finding as one reviewer raised it. */
export type RaisedFinding = Finding & {
  /** Attribution label (L-591). */
  reviewer: string;
  /** The seat it came from, kept even when labels merge. */
  seat: string;
  evidence: EvidenceMark;
};

/** A finding before merging, with the id that merge answers refer to. */
export type Candidate = RaisedFinding & { id: string };

export type Scope = 'in-scope' | 'out-of-scope';

/** An item on the ballot: one finding, or several that mean the same. */
export type ReviewItem = {
  /** `FINDING_N` or `OOS_N`. */
  id: string;
  scope: Scope;
  title: string;
  focusArea: FocusArea;
  severity: Severity;
  concern: string;
  suggestedRevision: string;
  citations: Citation[];
  evidence: EvidenceMark;
  /** Labels of all who raised it, in order, each once. */
  proposers: string[];
  seats: string[];
  /** L-694: must not be published. */
  security: boolean;
};

/** What reviewers are asked: of a plan, or of anything else that findings can be about. */
export type ReviewTask = Pick<Question<'review'>, 'kind' | 'facts' | 'place'> & {
  draft: (seat: Seat, schema: JsonSchema, maximumEffort: boolean) => PromptDraft;
};

export type PlanReview = {
  commission: Commission;
  plan: Plan;
  resolutions: readonly Resolution[];
  /** Whether voted resolutions bind the plan. */
  binding: boolean;
};

/** L-580…L-587: the plan is checked against the code. */
export function planReview({ commission, plan, resolutions, binding }: PlanReview): ReviewTask {
  const text = renderPlan(plan);
  return {
    kind: 'plan-review',
    draft: ({ stance = 'generic', stanceText }, schema, maximumEffort) =>
      planReviewPrompt({
        commission,
        stance,
        stanceText,
        plan: text,
        resolutions: binding ? renderVoted(resolutions) : '',
        competition: true,
        schema,
        maximumEffort,
      }),
    facts: { plan, resolutions },
  };
}

/** Step 3, the round: all reviewers work in parallel, each for itself (L-580…L-591). */
export async function review(
  council: Council,
  { reviewers, author }: { reviewers: readonly Seat[]; author?: Seat },
  { draft, ...task }: ReviewTask,
  round = 1,
): Promise<{ raised: RaisedFinding[]; replies: Reply<'review'>[] }> {
  const replies = await council.ask(
    'review',
    reviewers.map((seat) => [
      seat,
      {
        key: round === 1 ? seat.id : `${seat.id}-round-${round}`,
        judgement: 'review',
        ...task,
        draft: (schema, maximumEffort) => draft(seat, schema, maximumEffort),
      },
    ]),
    'reviewers',
  );
  await council.checkTree('plan-review-collection', round);
  const answers = reviewers.flatMap((seat, index) => {
    const reply = replies[index];
    return reply === undefined ? [] : [{ seat, reply }];
  });
  // L-582, F-24: every review has its own file.
  for (const { seat, reply } of answers) {
    if (reply.value === undefined) continue;
    const name = answerFile(seat, reply.agent);
    await council.artifact(
      round === 1 ? name : name.replace(/-output\.txt$/, `-round-${round}-output.txt`),
      renderFindings(reply.value.findings),
    );
  }
  const raised = answers.flatMap(({ seat, reply }) => {
    warnOfFailures(council, seat.label, reply);
    const reviewer = attribution(seat, reply.agent, author?.agents[0]);
    const { findings } = reply.value ?? { findings: [] };
    return findings.map((finding) => raisedBy(reviewer, seat.id, finding));
  });
  return { raised, replies };
}

/** A finding whose citations are not checked yet. */
export function raisedBy(reviewer: string, seat: string, finding: Finding): RaisedFinding {
  return { ...finding, reviewer, seat, evidence: 'unchecked' };
}

/** Gives raised findings the ids `ITEM_1`, `ITEM_2`, … in the order of seats. */
export function numberCandidates(raised: readonly RaisedFinding[]): Candidate[] {
  return raised.map((finding, index) => ({ ...finding, id: `ITEM_${index + 1}` }));
}

/** L-694: the forms in which a text says that it is about security. */
const tags = [
  /focus-area\s{0,20}=\s{0,20}security/i,
  /^[\s>*-]{0,20}focus-area(?:\*\*)?\s{0,5}:(?:\*\*)?\s{0,5}security/im,
  /\[security\]/i,
];

/** Whether a text carries the security tag outside code, where it is only talked about (F-43). When in doubt it does. */
export function hasSecurityTag(text: string): boolean {
  const prose = withoutCode(text);
  return tags.some((tag) => tag.test(prose));
}

/** Whether a finding must stay local. */
export function isSecurityFinding(
  finding: Pick<Finding, 'title' | 'focusArea' | 'concern' | 'suggestedRevision'>,
): boolean {
  return (
    finding.focusArea === 'security' ||
    [finding.title, finding.concern, finding.suggestedRevision].some(hasSecurityTag)
  );
}

export type MergeResult = {
  items: ReviewItem[];
  /** Why the merge answer was not used; absent when it was, or when none was needed. */
  refused?: string;
};

/** Step 3: the author groups findings that mean the same; an answer that is not a partition merges nothing (C-32). */
export async function merge(
  council: Council,
  author: Seat,
  raised: readonly RaisedFinding[],
  round = 1,
  earlier: readonly ReviewItem[] = [],
): Promise<ReviewItem[]> {
  const candidates = numberCandidates(raised);
  if (candidates.length === 1) return mergeCandidates(candidates, undefined, earlier).items;
  const key = round === 1 ? 'merge-findings' : `merge-${round}-findings`;
  const { items, refused } = mergeCandidates(
    candidates,
    await askMerge(council, author, candidates, { key }),
    earlier,
  );
  if (refused !== undefined) council.warn(`Findings were not merged: ${refused}. Each is kept separately.`);
  return items;
}

/** What a merge needs to know of a finding. */
export type Mergeable = Pick<
  Candidate,
  'id' | 'title' | 'focusArea' | 'outOfScope' | 'concern' | 'suggestedRevision'
>;

/** Asks which findings mean the same; nothing when no usable answer came. */
export async function askMerge(
  council: Council,
  author: Seat,
  candidates: readonly Mergeable[],
  { key = 'merge-findings', place }: { key?: string } & Pick<Question<'merge'>, 'place'> = {},
): Promise<Merge | undefined> {
  const reply = await tryAuthor(council, author, {
    key,
    kind: 'merge-findings',
    judgement: 'merge',
    draft: (schema) => mergeFindingsPrompt({ findings: candidateText(candidates), schema }),
    facts: { items: candidates },
    place,
  });
  return reply.value;
}

function candidateText(candidates: readonly Mergeable[]): string {
  return renderBlocks(
    candidates.map(({ id, title, focusArea, outOfScope, concern, suggestedRevision }) =>
      renderBlock(
        `${id}: ${outOfScope ? '[OUT_OF_SCOPE] ' : ''}${title}`,
        [
          ['Focus area', focusArea],
          ['Concern', concern],
          ['Suggested revision', suggestedRevision],
        ],
        'bullet',
      ),
    ),
  );
}

/**
 * C-32, L-592: clusters of candidates become ballot items. A merge answer that is not a partition of the candidates is
 * refused as a whole, and every candidate becomes one item: a finding is never lost. Numbers continue after those of earlier
 * rounds, so that an id means one finding in the whole run.
 */
export function mergeCandidates(
  candidates: readonly Candidate[],
  merge: Merge | undefined,
  earlier: readonly ReviewItem[] = [],
): MergeResult {
  const alone = candidates.map(({ id }) => ({ ids: [id], title: null }));
  const refused = merge && partitionProblem(candidates, merge);
  const clusters = merge && refused === undefined ? merge.clusters : alone;
  const order = new Map(candidates.map((candidate, index) => [candidate.id, index]));
  const groups = clusters
    .map(({ ids, title }) => ({
      title,
      members: candidates.filter(({ id }) => ids.includes(id)),
    }))
    .sort((a, b) => (order.get(a.members[0]?.id ?? '') ?? 0) - (order.get(b.members[0]?.id ?? '') ?? 0));
  return {
    items: numberItems(
      groups.flatMap(({ members, title }) => mergeGroup(members, title) ?? []),
      earlier,
    ),
    ...(refused ? { refused } : {}),
  };
}

/** What is wrong with a merge answer as a partition; `undefined` when every id is in exactly one cluster. */
export function partitionProblem(
  candidates: readonly Pick<Candidate, 'id'>[],
  { clusters }: Merge,
): string | undefined {
  const known = new Set(candidates.map(({ id }) => id));
  const seen = new Set<string>();
  for (const id of clusters.flatMap(({ ids }) => ids)) {
    if (!known.has(id)) return `${id} is not one of the findings`;
    if (seen.has(id)) return `${id} is in more than one cluster`;
    seen.add(id);
  }
  const lost = [...known].filter((id) => !seen.has(id));
  return lost.length === 0 ? undefined : `${lost.join(', ')} would be lost`;
}

function mergeGroup(members: readonly Candidate[], title: string | null): Omit<ReviewItem, 'id'> | undefined {
  const inScope = members.filter(({ outOfScope }) => !outOfScope);
  // L-592: the same issue in both lists goes under the in-scope finding.
  const lead = inScope[0] ?? members[0];
  if (!lead) return undefined;
  const ordered = [lead, ...members.filter((member) => member !== lead)];
  return {
    scope: inScope.length > 0 ? 'in-scope' : 'out-of-scope',
    title: members.length > 1 ? (title ?? lead.title) : lead.title,
    focusArea: lead.focusArea,
    severity: severest(ordered),
    concern: distinct(ordered.map(({ concern }) => concern)).join('\n\n'),
    suggestedRevision: distinct(ordered.map(({ suggestedRevision }) => suggestedRevision)).join('\n\n'),
    citations: ordered
      .flatMap(({ citations }) => citations)
      .filter((citation, index, all) => all.findIndex((each) => sameCitation(each, citation)) === index),
    evidence: strongestEvidence(ordered),
    proposers: distinct(ordered.map(({ reviewer }) => reviewer)),
    seats: distinct(ordered.map(({ seat }) => seat)),
    security: members.some(isSecurityFinding),
  };
}

function numberItems(items: readonly Omit<ReviewItem, 'id'>[], earlier: readonly ReviewItem[]): ReviewItem[] {
  const counts = { 'in-scope': 0, 'out-of-scope': 0 };
  for (const { scope } of earlier) counts[scope] += 1;
  return items.map((item) => {
    counts[item.scope] += 1;
    return { id: `${item.scope === 'in-scope' ? 'FINDING' : 'OOS'}_${counts[item.scope]}`, ...item };
  });
}

function severest(members: readonly Candidate[]) {
  const rank = { Important: 0, Latent: 1, Nit: 2 } as const;
  return (
    [...severities]
      .sort((a, b) => rank[a] - rank[b])
      .find((severity) => members.some((member) => member.severity === severity)) ?? 'Important'
  );
}

function strongestEvidence(members: readonly Candidate[]) {
  return evidenceMarks.find((mark) => members.some(({ evidence }) => evidence === mark)) ?? 'none';
}

type Cited = Candidate['citations'][number];

function sameCitation(a: Cited, b: Cited): boolean {
  return a.file === b.file && a.line === b.line && a.endLine === b.endLine;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** Opens every cited place at the base commit; the best citation of a finding decides what it weighs. */
export async function markEvidence(
  project: string,
  commit: string | undefined,
  findings: readonly RaisedFinding[],
): Promise<RaisedFinding[]> {
  const { snapshot } = await openIndex(project, commit);
  const order: EvidenceMark[] = ['found', 'moved', 'missing'];
  return findings.map((finding) => {
    const marks = finding.citations.map(
      ({ file, line, endLine, quote }) =>
        checkCitation(snapshot, {
          path: file,
          line,
          endLine: endLine ?? line,
          ...(quote === null ? {} : { quote }),
        }).status,
    );
    return { ...finding, evidence: order.find((mark) => marks.includes(mark as never)) ?? 'none' };
  });
}
