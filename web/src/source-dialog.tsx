import { Lines, type Place } from './cited.tsx';
import { Dialog } from './dialog.tsx';
import type { Source } from './source.ts';
import { useLoaded } from './use-loaded.ts';

/** Cited lines as they were at the base commit, with some around them. */
export function SourceDialog(props: { source: Source; run: string; place: Place; onClose: () => void }) {
  const { source, run, place, onClose } = props;
  const { path, line, endLine } = place;
  const title = `${path}:${line}${endLine > line ? `-${endLine}` : ''}`;
  const { value, problem } = useLoaded(title, () => source.lines(run, place));
  return (
    <Dialog title={title} onClose={onClose}>
      {problem !== undefined && <p class="notice bad">{problem}</p>}
      {value !== undefined && (
        <>
          <p class="quiet">
            at base commit <span class="mono">{value.commit.slice(0, 10)}</span>, {value.total} lines
          </p>
          <Lines source={value} />
        </>
      )}
    </Dialog>
  );
}
