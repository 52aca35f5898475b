import { createHash } from 'node:crypto';
import { type ChangeFinding, changeSeverities } from '../../base/schema/judgements/change-review.ts';
import type { Merge } from '../../base/schema/judgements/review.ts';
import { tidyLine } from '../../base/schema/primitives.ts';
import { isSecurityFinding, type Mergeable, partitionProblem } from '../../council/review.ts';
import type { BallotItem } from '../../council/vote.ts';
import type { GroundingFact } from '../../plan/grounding/grounding.ts';
import { hunksOf } from '../../repo/git/patch.ts';
import { checkCitation } from '../../repo/index/citation.ts';
import { matchDeclarations } from '../../repo/index/parse-script.ts';
import type { Snapshot } from '../../repo/index/snapshot.ts';
import { fileKind } from '../../repo/index/snapshot.ts';
import type { SubjectFile } from './subject.ts';

/** A finding as one reviewer raised it. */
export type Raised = ChangeFinding & {
  id: string;
  /** The label of the seat, and the agent that took it. */
  reviewer: string;
  agent: string;
};

/** where a finding is, as the program found it; `unanchored`: the quote is nowhere. */
export type Anchor = Pick<ChangeFinding, 'path' | 'startLine' | 'endLine' | 'side'> & {
  evidence: 'found' | 'moved' | 'unanchored';
  /** The change does not touch these lines. */
  preExisting: boolean;
  /** The declaration or heading around it. */
  symbol: string;
};

/** What code says of findings: the files of the subject, and both versions of the repository. */
export type Evidence = {
  files: readonly SubjectFile[];
  before: Snapshot;
  after: Snapshot;
  isDocument: boolean;
};

/** One defect, from all who reported it. */
export type Merged = Omit<ChangeFinding, keyof Anchor> &
  Anchor & {
    id: string;
    fingerprint: string;
    security: boolean;
    sources: Pick<Raised, 'reviewer' | 'agent' | 'severity' | 'title' | 'claim'>[];
  };

/** what the check of a plan found, at the first line that makes the claim. */
export function planFindings(
  facts: readonly GroundingFact[],
  { path, text }: { path: string; text: string },
): Omit<Raised, 'id'>[] {
  const lines = text.split('\n');
  return facts.flatMap(({ check, subject, severity, result, reason }) => {
    if (severity === 'none') return [];
    const at = lines.findIndex((line) => line.includes(subject));
    const line = Math.max(0, at) + 1;
    return [
      {
        ...{ reviewer: 'Plan-Check', agent: 'plan check', category: 'correctness', side: 'new', path },
        severity: severity === 'error' ? 'major' : 'minor',
        title: `${check} ${subject}: ${result}`.slice(0, 200),
        ...{ claim: reason, consequence: 'The plan cannot be followed here as written.' },
        ...{
          startLine: line,
          endLine: line,
          quote: lines[line - 1] ?? '',
          suggestion: null,
          confidence: 100,
        },
      } as const,
    ];
  });
}

export function mergeable({
  id,
  title,
  category,
  claim,
  consequence,
  suggestion,
  ...place
}: Raised): Mergeable {
  const { path, startLine, quote } = place;
  return {
    ...{ id, title, focusArea: category, outOfScope: false },
    concern: `${claim}\n${consequence}\nAt ${path}:${startLine}: ${quote}`,
    suggestedRevision: suggestion ?? 'None.',
  };
}

/**
 * groups of findings with the same cause in the same file. A model proposes them, and what is no partition counts for
 * nothing; exact duplicates always belong together. Every finding is in exactly one group.
 */
export function clustersOf(
  raised: readonly Raised[],
  merge: Merge | undefined,
): { clusters: Raised[][]; refused?: string } {
  const refused = merge && partitionProblem(raised, merge);
  const proposed = refused === undefined ? (merge?.clusters ?? []) : [];
  const groupOf = new Map<string, string>();
  const groups = new Map<string, Raised[]>();
  for (const finding of raised) {
    const { id, title, category, path, quote } = finding;
    const same = JSON.stringify([category, path, squeezed(quote), tidyLine(title).toLowerCase()]);
    const cluster = proposed.findIndex(({ ids }) => ids.includes(id));
    const group = groupOf.get(same) ?? (cluster < 0 ? same : JSON.stringify([cluster, path]));
    groupOf.set(same, group);
    groups.set(group, [...(groups.get(group) ?? []), finding]);
  }
  return { clusters: [...groups.values()], ...(refused === undefined ? {} : { refused }) };
}

/** looks the quote up in the named file, on the named side and on the other, and only then in other files. */
export function anchorOf(finding: ChangeFinding, { files, before, after, isDocument }: Evidence): Anchor {
  const { startLine: line, endLine } = finding;
  const own = files.find(({ path, oldPath }) => path === finding.path || oldPath === finding.path);
  const quotes = [...new Set([finding.quote, finding.quote.replace(/^[+-]/gm, '')])].filter(
    (quote) => quote.replace(/[^\p{L}\p{N}]/gu, '').length >= shortestQuote,
  );
  const sides = finding.side === 'new' ? (['new', 'old'] as const) : (['old', 'new'] as const);
  const places = sides.flatMap((side) => {
    const snapshot = side === 'new' ? after : before;
    const path = (side === 'new' ? own?.path : own?.oldPath) ?? finding.path;
    return quotes.flatMap((quote) => {
      const check = checkCitation(snapshot, { path, line, endLine: Math.max(line, endLine) }, quote);
      return check.status === 'missing' ? [] : [{ side, snapshot, check, isHere: check.path === path }];
    });
  });
  const place = places.find(({ isHere }) => isHere) ?? places[0];
  if (place === undefined)
    return {
      ...{ path: own?.path ?? finding.path, startLine: line, endLine: Math.max(line, endLine) },
      ...{ side: finding.side, evidence: 'unanchored', preExisting: false, symbol: '' },
    };
  const { side, snapshot, check } = place;
  const file = files.find((each) => check.path === (side === 'new' ? each.path : each.oldPath));
  return {
    ...{ path: file?.path ?? check.path, startLine: check.line, endLine: check.endLine, side },
    evidence: check.status,
    preExisting: !isDocument && !isTouched(file, side, check.line, check.endLine),
    symbol: symbolAt(snapshot, check.path, check.line),
  };
}

/** Letters and digits that a quote needs to say where it is. */
const shortestQuote = 3;

function isTouched(file: SubjectFile | undefined, side: 'new' | 'old', from: number, to: number): boolean {
  const hunks = file === undefined ? [] : hunksOf(file.patch);
  return hunks
    .flatMap(({ added, deleted, beside }) => (side === 'new' ? [...added, ...beside] : deleted))
    .some((line) => line >= from && line <= to);
}

function symbolAt({ files }: Snapshot, path: string, line: number): string {
  const text = files.find((file) => file.path === path)?.text ?? '';
  const above = text.split('\n').slice(0, line);
  if (fileKind(path) === 'document')
    return above.findLast((each) => /^#{1,6} /.test(each))?.replace(/^#+ /, '') ?? '';
  return matchDeclarations(above.join('\n')).at(-1)?.name ?? '';
}

/** the wording of the most specific member, the highest severity; nothing is lost. */
export function mergeCluster(cluster: readonly Raised[], evidence: Evidence): Omit<Merged, 'id'> {
  const members = cluster.map((finding) => ({ finding, anchor: anchorOf(finding, evidence) }));
  const [lead] = [...members].sort((a, b) => vagueness(a) - vagueness(b));
  if (lead === undefined) throw new Error('A group of findings is empty.');
  const { finding, anchor } = lead;
  const isLost = anchor.evidence === 'unanchored';
  const worst =
    changeSeverities.find((severity) => cluster.some((each) => each.severity === severity)) ?? 'minor';
  const { id: _, reviewer: __, agent: ___, ...words } = finding;
  return {
    ...words,
    ...anchor,
    preExisting: members.every((member) => member.anchor.preExisting),
    // A finding whose place is not found must not block anything.
    severity: isLost && worst !== 'nit' ? 'minor' : worst,
    confidence: Math.min(isLost ? 50 : 100, Math.max(...cluster.map(({ confidence }) => confidence))),
    fingerprint: fingerprintOf(finding, anchor, evidence.files),
    security: cluster.some(isAboutSecurity),
    sources: cluster.map(({ reviewer, agent, severity, title, claim }) => ({
      ...{ reviewer, agent, severity, title, claim },
    })),
  };
}

function isAboutSecurity({ title, category, claim, consequence }: Raised): boolean {
  return isSecurityFinding({ title, focusArea: category, concern: claim, suggestedRevision: consequence });
}

function vagueness({ anchor, finding }: { anchor: Anchor; finding: Raised }): number {
  const lines = Math.min(anchor.endLine - anchor.startLine, 999);
  return (
    { found: 0, moved: 1, unanchored: 2 }[anchor.evidence] * 1000 + lines - finding.claim.length / 10_000
  );
}

/**
 * the same defect has the same value after lines moved or the file was renamed by the change. The part before the dash names
 * the place, the part after it the claim.
 */
function fingerprintOf(finding: ChangeFinding, anchor: Anchor, files: readonly SubjectFile[]): string {
  const path = files.find((file) => file.path === anchor.path)?.oldPath ?? anchor.path;
  const words = finding.title.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
  const place = digest([finding.category, path, squeezed(finding.quote), anchor.symbol]).slice(0, 16);
  return `${place}-${digest([...new Set(words)].sort()).slice(0, 8)}`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Text without the marks of a diff and without white space. */
function squeezed(text: string): string {
  return text.replace(/^[+-]/gm, '').replace(/\s+/g, '');
}

/** in an order that says nothing about who raised what, and the same after a restart. */
export function numbered(findings: readonly Omit<Merged, 'id'>[], seed: string): Merged[] {
  return findings
    .map((finding) => ({ finding, rank: digest([seed, finding.fingerprint, finding.title]) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ finding }, index) => ({ id: `FINDING_${index + 1}`, ...finding }));
}

/** What voters see of a finding: without names. */
export function ballotItem(finding: Merged): BallotItem {
  const { id, title, category, severity, claim, consequence, suggestion, evidence } = finding;
  const { path, startLine, endLine, quote, sources } = finding;
  return {
    ...{ id, scope: 'in-scope', title, focusArea: category, severity },
    concern: `${claim}\n${consequence}`,
    suggestedRevision: suggestion ?? 'None.',
    citations: [{ file: path, line: startLine, endLine, quote: quote.split('\n')[0] ?? '' }],
    evidence: evidence === 'unanchored' ? 'missing' : evidence,
    proposers: [...new Set(sources.map(({ reviewer }) => reviewer))],
  };
}
