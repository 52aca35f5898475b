import { tableEntry } from '../../../src/base/safe-json.ts';
import type { FindingView } from '../../../src/surfaces/web/view/findings.ts';
import type { RunView } from '../../../src/surfaces/web/view/run-view.ts';
import { shortId, showFinding } from './plan.tsx';

const signs: Readonly<Record<string, readonly [sign: string, name: string]>> = {
  YES: ['✓', 'yes'],
  NO: ['✕', 'no'],
  EXONERATE: ['○', 'exonerate'],
  missing: ['·', 'did not vote'],
};

/** Who voted how on what, and how the reviewers fared. */
export function Votes({ view }: { view: RunView }) {
  const { votes, findings } = view;
  if (votes === undefined) return null;
  return (
    <div class="stack">
      {votes.voters.length > 0 && (
        <section class="card scroll" tabIndex={0} aria-label="Votes">
          <table class="matrix">
            <caption>
              {votes.rule}
              {!['', 'nobody'].includes(votes.missing) && `. Missing: ${votes.missing}`}
            </caption>
            <thead>
              <tr>
                <th scope="col">Finding</th>
                {votes.voters.map((voter) => (
                  <th key={voter} scope="col">
                    {voter}
                  </th>
                ))}
                <th scope="col">Outcome</th>
              </tr>
            </thead>
            <tbody>
              {findings.map((finding) => (
                <VoteRow key={finding.id} finding={finding} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {votes.scores.length > 0 && <Scoreboard scores={votes.scores} />}
    </div>
  );
}

function VoteRow({ finding }: { finding: FindingView }) {
  return (
    <tr>
      <th scope="row">
        <button type="button" class="link" onClick={() => showFinding(finding.id)}>
          <span class="note-id">{shortId(finding.id)}</span> <bdi>{finding.title}</bdi>
        </button>
      </th>
      {finding.votes.map(({ voter, vote, reason }) => {
        const [sign, name] = tableEntry(signs, vote) ?? ['?', vote];
        return (
          <td key={voter} class={`vote vote-${vote}`} title={reason || name}>
            <span aria-hidden="true">{sign}</span>
            <span class="unseen">
              {name}
              {reason === '' ? '' : `: ${reason}`}
            </span>
          </td>
        );
      })}
      <td>
        <span class={`tag outcome-${finding.outcome ?? 'open'}`}>{finding.outcome ?? 'open'}</span>
      </td>
    </tr>
  );
}

type Scores = NonNullable<RunView['votes']>['scores'];

function Scoreboard({ scores }: { scores: Scores }) {
  const most = Math.max(1, ...scores.map(({ findings }) => findings));
  return (
    <section class="card scroll" tabIndex={0} aria-label="Scoreboard">
      <table class="scoreboard">
        <caption>Scoreboard: one point per accepted finding, one less per rejected one</caption>
        <thead>
          <tr>
            <th scope="col">Reviewer</th>
            <th scope="col">Findings</th>
            <th scope="col">Accepted</th>
            <th scope="col">Neutral</th>
            <th scope="col">Exonerated</th>
            <th scope="col">Rejected</th>
            <th scope="col">Score</th>
          </tr>
        </thead>
        <tbody>
          {[...scores]
            .sort((a, b) => b.score - a.score)
            .map((row) => (
              <tr key={row.reviewer}>
                <th scope="row">{row.reviewer}</th>
                <td>
                  <span class="mini" aria-hidden="true">
                    <i class="good" style={{ width: `${(row.accepted / most) * 100}%` }} />
                    <i class="rest" style={{ width: `${((row.neutral + row.exonerated) / most) * 100}%` }} />
                    <i class="bad" style={{ width: `${(row.rejected / most) * 100}%` }} />
                  </span>
                  {row.findings}
                </td>
                <td>{row.accepted}</td>
                <td>{row.neutral}</td>
                <td>{row.exonerated}</td>
                <td>{row.rejected}</td>
                <td>
                  <strong>{row.score > 0 ? `+${row.score}` : row.score < 0 ? `−${-row.score}` : '0'}</strong>
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}
