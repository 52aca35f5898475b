import { readBlocks, renderBlock, renderBlocks } from '../base/text/labelled-block.ts';
import { decisionId, type NumberedDecision } from './decisions.ts';
import type { Resolution } from './resolutions.ts';
import { entriesOf, type Outcome, reasonNotImplemented, type TallyEntry } from './tally.ts';
import type { Quorum } from './vote.ts';

/** L-694: the observations about security, which never leave the run. */
export const heldFile = 'oos-security-local.md';

/** Where reviewers and voters wrote about them in their own words. */
const writings = /^ballot(?:-\d+)?\.txt$|^(?!.*(?:-sketch-|-judge-|^debate-)).*-output\.txt$/;

/**
 * L-694: which of a run's artifacts stay in its own directory when the others are copied or sent around: none, unless an
 * observation about security was held back.
 */
export function localOnly(names: readonly string[]): string[] {
  return names.includes(heldFile) ? names.filter((name) => name === heldFile || writings.test(name)) : [];
}

export type AcceptedFinding = { id: string; title: string; concern: string; resolution: string };

/** L-698: why an accepted finding counts as not dealt with. */
export const unresolvedTexts = {
  silent: 'The revision does not say how the plan changed.',
  unchanged: 'The revision left the plan as it was.',
};

export type RejectedFinding = { reviewer: string; finding: string; reason: string; outcome: Outcome };
export type OutOfScopeEntry = {
  id: string;
  title: string;
  description: string;
  reviewer: string;
  tally: string;
  outcome: Outcome;
};

/** L-690: what was accepted, with how the plan changed for each, or why that is not known. In-scope only. */
export function acceptedFindings(
  entries: readonly TallyEntry[],
  resolutions: Readonly<Record<string, string>>,
  unresolved = unresolvedTexts.silent,
): AcceptedFinding[] {
  return entriesOf(entries, 'in-scope')
    .filter(({ outcome }) => outcome === 'accepted')
    .map(({ item }) => ({
      id: item.id,
      title: item.title,
      concern: item.concern,
      resolution: resolutions[item.id] ?? unresolved,
    }));
}

/** L-690: `accepted-plan-findings.md`; empty when nothing was accepted. */
export function renderAccepted(findings: readonly AcceptedFinding[]): string {
  return renderBlocks(
    findings.map(({ id, title, concern, resolution }) =>
      renderBlock(
        `${id}: ${title}`,
        [
          ['Concern', concern],
          ['Resolution', resolution],
        ],
        'bullet',
      ),
    ),
  );
}

/** L-690: the accepted findings as they are printed, with the count above them. */
export function printedAccepted(text: string): string {
  const count = readAccepted(text).length;
  return `${count} ${count === 1 ? 'finding' : 'findings'} voted in.\n\n${text}`;
}

export function readAccepted(text: string): AcceptedFinding[] {
  return readBlocks(text, /^(FINDING_\d+): (.*)$/, ['Concern', 'Resolution']).map(({ heading, fields }) => ({
    id: heading[0] ?? '',
    title: heading[1] ?? '',
    concern: fields.get('Concern') ?? '',
    resolution: fields.get('Resolution') ?? '',
  }));
}

/** L-696, C-36: every in-scope item that is not implemented, with its class and the whole reason. */
export function rejectedFindings(entries: readonly TallyEntry[], quorum: Quorum): RejectedFinding[] {
  return entriesOf(entries, 'in-scope')
    .filter(({ outcome }) => outcome !== 'accepted')
    .map((entry) => ({
      reviewer: entry.item.proposers.join(', '),
      finding: `${entry.item.title}\n\n${entry.item.concern}\n\nSuggested: ${entry.item.suggestedRevision}`,
      reason: reasonNotImplemented(entry, quorum),
      outcome: entry.outcome,
    }));
}

/** L-696: `rejected-findings.md`; empty when everything was implemented. */
export function renderRejected(findings: readonly RejectedFinding[]): string {
  return renderBlocks(
    findings.map(({ reviewer, finding, reason, outcome }) =>
      renderBlock(
        `[Plan Review] ${reviewer}`,
        [
          ['Finding', finding],
          ['Reason not implemented', reason],
          ['Class', outcome],
        ],
        'plain',
      ),
    ),
  );
}

/** L-693, L-694: observations by where they may go. Security ones stay local, accepted or not. */
export function outOfScopeEntries(entries: readonly TallyEntry[]): {
  open: OutOfScopeEntry[];
  held: OutOfScopeEntry[];
} {
  const all = entriesOf(entries, 'out-of-scope');
  const toEntry = ({ item, yes, no, exonerate, outcome }: TallyEntry): OutOfScopeEntry => ({
    id: item.id,
    title: item.title,
    description: describe(item.concern, item.citations),
    reviewer: item.proposers.join(', '),
    tally: `YES=${yes}, NO=${no}, EXONERATE=${exonerate}`,
    outcome,
  });
  return {
    open: all.filter(({ item }) => !item.security).map(toEntry),
    held: all.filter(({ item }) => item.security).map(toEntry),
  };
}

/** L-692, L-693: `oos.md`, and with `handOff` the block format of `oos-accepted-design.md`. */
export function renderOutOfScope(entries: readonly OutOfScopeEntry[], { handOff = false } = {}): string {
  return renderBlocks(
    entries.map(({ id, title, description, reviewer, tally, outcome }) =>
      renderBlock(
        `${id}: ${title}`,
        [
          ['Description', description],
          ['Reviewer', reviewer],
          ['Vote tally', tally],
          ...(handOff ? [] : [['Outcome', outcome] as const]),
          ['Phase', 'design'],
        ],
        'bullet',
      ),
    ),
  );
}

/** F-35: a caller makes an issue of each observation; more than this at once overwhelm the reader. */
export const handOffLimit = 10;

/** L-692: only accepted ones, the first few, and never one that is about security. */
export function handOffEntries(open: readonly OutOfScopeEntry[], limit = handOffLimit): OutOfScopeEntry[] {
  return open.filter(({ outcome }) => outcome === 'accepted').slice(0, limit);
}

/** L-695: line ranges let a caller see which observations touch the same lines. */
function describe(concern: string, citations: TallyEntry['item']['citations']): string {
  const places = citations
    .map(({ file, line, endLine }) => `${file}:${line}-${endLine ?? line}`)
    .filter((place) => !concern.includes(place));
  return places.length === 0 ? concern : `${concern}\n\nAffected: ${places.join(', ')}`;
}

/** L-254: what a caller wants to know of a finished heavy phase, without reading the files. */
export type DesignSummary = {
  schema_version: 1;
  /** Paths are relative to this file. */
  plan_path: string;
  review_tally_path: string;
  /** panel/C-37: a discussion changed the plan after its review. */
  revised_after_review: boolean;
  finding_counts: {
    in_scope_accepted: number;
    in_scope_rejected: number;
    oos_accepted: number;
    oos_rejected: number;
  };
};

/** What became of every finding that was voted on, in all rounds of review. */
export type ReviewOutcome = {
  accepted: AcceptedFinding[];
  rejected: RejectedFinding[];
  /** Out-of-scope observations that may be published. */
  observed: OutOfScopeEntry[];
};

export function designSummary(
  { accepted, rejected, observed }: ReviewOutcome,
  revisedAfterReview: boolean,
): DesignSummary {
  const worthAnIssue = observed.filter(({ outcome }) => outcome === 'accepted').length;
  return {
    schema_version: 1,
    plan_path: 'plan.txt',
    review_tally_path: 'voting-tally.md',
    revised_after_review: revisedAfterReview,
    finding_counts: {
      in_scope_accepted: accepted.length,
      in_scope_rejected: rejected.length,
      oos_accepted: worthAnIssue,
      oos_rejected: observed.length - worthAnIssue,
    },
  };
}

/** A position that lost, with its best argument and the reason it lost. */
export type Dissent = {
  subject: string;
  position: string;
  argument: string;
  heldBy: string;
  overruled: string;
};

/** Every overruled position: the losing side of each decision and each finding that was not taken up. */
export function dissents(
  decisions: readonly NumberedDecision[],
  resolutions: readonly Resolution[],
  rejected: readonly RejectedFinding[],
): Dissent[] {
  return [
    ...decisions.flatMap((decision) => {
      const resolution = resolutions.find(({ number }) => number === decision.number);
      return resolution ? [fromDecision(decision, resolution)] : [];
    }),
    ...rejected.map(({ finding, reviewer, reason, outcome }) => {
      const [title = '', ...rest] = finding.split('\n');
      return {
        subject: `Finding not taken up (${outcome})`,
        position: title,
        argument: rest.join('\n').trim() || title,
        heldBy: reviewer,
        overruled: reason,
      };
    }),
  ];
}

function fromDecision(decision: NumberedDecision, resolution: Resolution): Dissent {
  const alternativeWon = resolution.why.label === 'Why antithesis prevails';
  const summary = alternativeWon ? resolution.thesisSummary : resolution.antithesisSummary;
  const heard = resolution.disposition === 'voted' || resolution.disposition === 'fallback-to-synthesis';
  return {
    subject: `${decisionId(decision)}: ${decision.title}`,
    position: alternativeWon ? decision.chosen : decision.alternative,
    argument: heard && summary !== '' ? summary : decision.tension,
    heldBy: (alternativeWon ? decision.chosenSeats : decision.alternativeSeats).join(', ') || 'not recorded',
    overruled: reasonOf(resolution),
  };
}

/** Why a side lost; of what was never debated only the cause, not where the program skipped it. */
function reasonOf({ disposition, why }: Resolution): string {
  if (disposition === 'voted' || disposition === 'fallback-to-synthesis') return `${why.label}: ${why.text}`;
  return `Not debated (${why.text.split(' — ')[0]}); the synthesis stands.`;
}

/** The body of the dissent section of plan and report. */
export function renderDissent(entries: readonly Dissent[]): string {
  return renderBlocks(
    entries.map(({ subject, position, argument, heldBy, overruled }) =>
      renderBlock(
        subject,
        [
          ['Position', position],
          ['Best argument', argument],
          ['Held by', heldBy],
          ['Overruled', overruled],
        ],
        'bullet',
      ),
    ),
  ).trimEnd();
}
