import { useEffect, useRef, useState } from 'preact/hooks';
import { draw } from '../draw.ts';
import { currentTheme } from '../theme.ts';
import { useNear } from '../use-loaded.ts';

/** The architecture, drawn by mermaid in an isolated frame: the page only ever gets a picture. */
export function Diagram({ source }: { source: string }) {
  const [picture, setPicture] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [theme, setTheme] = useState(currentTheme());
  const figure = useRef<HTMLElement>(null);
  const near = useNear(figure);
  useEffect(() => {
    const onTheme = () => setTheme(currentTheme());
    addEventListener('charrette-theme', onTheme);
    const media = matchMedia('(prefers-color-scheme: dark)');
    media.addEventListener('change', onTheme);
    return () => {
      removeEventListener('charrette-theme', onTheme);
      media.removeEventListener('change', onTheme);
    };
  }, []);
  useEffect(() => {
    if (!near) return undefined;
    let current = true;
    draw(source, theme).then(
      (svg) => {
        if (!current) return;
        setPicture(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`);
        setProblem(undefined);
      },
      (error: Error) => current && setProblem(error.message),
    );
    return () => {
      current = false;
    };
  }, [source, theme, near]);
  return (
    <figure ref={figure} class="card pad diagram">
      {picture !== undefined && (
        <section class="scroll" tabIndex={0} aria-label="Diagram">
          <img
            src={picture}
            alt="Architecture diagram; its source follows as text"
            onLoad={({ currentTarget }) => keepLegible(currentTarget)}
          />
        </section>
      )}
      {problem !== undefined && <p class="notice">The diagram cannot be drawn: {problem}</p>}
      <details>
        <summary>Source of the diagram</summary>
        <pre class="plain" tabIndex={0}>
          {source}
        </pre>
      </details>
    </figure>
  );
}

/** A wide drawing gets smaller to fit, until its words could no longer be read; then it is scrolled. */
function keepLegible(image: HTMLImageElement): void {
  image.style.minWidth = `${Math.round(image.naturalWidth * 0.6)}px`;
}
