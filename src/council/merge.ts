import { type Merge, severities } from '../base/schema/judgements/review.ts';
import { renderBlock, renderBlocks } from '../base/text/labelled-block.ts';
import { mergeFindingsPrompt } from '../prompts/panel/plan-review.ts';
import { type Council, type Seat, tryAuthor } from './council.ts';
import {
  type Candidate,
  evidenceMarks,
  isSecurityFinding,
  numberCandidates,
  type RaisedFinding,
  type ReviewItem,
} from './review.ts';

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
  round: number,
  earlier: readonly ReviewItem[],
): Promise<ReviewItem[]> {
  const candidates = numberCandidates(raised);
  if (candidates.length === 1) return mergeCandidates(candidates, undefined, earlier).items;
  const reply = await tryAuthor(council, author, {
    key: round === 1 ? 'merge-findings' : `merge-${round}-findings`,
    kind: 'merge-findings',
    judgement: 'merge',
    draft: (schema) => mergeFindingsPrompt({ findings: candidateText(candidates), schema }),
    facts: { items: candidates },
  });
  const { items, refused } = mergeCandidates(candidates, reply.ok ? reply.value : undefined, earlier);
  if (refused !== undefined) council.warn(`Findings were not merged: ${refused}. Each stands alone.`);
  return items;
}

function candidateText(candidates: readonly Candidate[]): string {
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
export function partitionProblem(candidates: readonly Candidate[], { clusters }: Merge): string | undefined {
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
