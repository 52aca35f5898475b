/** The four ways a static seat looks at a change; seats differ by method, not by luck. */
export const methods = {
  smallest: {
    title: 'smallest change',
    rule: 'touch the fewest files; put the change where the best match already is',
  },
  reuse: {
    title: 'reuse',
    rule: 'follow the patterns and modules that exist; a new thing gets a module of its own beside its kind',
  },
  'test-first': {
    title: 'test-first',
    rule: 'start from the tests around the files; what has none gets one before it changes',
  },
  history: {
    title: 'history',
    rule: 'do as earlier commits of this kind did, and change what they changed together',
  },
} as const;

export type Method = keyof typeof methods;

const order = Object.keys(methods) as Method[];

const byStance: Readonly<Record<string, Method>> = {
  pragmatic: 'smallest',
  arch: 'reuse',
  edge: 'test-first',
  requirements: 'test-first',
  innovation: 'history',
};

/** The method of a seat: as asked, by its stance, by a stance in its name; else numbered seats take the methods in turn. */
export function methodOf(seat: string, wanted: string | undefined): Method {
  if (wanted !== undefined && wanted in methods) return wanted as Method;
  const stance = wanted ?? Object.keys(byStance).find((name) => seat.toLowerCase().includes(name));
  const known = stance === undefined ? undefined : byStance[stance];
  if (known !== undefined) return known;
  const turn = Number(/(\d{1,6})$/.exec(seat)?.[1] ?? 1);
  return order[(turn - 1 + order.length) % order.length] ?? 'smallest';
}
