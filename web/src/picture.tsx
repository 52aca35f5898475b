import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useLoaded } from './use-loaded.ts';

/** Gives the data address of a picture of the run. Undefined when there are none to show. */
export const Pictures = createContext<((name: string) => Promise<string>) | undefined>(undefined);

export const isPictureName = (name: string): boolean => /^[\w.-]+\.png$/.test(name);

/** A picture that the run made; nothing is loaded from elsewhere. */
export function Picture({ name, alt }: { name: string; alt: string }) {
  const load = useContext(Pictures);
  const { value, problem } = useLoaded(name, () => load?.(name) ?? Promise.reject(new Error('not shown')));
  if (value === undefined || !value.startsWith('data:image/png;base64,'))
    return <span>{problem === undefined ? `[${alt}…]` : `[image: ${alt}]`}</span>;
  return <img class="picture" src={value} alt={alt} />;
}
