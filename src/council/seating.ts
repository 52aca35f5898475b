import { slugify } from '../base/text/strings.ts';
import type { Seat } from './council.ts';
import { allUp, type Health, isUp } from './health.ts';
import {
  type Chair,
  chairs,
  type PanelSpec,
  type SeatSpec,
  type SketchCount,
  sketchSeats,
  specOf,
} from './panels.ts';

export type SeatedAgent = { id: string; family: string };

/** Which agent has which chair. A chair without an agent stays empty. */
export type Seating = Partial<Record<Chair, SeatedAgent>>;

/** The agent of each chair when it is up: the layout of the requirements. */
const usual: Record<(typeof chairs)[number], string> = { first: 'cursor', second: 'codex', author: 'claude' };

/** The family whose agent writes by default. */
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

const emptyChairs: Partial<Record<Chair, string>> = { first: 'First debater', second: 'Second debater' };

/** One place in the debate rotation: the agent that debates when its turn comes; '' when the chair is empty. */
export type Bucket = { label: string; agent: string; planned?: Seat['planned'] };

/** L-479: the debate rotation. An empty chair keeps its turn and is skipped; no agent replaces it (L-024). */
export function debateBuckets(debaters: readonly Chair[], seating: Seating): Bucket[] {
  return debaters.map((chair) => {
    const agent = seating[chair]?.id;
    return agent === undefined
      ? { label: emptyChairs[chair] ?? chair, agent: '' }
      : { label: agentLabel(agent), agent };
  });
}

/** What a seat is for; decides its fallback chain and its names. */
export type SeatUse = 'sketch' | 'plan';

export type SeatingRules = {
  /** Fill the seats of absent agents with the author. Off: the seat stays empty. */
  padding?: boolean;
  /** Agents without a chair that share the seats of the outside agents. */
  spares?: readonly SeatedAgent[];
};

/** L-204: seats in launch order: the first chair's are the slowest. */
export function fillSeats(
  specs: readonly SeatSpec[],
  use: SeatUse,
  seating: Seating,
  availability: Health,
  { padding = true, spares = [] }: SeatingRules = {},
): Seat[] {
  const taken = new Set<string>();
  const shared = shareSeats(specs, seating, spares);
  return [...specs]
    .sort((a, b) => launchOrder(a.chair) - launchOrder(b.chair))
    .map((spec) => {
      const own = shared.get(spec) ?? seating[spec.chair];
      const places = own === undefined ? seating : { ...seating, [spec.chair]: own };
      const chain = fallbackChain(spec.chair, use, places, padding).filter((agent) =>
        isUp(availability, agent),
      );
      const owner = own?.id ?? chain[0] ?? seating.author?.id ?? spec.chair;
      const label = unique(`${agentLabel(owner)}-${capitalized(spec.stance)}`, taken);
      // L-202, L-874: `cursor-sketch-arch`; it stays the same when another agent fills the seat (L-042).
      const id = unique(`${slugify(owner, 30)}-${use}-${spec.stance}`, taken);
      // L-582: the second chair's own reviews are called primary, to tell them from the first chair's fallbacks.
      const file = use === 'plan' && spec.chair === 'second' ? id.replace('-plan-', '-primary-plan-') : id;
      const author = use === 'plan' && seating.author?.id !== owner ? seating.author?.id : undefined;
      const standIn = author === undefined ? {} : { standIn: author };
      const agents = usedUp(availability, owner) ? chain.filter((agent) => agent !== author) : chain;
      return { id, label, stance: spec.stance, agents, owner, ...standIn, output: `${file}-output.txt` };
    });
}

/** the author never reviews or votes in place of an agent whose account is used up. */
function usedUp({ agents }: Health, agent: string | undefined): boolean {
  return agent !== undefined && agents[agent]?.usedUp === true;
}

/** Seats of named agents keep the order in which they are written. */
function launchOrder(chair: Chair): number {
  return (chairs as readonly string[]).indexOf(chair);
}

/** The outside agents in turn, so that every stance is taken by two of them. */
function shareSeats(
  specs: readonly SeatSpec[],
  { first, second }: Seating,
  spares: readonly SeatedAgent[],
): Map<SeatSpec, SeatedAgent> {
  const shared = new Map<SeatSpec, SeatedAgent>();
  if (first === undefined || second === undefined || spares.length === 0) return shared;
  const outside = [first, second, ...spares];
  for (const [offset, chair] of (['first', 'second'] as const).entries())
    for (const [index, spec] of specs.filter((each) => each.chair === chair).entries()) {
      const agent = outside[(2 * index + offset) % outside.length];
      if (agent !== undefined) shared.set(spec, agent);
    }
  return shared;
}

/** L-205, L-588: a sketch goes to the replacement at once, a review first crosses over to the other outside agent. */
export function fallbackChain(chair: Chair, use: SeatUse, seating: Seating, padding: boolean): string[] {
  const crossing: Chair[] = use === 'plan' ? crossingOf(chair, seating) : [];
  // An empty chair belongs to the author outright, so that its voice is not lost to a crossing.
  const owner: Chair = seating[chair] === undefined && padding ? 'author' : chair;
  const order: Chair[] = padding ? [owner, ...crossing, 'author'] : [owner];
  return [...new Set(order.flatMap((each) => seating[each]?.id ?? []))];
}

/** The other outside agents; where agents are named, those of another family come first. */
function crossingOf(chair: Chair, seating: Seating): Chair[] {
  if (!isNamed(chair)) return chair === 'first' ? ['second'] : ['first'];
  const own = seating[chair]?.family;
  const others = (Object.keys(seating) as Chair[]).filter(
    (each) => isNamed(each) && each !== chair && seating[each]?.id !== seating.author?.id,
  );
  return others.sort((a, b) => Number(seating[a]?.family === own) - Number(seating[b]?.family === own));
}

function isNamed(chair: Chair): chair is `@${string}` {
  return chair.startsWith('@');
}

/** L-582, F-24: the file of an answer; a substitute's file also names the seat it filled. */
export function answerFile(seat: Seat, agent: string): string {
  if (agent !== ownerOf(seat)) return `${substitute(seat, agent)}-output.txt`;
  return seat.output ?? `${seat.id}-output.txt`;
}

/** L-591: the name that an answer is credited to: the seat's own, `Code` for the author as substitute, else the substitute's file. */
export function attribution(seat: Seat, agent: string, author: string | undefined): string {
  if (agent === ownerOf(seat)) return seat.label;
  return agent === author ? 'Code' : substitute(seat, agent);
}

function ownerOf({ owner, agents }: Seat): string | undefined {
  return owner ?? agents[0];
}

function substitute(seat: Seat, agent: string): string {
  return `${agent}-fallback-${seat.id}`;
}

/** L-512, L-630: judges or voters; an absent one is replaced by the author so that the number holds, unless padding is off. */
export function fillBench(
  bench: readonly Chair[],
  seating: Seating,
  availability: Health,
  { padding = true }: SeatingRules = {},
): Seat[] {
  const order = [...bench].sort((a, b) => launchOrder(a) - launchOrder(b));
  const labels = benchLabels(order, seating);
  return order.flatMap((chair): Seat[] => {
    const [own, author] = [seating[chair]?.id, seating.author?.id];
    const candidates = padding && !usedUp(availability, own) ? [own, author] : [own];
    const agent = candidates.find((id) => id !== undefined && isUp(availability, id));
    if (agent === undefined) return [];
    const label = labels.get(chair) ?? chair;
    const id = label.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const standIn = author === undefined || author === agent ? {} : { standIn: author };
    return [{ id, label, stance: 'generic', agents: [agent], owner: agent, chair, ...standIn }];
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

/** The choice of the user: which panel, how many of its sketches, and who writes. `seats`: those of a panel of the configuration. */
export type PanelChoice = {
  panel: string;
  seats?: PanelSpec;
  sketches: SketchCount;
  padding: boolean;
  author?: string;
};

/** Every seat of a panel with the agents that take it at this point of the run. */
export type Table = {
  sketchers: Seat[];
  reviewers: Seat[];
  judges: Seat[];
  voters: Seat[];
  author: Seat;
  buckets: Bucket[];
  /** Judges and voters who were announced and have no substitute. */
  absent: { role: 'judge' | 'vote'; seat: string; planned: NonNullable<Seat['planned']> }[];
};

/**
 * The panel that was asked for, filled with the agents that are up at this point of the run. Each seat also names the agent that
 * it has when all of `announced` are up.
 */
export function seatPanel(
  agents: readonly SeatedAgent[],
  health: Health,
  choice: PanelChoice,
  announced: readonly string[] = agents.map(({ id }) => id),
): Table {
  const meant = fillPanel(agents, allUp(announced.map((id) => ({ id }))), choice);
  const filled = fillPanel(agents, health, choice);
  const plannedFor = (agent: string | undefined): Pick<Seat, 'planned'> => {
    if (agent === undefined || agent === '') return {};
    const down = isUp(health, agent) ? undefined : (health.agents[agent]?.reason ?? 'unavailable');
    return { planned: { agent, ...(down === undefined ? {} : { down }) } };
  };
  const inOrder = (seats: readonly Seat[], plan: readonly Seat[]) =>
    seats.map((seat, index) => ({ ...seat, ...plannedFor(plan[index]?.agents[0]) }));
  const byChair = (seats: readonly Seat[], plan: readonly Seat[]) =>
    seats.map((seat) => ({
      ...seat,
      ...plannedFor(plan.find(({ chair }) => chair === seat.chair)?.agents[0]),
    }));
  const absentFrom = (role: 'judge' | 'vote', seats: readonly Seat[], plan: readonly Seat[]) =>
    plan
      .filter(({ chair }) => seats.every((seat) => seat.chair !== chair))
      .flatMap(({ label, agents: [agent] }) => {
        const { planned } = plannedFor(agent);
        return planned === undefined ? [] : [{ role, seat: label, planned }];
      });
  return {
    sketchers: inOrder(filled.sketchers, meant.sketchers),
    reviewers: inOrder(filled.reviewers, meant.reviewers),
    judges: byChair(filled.judges, meant.judges),
    voters: byChair(filled.voters, meant.voters),
    author: { ...filled.author, ...plannedFor(meant.author.agents[0]) },
    buckets: filled.buckets.map((bucket, index) => ({
      ...bucket,
      ...plannedFor(meant.buckets[index]?.agent),
    })),
    absent: [
      ...absentFrom('judge', filled.judges, meant.judges),
      ...absentFrom('vote', filled.voters, meant.voters),
    ],
  };
}

function fillPanel(
  agents: readonly SeatedAgent[],
  health: Health,
  choice: PanelChoice,
): Omit<Table, 'absent'> {
  const panel = specOf(choice);
  const { variants = [], stances = {} } = panel;
  const up = agents.filter(({ id }) => isUp(health, id));
  const whole = (some: readonly SeatedAgent[]) => some.filter(({ id }) => !variants.includes(id));
  const places = seatingOf(whole(agents), whole(up), choice.author);
  const named = namedChairs(panel, agents);
  const seating = { ...places, ...named };
  const chaired = chairs.flatMap((chair) => places[chair]?.id ?? []);
  const spares = panel.shared === true ? up.filter(({ id }) => !chaired.includes(id)) : [];
  const rules = { padding: choice.padding, spares };
  const specs = sketchSeats(panel, choice.sketches);
  const author = seating.author?.id ?? '';
  const others = up.map(({ id }) => id).filter((id) => id !== author);
  const writer: Seat = {
    id: 'author',
    label: 'Author',
    stance: 'generic',
    agents: [author, ...others],
    owner: author,
    chair: 'author',
  };
  const outside = (seat: Seat): Seat => ({
    ...seat,
    ...(Object.hasOwn(stances, seat.stance ?? '') ? { stanceText: stances[seat.stance ?? ''] } : {}),
    // The author keeps its own way of voting, wherever it sits.
    ...(named[seat.chair as Chair]?.id === author ? { chair: 'author' } : {}),
    outside: seat.agents[0] !== author,
  });
  const voters = fillBench(panel.vote, seating, health, rules).map(outside);
  return {
    sketchers: fillSeats(specs, 'sketch', seating, health, rules).map(outside),
    reviewers: fillSeats(panel.review, 'plan', seating, health, rules).map(outside),
    judges: fillBench(panel.judge, seating, health, rules).map(outside),
    // A panel without voters leaves the vote on the program's own findings to the author.
    voters: voters.length > 0 ? voters : [writer],
    author: writer,
    buckets: debateBuckets(panel.debate, seating).map((bucket) =>
      isUp(health, bucket.agent) ? bucket : { ...bucket, agent: '' },
    ),
  };
}

/** The chairs of the agents that a panel names, in the order of its seats. */
function namedChairs(panel: PanelSpec, agents: readonly SeatedAgent[]): Seating {
  const { sketch, review, judge, vote, debate } = panel;
  const all = [...[...sketch, ...review].map(({ chair }) => chair), ...judge, ...vote, ...debate];
  return Object.fromEntries(
    all.filter(isNamed).flatMap((chair) => {
      const agent = agents.find(({ id }) => id === chair.slice(1));
      return agent === undefined ? [] : [[chair, agent]];
    }),
  );
}

/** The agents for whom a panel has no seat; they only replace an author that fails. */
export function unseatedAgents(agents: readonly SeatedAgent[], choice: PanelChoice): string[] {
  const all = agents.map(({ id }) => id);
  const { buckets, author, ...seats } = fillPanel(agents, allUp(agents), choice);
  const seated = [...Object.values(seats).flat(), author].map(({ agents: [agent] }) => agent);
  const used = new Set([...seated, ...buckets.map(({ agent }) => agent)]);
  return all.filter((id) => !used.has(id));
}

/** Names the agents that the panel has no seat for. */
export function describeUnused(agents: readonly string[]): string {
  return `not used: ${agents.join(', ')}. The panel has no seat for them; --depth wide has the most`;
}

/**
 * L-042, L-588: an agent that is down keeps its chair and the names of its seats, and each seat's chain names its substitutes;
 * only an agent that has no chair yet takes its place outright. The author must be up.
 */
function seatingOf(
  agents: readonly SeatedAgent[],
  up: readonly SeatedAgent[],
  named: string | undefined,
): Seating {
  const meant = seatAgents(agents, named);
  const present = seatAgents(up, named);
  const isThere = (id: string) => up.some((agent) => agent.id === id);
  const seated = new Set(chairs.flatMap((chair) => meant[chair]?.id ?? []));
  const taken = (chair: 'first' | 'second'): Seating => {
    const [owner, spare] = [meant[chair], present[chair]];
    const sits = owner !== undefined && !isThere(owner.id) && spare && !seated.has(spare.id) ? spare : owner;
    return sits === undefined ? {} : { [chair]: sits };
  };
  return {
    ...taken('first'),
    ...taken('second'),
    ...(present.author === undefined ? {} : { author: present.author }),
  };
}

/** L-123: the agents that fill the seats of one that is down, as text; `undefined` when none does. */
export function replacementOf(
  agent: string,
  agents: readonly SeatedAgent[],
  health: Health,
  choice: PanelChoice,
): string | undefined {
  const [meant, now] = [allUp(agents), health].map((state) => {
    const { sketchers, reviewers, author } = fillPanel(agents, state, choice);
    return [...sketchers, ...reviewers, author].map((seat) => seat.agents[0]);
  });
  const heads = now?.filter((_, index) => meant?.[index] === agent) ?? [];
  const names = new Set(heads.flatMap((id) => (id ? [agentLabel(id)] : [])));
  return names.size === 0 ? undefined : [...names].join(' and ');
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
