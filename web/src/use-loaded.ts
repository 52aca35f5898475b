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
