import type { SketchView, SynthesisView } from '../../../src/surfaces/web/view/run-view.ts';
import { Seat } from '../chips.tsx';
import { Markdown } from '../markdown.tsx';

type Props = { synthesis: SynthesisView | undefined; sketches: readonly SketchView[] };

const useNames = { adopted: 'Adopted', preserved: 'Kept in mind', declined: 'Declined' } as const;

/** One approach out of many, with the seats behind each part of it. */
export function Synthesis({ synthesis, sketches }: Props) {
  if (synthesis === undefined) return null;
  const { summary, agreements, divergences, ideas } = synthesis;
  const seats = (names: readonly string[]) => <Seats names={names} sketches={sketches} />;
  return (
    <div class="stack">
      <div class="card pad">
        <Markdown text={summary} />
      </div>
      {agreements.length > 0 && (
        <div class="card pad">
          <h3>Agreements</h3>
          <ul class="points">
            {agreements.map(({ point, seats: names }, index) => (
              <li key={index}>
                <Markdown text={point} />
                {seats(names)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {divergences.map(({ topic, positions, call, reason }, index) => (
        <article key={index} class="card pad">
          <h3 dir="auto">{topic}</h3>
          <ul class="positions">
            {positions.map(({ position, seats: names }, at) => (
              <li key={at}>
                <Markdown text={position} />
                {seats(names)}
              </li>
            ))}
          </ul>
          <div class="call">
            <strong>Call</strong>
            <Markdown text={call} />
            <Markdown text={reason} />
          </div>
        </article>
      ))}
      {ideas.length > 0 && (
        <div class="card pad">
          <h3>Ideas and where they came from</h3>
          <ul class="points">
            {ideas.map(({ idea, seats: names, use, reason }, index) => (
              <li key={index}>
                <div>
                  <Markdown text={idea} />
                  <p class="quiet" dir="auto">
                    {reason}
                  </p>
                </div>
                <span class="tags">
                  <span class={`tag use-${use}`}>{useNames[use]}</span>
                  {seats(names)}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** The seats behind a point; each leads to its sketch. */
function Seats({ names, sketches }: { names: readonly string[]; sketches: readonly SketchView[] }) {
  const show = (seat: string) => {
    const sheet = document.getElementById(`sketch-${seat}`);
    sheet?.scrollIntoView({ block: 'center', inline: 'center' });
    sheet?.focus({ preventScroll: true });
  };
  return (
    <span class="seats">
      {names.map((name) => {
        const known = sketches.some(({ seat }) => seat === name);
        return <Seat key={name} seat={name} {...(known && { onPick: show })} />;
      })}
    </span>
  );
}
