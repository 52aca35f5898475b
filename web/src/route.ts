import { useEffect, useState } from 'preact/hooks';

/** `#/runs/<run>/<section>`, `#/new` for a new run; anything else is the list. */
export type Route = { run?: string; section?: string; isNew?: true };

export const newRunHash = '#/new';

export function readRoute(hash: string): Route {
  if (hash === newRunHash) return { isNew: true };
  const [, run, section] = /^#\/runs\/([a-z0-9-]{1,100})(?:\/([a-z-]{1,40}))?$/.exec(hash) ?? [];
  return { ...(run !== undefined && { run }), ...(section !== undefined && { section }) };
}

export function hashOf({ run, section }: Route): string {
  if (run === undefined) return '#/';
  return `#/runs/${run}${section === undefined ? '' : `/${section}`}`;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return readRoute(hash);
}
