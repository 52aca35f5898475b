import { slugify } from '../base/text/strings.ts';
import type { Bucket } from './debate.ts';
import { type Availability, type HealthScope, isUp } from './health.ts';
import { type Chair, chairs, type SeatSpec } from './panels.ts';

export type SeatedAgent = { id: string; family: string };

/** Who sits on which chair. A chair nobody is left for stays empty. */
export type Seating = Partial<Record<Chair, SeatedAgent>>;

/** Who sits where when it is there: the layout of the requirements. */
const usual: Record<Chair, string> = { first: 'cursor', second: 'codex', author: 'claude' };

/** The family whose agent writes, when nobody says otherwise. */
const usualAuthorFamily = 'anthropic';

/**
 * Puts agents on chairs, in their order of preference: the usual ones first, then such that families differ as much as
 * possible. One agent alone only writes; its word replaces the others. When no third agent is left one of two also writes.
 */
export function seatAgents(agents: readonly SeatedAgent[], author?: string): Seating {
  const named = (id: string | undefined) => agents.find((agent) => agent.id === id);
  const usualFirst = named(usual.first);
  const usualSecond = named(usual.second);
  const writer =
    named(author) ??
    named(usual.author) ??
    agents.find(({ family }) => family === usualAuthorFamily) ??
    agents.find((agent) => agent !== usualFirst && agent !== usualSecond) ??
    agents[0];
  if (!writer) return {};
  const free = agents.filter((agent) => ![writer, usualFirst, usualSecond].includes(agent));
  const first = usualFirst ?? pick(free, [writer.family, usualSecond?.family]);
  const second =
    usualSecond ??
    pick(
      free.filter((agent) => agent !== first),
      [writer.family, first?.family],
    );
  return { author: writer, ...(first ? { first } : {}), ...(second ? { second } : {}) };
}

function pick(
  agents: readonly SeatedAgent[],
  families: readonly (string | undefined)[],
): SeatedAgent | undefined {
  return (
    agents.find(({ family }) => !families.includes(family)) ??
    agents.find(({ family }) => family !== families[0]) ??
    agents[0]
  );
}

const emptyChairs: Record<Chair, string> = {
  first: 'First debater',
  second: 'Second debater',
  author: 'Author',
};

/** L-479: the debate rotation. A chair nobody sits on keeps its turn and is skipped; nobody replaces it (L-024). */
export function debateBuckets(debaters: readonly Chair[], seating: Seating): Bucket[] {
  return debaters.map((chair) => {
    const agent = seating[chair]?.id;
    return agent === undefined
      ? { label: emptyChairs[chair], agent: '' }
      : { label: agentLabel(agent), agent };
  });
}

/** What a seat is for; decides its fallback chain and its names. */
export type SeatUse = 'sketch' | 'plan';

export type Seat = {
  /** `Cursor-Arch`; stays the same when somebody else fills the seat (L-042). */
  label: string;
  stance: SeatSpec['stance'];
  /** The agent the seat is meant for. */
  owner: string;
  /** Agents in the order they are tried; empty when nobody may fill the seat. */
  chain: string[];
  /** `cursor-sketch-arch` (L-202, L-874). */
  taskKind: string;
  /** `cursor-sketch-arch-output.txt` */
  output: string;
};

export type SeatingRules = {
  /** Fill the seats of absent agents with the author. Off: the seat stays empty. */
  padding?: boolean;
};

/** L-204: seats in launch order: the first chair's are the slowest. */
export function fillSeats(
  specs: readonly SeatSpec[],
  use: SeatUse,
  seating: Seating,
  availability: Availability<HealthScope>,
  { padding = true }: SeatingRules = {},
): Seat[] {
  const taken = new Set<string>();
  return [...specs]
    .sort((a, b) => chairs.indexOf(a.chair) - chairs.indexOf(b.chair))
    .map((spec) => {
      const chain = fallbackChain(spec.chair, use, seating, padding).filter((agent) =>
        isUp(availability, agent),
      );
      const owner = seating[spec.chair]?.id ?? chain[0] ?? seating.author?.id ?? spec.chair;
      const label = unique(`${agentLabel(owner)}-${capitalized(spec.stance)}`, taken);
      const taskKind = unique(`${slugify(owner, 30)}-${use}-${spec.stance}`, taken);
      // L-582: the second chair's own reviews are called primary, to tell them from the first chair's fallbacks.
      const file =
        use === 'plan' && spec.chair === 'second' ? taskKind.replace('-plan-', '-primary-plan-') : taskKind;
      return { label, stance: spec.stance, owner, chain, taskKind, output: `${file}-output.txt` };
    });
}

/** L-205, L-588: a sketch goes to the replacement at once, a review first crosses over to the other outside agent. */
export function fallbackChain(chair: Chair, use: SeatUse, seating: Seating, padding: boolean): string[] {
  const crossing: Chair[] = use === 'plan' ? (chair === 'first' ? ['second'] : ['first']) : [];
  // A chair nobody sits on belongs to the author outright, so that its voice is not lost to a crossing.
  const owner: Chair = seating[chair] === undefined && padding ? 'author' : chair;
  const order: Chair[] = padding ? [owner, ...crossing, 'author'] : [owner];
  return [...new Set(order.flatMap((each) => seating[each]?.id ?? []))];
}

/** A seat that somebody served, and the agent it is meant for. */
type ServedSeat = { id: string; label: string; owner: string; output?: string };

/** L-582, F-24: the file of an answer; a stand-in's name tells for whom it stood in. */
export function answerFile(seat: ServedSeat, agent: string): string {
  if (agent !== seat.owner) return `${standIn(seat, agent)}-output.txt`;
  return seat.output ?? `${seat.id}-output.txt`;
}

/** L-591: under which name an answer is credited: the seat's own, `Code` for the author as replacement, else the stand-in's file. */
export function attribution(seat: ServedSeat, agent: string, author: string | undefined): string {
  if (agent === seat.owner) return seat.label;
  return agent === author ? 'Code' : standIn(seat, agent);
}

function standIn(seat: ServedSeat, agent: string): string {
  return `${agent}-fallback-${seat.id}`;
}

export type PanelMember = { chair: Chair; label: string; agent: string; replaced: boolean };

/** L-512, L-630: judges or voters; an absent one is replaced by the author so that the number holds, unless padding is off. */
export function fillBench(
  bench: readonly Chair[],
  seating: Seating,
  availability: Availability<HealthScope>,
  { padding = true }: SeatingRules = {},
): PanelMember[] {
  const order = [...bench].sort((a, b) => chairs.indexOf(a) - chairs.indexOf(b));
  const labels = benchLabels(order, seating);
  return order.flatMap((chair): PanelMember[] => {
    const owner = seating[chair]?.id;
    const label = labels.get(chair) ?? chair;
    const present = owner !== undefined && isUp(availability, owner);
    const author = seating.author?.id;
    if (present) return [{ chair, label, agent: owner, replaced: false }];
    if (!padding || author === undefined || !isUp(availability, author)) return [];
    return [{ chair, label, agent: author, replaced: true }];
  });
}

/** Those who sit on a chair are named first; who fills an empty one gets the next number. */
function benchLabels(order: readonly Chair[], seating: Seating): Map<Chair, string> {
  const taken = new Set<string>();
  const seated = order.filter((chair) => seating[chair] !== undefined);
  const empty = order.filter((chair) => seating[chair] === undefined);
  return new Map(
    [...seated, ...empty].map((chair) => [
      chair,
      unique(agentLabel((seating[chair] ?? seating.author)?.id ?? chair), taken),
    ]),
  );
}

/** `claude` → `Claude`, `my-agent` → `My-Agent`: the label of an agent in tables and files, never a model's name. */
export function agentLabel(id: string): string {
  return slugify(id, 30, 'agent').split('-').map(capitalized).join('-');
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function unique(name: string, taken: Set<string>): string {
  let result = name;
  for (let number = 2; taken.has(result); number += 1) result = `${name}-${number}`;
  taken.add(result);
  return result;
}
