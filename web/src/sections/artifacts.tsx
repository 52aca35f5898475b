import { useState } from 'preact/hooks';
import { Dialog } from '../dialog.tsx';
import { count } from '../format.ts';
import { Markdown } from '../markdown.tsx';
import { isPictureName, Picture } from '../picture.tsx';
import type { Source } from '../source.ts';
import { useLoaded } from '../use-loaded.ts';

type Artifact = { name: string; bytes: number };

/** The files of a run on disk. */
export function Artifacts({
  source,
  run,
  artifacts,
}: {
  source: Source;
  run: string;
  artifacts: Artifact[];
}) {
  const [open, setOpen] = useState<Artifact>();
  return (
    <>
      <ul class="card files">
        {artifacts.map((artifact) => (
          <li key={artifact.name}>
            <button
              type="button"
              class="link mono"
              disabled={artifact.bytes === 0}
              onClick={() => setOpen(artifact)}
            >
              {artifact.name}
            </button>
            <span class="quiet">{artifact.bytes === 0 ? 'empty' : `${count(artifact.bytes)} bytes`}</span>
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <ArtifactDialog source={source} run={run} artifact={open} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

function ArtifactDialog(props: { source: Source; run: string; artifact: Artifact; onClose: () => void }) {
  const { source, run, artifact, onClose } = props;
  const picture = isPictureName(artifact.name);
  const { value, problem } = useLoaded(`${artifact.name} ${artifact.bytes}`, async () =>
    picture ? '' : source.artifact(run, artifact.name),
  );
  return (
    <Dialog title={artifact.name} onClose={onClose}>
      {problem !== undefined && <p class="notice bad">{problem}</p>}
      {picture && <Picture name={artifact.name} alt={artifact.name} />}
      {!picture &&
        value !== undefined &&
        (artifact.name.endsWith('.json') ? (
          <pre class="plain" tabIndex={0}>
            {value}
          </pre>
        ) : (
          <Markdown text={value} />
        ))}
    </Dialog>
  );
}
