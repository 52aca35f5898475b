import { createContext } from 'preact';
import { useContext, useRef } from 'preact/hooks';
import { citedParts } from '../../src/surfaces/web/cited-parts.ts';
import type { SourceLines } from '../../src/surfaces/web/source-lines.ts';
import { useLoaded, useNear } from './use-loaded.ts';

export type Place = { path: string; line: number; endLine: number };

/** Opens and reads cited lines at the base commit; missing when the run has none. */
export const Places = createContext<
  { open: (place: Place) => void; read: (place: Place) => Promise<SourceLines> } | undefined
>(undefined);

/** Running text in which every `file:line` is a button that opens those lines at the base commit. */
export function Cited({ text }: { text: string }) {
  const places = useContext(Places);
  if (places === undefined || !text.includes(':')) return <>{text}</>;
  return (
    <>
      {citedParts(text).map((part, index) =>
        part.kind === 'text' ? (
          part.text
        ) : (
          <button
            key={index}
            type="button"
            class="cite"
            title="Open these lines"
            onClick={() => places.open(part)}
          >
            {part.text}
          </button>
        ),
      )}
    </>
  );
}

/** Lines shown without a click; the button in the text opens the rest. */
const maxLines = 12;

/** The first place that a text cites, with its lines. They are read when the reader comes near. */
export function FirstCited({ text }: { text: string }) {
  const places = useContext(Places);
  const holder = useRef<HTMLDivElement>(null);
  const near = useNear(holder);
  const place = citedParts(text).find((part) => part.kind === 'citation');
  if (places === undefined || place === undefined) return null;
  return <div ref={holder}>{near && <FewLines place={place} read={places.read} />}</div>;
}

function FewLines({ place, read }: { place: Place; read: (place: Place) => Promise<SourceLines> }) {
  const { value } = useLoaded(`${place.path}:${place.line}-${place.endLine}`, () => read(place));
  return value === undefined ? null : <Lines source={fewLines(value)} />;
}

/** The cited lines with one around them. */
function fewLines(source: SourceLines): SourceLines {
  const from = Math.max(source.from, source.cited.from - 1);
  const to = Math.min(source.cited.to + 1, from + maxLines - 1);
  return { ...source, from, lines: source.lines.slice(from - source.from, to - source.from + 1) };
}

export function Lines({ source: { path, from, lines, cited } }: { source: SourceLines }) {
  return (
    <ol class="source" start={from} tabIndex={0} aria-label={`Lines of ${path}`}>
      {lines.map((text, index) => {
        const number = from + index;
        const isCited = number >= cited.from && number <= cited.to;
        return (
          <li key={number} class={isCited ? 'cited' : undefined}>
            <span class="number" aria-hidden="true">
              {number}
            </span>
            <code>{isCited ? <mark>{text || ' '}</mark> : text || ' '}</code>
          </li>
        );
      })}
    </ol>
  );
}
