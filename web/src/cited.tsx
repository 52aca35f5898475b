import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { citedParts } from '../../src/surfaces/web/cited-parts.ts';

export type Place = { path: string; line: number; endLine: number };

/** Opens cited lines; absent where there is nothing to open them with. */
export const OpenPlace = createContext<((place: Place) => void) | undefined>(undefined);

/** Running text in which every `file:line` is a button that opens those lines at the base commit. */
export function Cited({ text }: { text: string }) {
  const open = useContext(OpenPlace);
  if (open === undefined || !text.includes(':')) return <>{text}</>;
  return (
    <>
      {citedParts(text).map((part, index) =>
        part.kind === 'text' ? (
          part.text
        ) : (
          <button key={index} type="button" class="cite" title="Open these lines" onClick={() => open(part)}>
            {part.text}
          </button>
        ),
      )}
    </>
  );
}
