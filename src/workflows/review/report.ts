import type { Annotation } from '../../base/text/annotations.ts';
import { counted, joinTruncated, trimEndChars } from '../../base/text/strings.ts';
import { decisionOn, type Known } from './baseline.ts';
import type { EarlierFinding } from './earlier.ts';
import type { ReviewInputs } from './inputs.ts';
import { type LeftOut, type Subject, unreadCode } from './subject.ts';
import { failing, isOpen, isStanding, type ReviewFinding } from './verdict.ts';

/** review.json: everything that the other forms of a result are made from. */
export type ReviewFile = {
  schemaVersion: 1;
  run: string;
  subject: Omit<Subject, 'document'>;
  failOn: ReviewInputs['failOn'];
  rule: string;
  reviewers: string[];
  reviewed: { path: string; digest: string }[];
  leftOut: LeftOut[];
  findings: ReviewFinding[];
  /** only of a review since the last one. */
  earlier?: EarlierFinding[];
};

/** what was decided about each finding, of this review and of the one before. */
export function withDecisions(file: ReviewFile, known: readonly Known[], today: string): ReviewFile {
  const decided = <Finding extends ReviewFinding>(finding: Finding): Finding => {
    const decision = decisionOn(finding, known, today);
    return decision === undefined ? finding : { ...finding, known: decision };
  };
  return {
    ...file,
    findings: file.findings.map(decided),
    ...(file.earlier === undefined ? {} : { earlier: file.earlier.map(decided) }),
  };
}

/** What a review says when no file is there to review: what was found before is as it was. */
export function nothingReviewed(
  { subject, failOn, known, earlier }: ReviewInputs,
  leftOut: LeftOut[],
  today: string,
): ReviewFile {
  const file: ReviewFile = {
    ...{ schemaVersion: 1, run: '', subject, failOn, rule: 'nothing was voted on', leftOut },
    ...{ reviewers: [], reviewed: [], findings: [] },
    ...(earlier === undefined
      ? {}
      : { earlier: earlier.findings.map((finding) => ({ ...finding, status: 'still there' })) }),
  };
  return withDecisions(file, known, today);
}

/** For people, the same in few words. */
export function renderNothing({ subject, leftOut, earlier = [] }: ReviewFile): string {
  const names = leftOut.map(({ path, reason }) => `${path} (${reason})`).join(', ');
  const rest =
    names === '' ? '' : ` ${counted(leftOut.length, 'changed file')} cannot be reviewed: ${names}.`;
  const before = earlier.length === 0 ? [] : ['Findings of the review before:', ...earlierRows(earlier)];
  return [`Nothing to review: ${subject.title}.${rest}`, ...before, ''].join('\n');
}

function leftOf(earlier: readonly EarlierFinding[] = []): EarlierFinding[] {
  return earlier.filter(({ status }) => status !== 'resolved');
}

/** why the review ends with exit 6. */
export function unmet({ findings, earlier, leftOut, failOn }: ReviewFile): string | undefined {
  const failed = failing([...findings, ...leftOf(earlier)], failOn).length;
  if (failed > 0) return `${counted(failed, 'finding')} at or above ${failOn}`;
  const unread = failOn === 'never' ? [] : unreadCode(leftOut);
  if (unread.length === 0) return undefined;
  return `too large to review: ${joinTruncated(
    unread.map(({ path }) => path),
    5,
  )}`;
}

/** findings that are written out; the rest are rows of a table. */
const mostInline = 10;

const order = ['blocking', 'major', 'minor', 'nit'] as const;

/** The worst first. */
function inOrder(findings: readonly ReviewFinding[]): ReviewFinding[] {
  return [...findings].sort(
    (a, b) =>
      order.indexOf(a.severity) - order.indexOf(b.severity) ||
      b.confidence - a.confidence ||
      (a.fingerprint < b.fingerprint ? -1 : 1),
  );
}

/** review.md: quiet, with the verdict and the list of what to do last. */
export function renderReview(file: ReviewFile): string {
  const { subject, findings, reviewed, leftOut, reviewers, rule, failOn, earlier = [] } = file;
  const left = leftOf(earlier).filter(isOpen);
  const open = inOrder(findings.filter(isOpen));
  const before = inOrder(findings.filter((finding) => isStanding(finding) && finding.preExisting));
  const inline = open.slice(0, mostInline);
  const more = [
    ...open.slice(mostInline),
    ...inOrder(findings.filter((each) => isStanding(each) && each.severity === 'nit' && !each.preExisting)),
  ];
  const count = (wanted: (finding: ReviewFinding) => boolean) => findings.filter(wanted).length;
  const others = [
    [count(({ known }) => known !== undefined), 'known from the baseline'],
    [count(({ verdict, known }) => verdict === 'unconfirmed' && known === undefined), 'unconfirmed'],
    [count(({ verdict, known }) => verdict === 'rejected' && known === undefined), 'rejected by the vote'],
  ] as const;
  const counts = others.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return [
    `# Review: ${subject.title}`,
    '',
    `${counted(reviewed.length, 'file')} at ${subject.head.slice(0, 12)}, by ${reviewers.join(', ')}. Rule: ${trimEndChars(rule, '.')}.`,
    ...(leftOut.length === 0
      ? []
      : [
          '',
          `Not reviewed: ${joinTruncated(
            leftOut.map(({ path, reason }) => `${path} (${reason})`),
            20,
          )}.`,
        ]),
    ...(earlier.length === 0 ? [] : ['', '## Findings of the review before', '', ...earlierRows(earlier)]),
    ...inline.flatMap(written),
    ...(more.length === 0 ? [] : ['', '## Further findings', '', ...rows(more)]),
    ...(before.length === 0 ? [] : ['', '## In code that the change does not touch', '', ...rows(before)]),
    ...(counts.length === 0 ? [] : ['', `Not listed: ${counts.join(', ')}; all are in review.json.`]),
    '',
    '## Verdict',
    '',
    verdictLine([...left, ...open], failing([...left, ...findings], failOn).length, failOn),
    ...(inline.length === 0
      ? []
      : ['', ...inline.map((finding, index) => `${index + 1}. ${placeOf(finding)}: ${finding.title}`)]),
    '',
  ].join('\n');
}

function verdictLine(open: readonly ReviewFinding[], failed: number, failOn: string): string {
  if (open.length === 0) return 'Nothing found.';
  return `${counted(open.length, 'finding')}, ${failed} at or above \`${failOn}\`.`;
}

function placeOf({ path, startLine, endLine, side, evidence }: ReviewFinding): string {
  const lines = endLine > startLine ? `${startLine}-${endLine}` : `${startLine}`;
  const note = evidence === 'unanchored' ? ', place not found' : side === 'old' ? ', deleted' : '';
  return `${path}:${lines}${note}`;
}

function written(finding: ReviewFinding): string[] {
  const { id, severity, category, title, claim, consequence, quote, suggestion, votes, verdict, sources } =
    finding;
  const said = [...new Set(sources.map((source) => source.severity))];
  const differs = said.length > 1 ? ` (reviewers said ${said.join(', ')})` : '';
  const voted = votes.yes + votes.no === 0 ? '' : `, ${votes.yes} YES, ${votes.no} NO`;
  return [
    '',
    `## ${severity}: ${title}`,
    '',
    `${placeOf(finding)} — ${category}${differs}, ${counted(sources.length, 'reviewer')}${voted}${verdict === 'disputed' ? ', disputed: a finding about security is not outvoted' : ''} [${id}]`,
    '',
    ...fenced(quote),
    '',
    claim,
    '',
    consequence,
    ...(suggestion === null ? [] : ['', 'Suggested:', '', ...fenced(suggestion)]),
  ];
}

function fenced(text: string): string[] {
  const marks = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return [marks, text, marks];
}

function earlierRows(findings: readonly EarlierFinding[]): string[] {
  return findings.map(
    (each) =>
      `- ${each.known ?? each.status}: ${placeOf(each)}: ${each.title} (${each.severity}) [${each.id}]`,
  );
}

function rows(findings: readonly ReviewFinding[]): string[] {
  const cell = (text: string) => text.replace(/[\\|]/g, '\\$&');
  return [
    '| Severity | Place | Finding | Id |',
    '|---|---|---|---|',
    ...findings.map(
      (each) => `| ${each.severity} | ${cell(placeOf(each))} | ${cell(each.title)} | ${each.id} |`,
    ),
  ];
}

const levels = { blocking: 'error', major: 'error', minor: 'warning', nit: 'info' } as const;

/** Findings for programs that mark lines: confirmed ones that are not known yet, and those that the review before left open. */
export function annotationsOf({ findings, earlier }: ReviewFile): Annotation[] {
  return inOrder([...findings, ...leftOf(earlier)].filter(isOpen)).map((finding) => ({
    rule: `review-${finding.category}`,
    severity: levels[finding.severity],
    file: finding.path,
    line: finding.startLine,
    message: `${finding.title}: ${finding.claim} ${finding.consequence}`,
    fingerprint: finding.fingerprint,
  }));
}
