import type { Stance } from '../../prompts/panel/stances.ts';
import type { Seat, Seating } from './state.ts';

export type Candidate = { id: string; family: string };

const regular: readonly { id: string; label: string; stance: Stance; vendor: 0 | 1 }[] = [
  { id: 'arch', label: 'Arch', stance: 'arch', vendor: 0 },
  { id: 'edge', label: 'Edge', stance: 'edge', vendor: 0 },
  { id: 'innovation', label: 'Innovation', stance: 'innovation', vendor: 1 },
  { id: 'pragmatic', label: 'Pragmatic', stance: 'pragmatic', vendor: 1 },
];

/** Fills the chairs of a panel from the agents that are up, by family rather than by name. */
export function seatPanel(
  up: readonly Candidate[],
  { sketches, author, solo }: { sketches: 0 | 2 | 4; author: string | undefined; solo: boolean },
): Seating {
  const order = oneOfEachFamilyFirst(up);
  const ids = order.map(({ id }) => id);
  const preferring = (index: number) => [
    ...ids.slice(index % ids.length),
    ...ids.slice(0, index % ids.length),
  ];
  const title = (id: string) => id.charAt(0).toUpperCase() + id.slice(1);
  const chair = (id: string, label: string, stance: Stance, index: number): Seat => {
    const agents = preferring(index);
    return { id, label: `${title(agents[0] ?? '')}-${label}`, stance, agents };
  };
  const byStance = regular.map(({ id, label, stance, vendor }) => chair(id, label, stance, vendor));
  const generic = [0, 1].map((index) =>
    chair(`generic-${index + 1}`, `Generic-${index + 1}`, 'generic', index),
  );
  const three = [0, 1, 2].map((index): Seat => {
    const agents = preferring(index);
    return { id: `${index + 1}`, label: `${title(agents[0] ?? '')}-${index + 1}`, stance: 'generic', agents };
  });
  const writer = author === undefined ? ids : [author, ...ids.filter((id) => id !== author)];
  return {
    sketch: sketches === 4 ? byStance : sketches === 2 ? generic : [],
    review: solo ? [] : byStance,
    judges: three,
    voters: solo ? three.slice(0, 1) : three,
    author: { id: 'author', label: 'Author', stance: 'generic', agents: writer },
    buckets: order.slice(0, 2).map(({ id }) => ({ label: title(id), agent: id })),
  };
}

function oneOfEachFamilyFirst(up: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>();
  const first = up.filter(({ family }) => !seen.has(family) && seen.add(family));
  return [...first, ...up.filter((candidate) => !first.includes(candidate))];
}
