import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export type Loaded<Value> = { value?: Value; problem?: string };

/** Something fetched for as long as the key stays the same. */
export function useLoaded<Value>(key: string, load: () => Promise<Value>): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({});
  useEffect(() => {
    let current = true;
    setLoaded({});
    load().then(
      (value) => current && setLoaded({ value }),
      (error: unknown) =>
        current && setLoaded({ problem: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      current = false;
    };
  }, [key]);
  return loaded;
}

/** True once the element is about to be seen, and from then on. */
export function useNear(element: RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => setNear((before) => before || entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: '600px' },
    );
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return near;
}
