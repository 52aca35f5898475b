import type { SketchView } from '../../../src/surfaces/web/view/run-view.ts';
import { Agent } from '../chips.tsx';
import { Markdown } from '../markdown.tsx';

/** The approaches side by side, drawn before any agent saw another's. */
export function Sketches({ sketches }: { sketches: readonly SketchView[] }) {
  return (
    <>
      <p class="lead">Drawn in parallel; no agent saw another's sketch.</p>
      <ul class="side-by-side" tabIndex={0} aria-label="Sketches, side by side">
        {sketches.map(({ lane, seat, label, agent, text }) => (
          <li key={lane} class="card sheet" id={`sketch-${seat}`} tabIndex={-1}>
            <header>
              <h3 dir="auto">{label}</h3>
              <Agent name={agent} />
            </header>
            <div class="sheet-body">
              <Markdown text={text} />
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
