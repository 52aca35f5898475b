import { useState } from 'preact/hooks';
import type { FindingView } from '../../../src/surfaces/web/view/findings.ts';
import { Cited, FirstCited } from '../cited.tsx';
import { Markdown } from '../markdown.tsx';
import { shortId } from './plan.tsx';

const outcomeNames: Readonly<Record<string, string>> = {
  accepted: 'Accepted',
  neutral: 'Neutral',
  exonerated: 'Exonerated',
  rejected: 'Rejected',
  open: 'Not voted on yet',
};

/** What reviewers raised against the plan, and what became of it. */
export function Findings({ findings }: { findings: readonly FindingView[] }) {
  const [wanted, setWanted] = useState('all');
  const outcomes = [...new Set(findings.map(({ outcome }) => outcome ?? 'open'))];
  const shown = findings.filter(({ outcome }) => wanted === 'all' || (outcome ?? 'open') === wanted);
  return (
    <>
      {outcomes.length > 1 && (
        <fieldset class="filters" aria-label="Show findings">
          {['all', ...outcomes].map((outcome) => (
            <button
              key={outcome}
              type="button"
              class="button quiet"
              aria-pressed={wanted === outcome}
              onClick={() => setWanted(outcome)}
            >
              {outcome === 'all' ? 'All' : (outcomeNames[outcome] ?? outcome)}{' '}
              <small>
                {outcome === 'all'
                  ? findings.length
                  : findings.filter((finding) => (finding.outcome ?? 'open') === outcome).length}
              </small>
            </button>
          ))}
        </fieldset>
      )}
      <ul class="stack findings">
        {shown.map((finding) => (
          <Finding key={finding.id} finding={finding} />
        ))}
      </ul>
    </>
  );
}

function Finding({ finding }: { finding: FindingView }) {
  const { id, title, outcome = 'open', reviewers, focusArea, severity, anchor } = finding;
  return (
    <li id={id} class={`card pad finding is-${outcome}`} tabIndex={-1}>
      <header>
        <h3>
          <span class="note-id">{shortId(id)}</span> <bdi>{title}</bdi>
        </h3>
        <span class={`tag outcome-${outcome}`}>{outcomeNames[outcome] ?? outcome}</span>
      </header>
      <p class="quiet facts-line">
        <span>{severity}</span>
        <span>{focusArea}</span>
        {finding.outOfScope && <span>out of scope</span>}
        {reviewers.length > 0 && (
          <span>
            by <bdi>{reviewers.join(', ')}</bdi>
          </span>
        )}
        {anchor !== undefined && (
          <span>
            about “<bdi>{anchor.section}</bdi>”, line {anchor.line}
          </span>
        )}
      </p>
      <Markdown text={finding.concern} />
      <dl class="labelled">
        <dt>Suggested</dt>
        <dd>
          <Markdown text={finding.suggestion} />
        </dd>
        {finding.resolution !== undefined && (
          <>
            <dt>Change</dt>
            <dd>
              <Markdown text={finding.resolution} />
            </dd>
          </>
        )}
        <dt>Evidence</dt>
        <dd dir="auto">
          <Cited text={finding.evidence} />
          <FirstCited text={finding.evidence} />
        </dd>
      </dl>
    </li>
  );
}
