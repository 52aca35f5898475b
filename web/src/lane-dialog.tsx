import { readJson } from '../../src/base/safe-json.ts';
import { Dialog } from './dialog.tsx';
import { Markdown } from './markdown.tsx';
import { hashOf } from './route.ts';
import type { Source } from './source.ts';
import { useLoaded } from './use-loaded.ts';

type Props = { source: Source; run: string; lane: string; onClose: () => void };

/** What a lane did: mostly a call; a design inside a comparison is a separate run. */
export function LaneDialog(props: Props) {
  const [, design] = /^design-(\d+-(?:solo|panel))$/.exec(props.lane) ?? [];
  if (design === undefined) return <CallDialog {...props} />;
  const run = `${props.run}-${design}`;
  return (
    <Dialog title={props.lane} onClose={props.onClose}>
      <p>This design is a separate run, with its own lanes, plan and report:</p>
      <p>
        {props.source.report === undefined ? (
          <a href={hashOf({ run })} onClick={props.onClose}>
            {run}
          </a>
        ) : (
          <code>{run}</code>
        )}
      </p>
    </Dialog>
  );
}

/** The prompt and the answer of an agent. */
function CallDialog(props: Props) {
  const { source, run, lane, onClose } = props;
  const { value, problem } = useLoaded(lane, () => source.lane(run, lane));
  return (
    <Dialog title={lane} onClose={onClose}>
      {problem !== undefined && <p class="notice bad">{problem}</p>}
      {value?.attempts.map(({ attempt, prompt, answer }) => (
        <section key={attempt}>
          <h3>Attempt {attempt}</h3>
          {looksLikeJson(answer) ? (
            <pre class="plain" tabIndex={0}>
              {pretty(answer)}
            </pre>
          ) : (
            <Markdown text={answer || '(no answer yet)'} />
          )}
          <details>
            <summary>Prompt</summary>
            <pre class="plain" tabIndex={0}>
              {prompt}
            </pre>
          </details>
        </section>
      ))}
    </Dialog>
  );
}

const looksLikeJson = (text: string) => /^\s*[[{]/.test(text);

function pretty(text: string): string {
  const reading = readJson(text);
  return reading.ok ? JSON.stringify(reading.value, null, 2) : text;
}
