import type { DebateView, DefenceView, JudgeView } from '../../../src/surfaces/web/view/debates.ts';
import { Agent, Seat } from '../chips.tsx';
import { Cited } from '../cited.tsx';
import { Markdown } from '../markdown.tsx';

const dispositionNames = {
  voted: 'Decided by the judges',
  'fallback-to-synthesis': 'Decided by the synthesis',
  'bucket-skipped': 'Not debated',
  'over-cap': 'Not debated: too many decisions',
} as const;

/** Each contested decision as it was argued: defence A, defence B, the judges, the verdict, and then the authors. */
export function Debates({ debates }: { debates: readonly DebateView[] }) {
  return (
    <div class="stack">
      {debates.map((debate) => (
        <Debate key={debate.number} debate={debate} />
      ))}
    </div>
  );
}

function Debate({ debate }: { debate: DebateView }) {
  const { number, title, tension, impact, files, sides, judges, resolution } = debate;
  return (
    <article class="card pad debate" aria-label={`Decision ${number}: ${title}`}>
      <header>
        <h3>
          <span class="number">{number}</span> <bdi>{title}</bdi>
        </h3>
        <span class={`tag impact-${impact.toLowerCase()}`}>{impact} impact</span>
      </header>
      <p dir="auto">
        <Cited text={tension} />
      </p>
      {files.length > 0 && <p class="quiet mono">{files.join(', ')}</p>}
      <div class="versus">
        {sides.map((side, index) => (
          <Defence
            key={side.side}
            side={side}
            letter={index === 0 ? 'A' : 'B'}
            won={resolution?.winner === side.side}
          />
        ))}
      </div>
      {judges.length > 0 && (
        <ul class="judges" aria-label="Judges">
          {judges.map((judge) => (
            <Judge key={judge.judge} judge={judge} sides={sides} />
          ))}
        </ul>
      )}
      {resolution === undefined ? (
        <p class="quiet">No verdict yet. Authors stay hidden until there is one.</p>
      ) : (
        <Verdict resolution={resolution} debate={debate} />
      )}
      {resolution !== undefined && <Unveiled sides={sides} />}
    </article>
  );
}

function Defence({ side, letter, won }: { side: DefenceView; letter: string; won: boolean }) {
  const claim = side.parts.find(({ name }) => name === 'Claim');
  const evidence = side.parts.find(({ name }) => name === 'Evidence');
  const rest = side.parts.filter((part) => part !== claim && part !== evidence);
  return (
    <section class={`defence${won ? ' won' : ''}`} aria-label={`Defence ${letter}`}>
      <h4>
        <span class="letter">{letter}</span>
        <bdi>
          <Cited text={side.position} />
        </bdi>
        {won && <span class="tag good">prevails</span>}
      </h4>
      {side.parts.length === 0 && <p class="quiet">No agent argued for this side.</p>}
      {claim !== undefined && <Markdown text={claim.text} />}
      {evidence !== undefined && (
        <div class="evidence">
          <strong>Evidence</strong>
          <Markdown text={evidence.text} />
        </div>
      )}
      {rest.length > 0 && (
        <details>
          <summary>Concession, answer, risk</summary>
          {rest.map(({ name, text }) => (
            <div key={name}>
              <strong>{name}</strong>
              <Markdown text={text} />
            </div>
          ))}
        </details>
      )}
    </section>
  );
}

function Judge({ judge, sides }: { judge: JudgeView; sides: DebateView['sides'] }) {
  const letterOf = (vote: string) => (sides[0].side === vote ? 'A' : sides[1].side === vote ? 'B' : '–');
  const voices = new Set(judge.votes.map(({ vote }) => vote));
  const [first] = judge.votes;
  return (
    <li>
      <span class="gavel" aria-hidden="true">
        {voices.size > 1 ? '=' : letterOf(first?.vote ?? '')}
      </span>
      <span>
        <strong>
          <bdi>{judge.judge}</bdi>
        </strong>{' '}
        {voices.size > 1 ? 'changed sides with the order: a tie' : `for ${letterOf(first?.vote ?? '')}`}
        {judge.votes.length > 1 && voices.size === 1 && <small> in both orders</small>}
        <p class="quiet" dir="auto">
          <Cited text={first?.rationale ?? ''} />
        </p>
      </span>
    </li>
  );
}

type VerdictProps = { resolution: NonNullable<DebateView['resolution']>; debate: DebateView };

function Verdict({ resolution, debate }: VerdictProps) {
  const { disposition, tally, why } = resolution;
  const votes = { THESIS: tally?.thesis ?? 0, ANTI_THESIS: tally?.antithesis ?? 0 };
  const counted = votes.THESIS + votes.ANTI_THESIS;
  const decided = debate.judges.filter((judge) => new Set(judge.votes.map(({ vote }) => vote)).size === 1);
  return (
    <div class="verdict">
      <p>
        <strong>{dispositionNames[disposition]}:</strong>{' '}
        <bdi>
          <Cited text={resolution.resolution} />
        </bdi>
        {tally !== undefined && (
          <span class="tally">
            A {votes[debate.sides[0].side]} : {votes[debate.sides[1].side]} B
          </span>
        )}
      </p>
      <Markdown text={why} />
      {tally !== undefined && counted < decided.length && (
        <p class="quiet">A judge of the author's own family counts only when fewer than two others voted.</p>
      )}
    </div>
  );
}

function Unveiled({ sides }: { sides: DebateView['sides'] }) {
  if (sides.every(({ agent, seats }) => agent === undefined && seats === undefined)) return null;
  return (
    <details class="unveiled">
      <summary>Unveil the authors</summary>
      <ul>
        {sides.map(({ side, agent, seats = [] }, index) => (
          <li key={side}>
            <span class="letter">{index === 0 ? 'A' : 'B'}</span>
            {agent !== undefined && (
              <>
                argued by <Agent name={agent} />
              </>
            )}
            {seats.length > 0 && (
              <>
                {' '}
                after the sketches of{' '}
                {seats.map((seat) => (
                  <Seat key={seat} seat={seat} />
                ))}
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
