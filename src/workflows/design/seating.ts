import type { Agent } from '../../agents/port.ts';
import { type Availability, type HealthScope, isUp, runAvailability } from '../../council/health.ts';
import { type PanelName, panels, sketchSeats } from '../../council/panels.ts';
import {
  agentLabel,
  debateBuckets,
  fillBench,
  fillSeats,
  type PanelMember,
  type Seat,
  type Seating,
  seatAgents,
} from '../../council/seating.ts';
import type { Desk } from './desk.ts';
import { type Design, type DesignInputs, known, type PanelSeats, type Place } from './state.ts';

type Candidates = readonly Pick<Agent, 'id' | 'family'>[];
type PanelInputs = Pick<DesignInputs, 'panel' | 'sketches' | 'padding' | 'author'>;

/** The panel that was asked for, filled with the agents that are up at this point of the run. */
export function seatsOf(desk: Desk, design: Design): PanelSeats {
  return seatPanel([...desk.services.agents.values()], known(design, 'health'), desk.inputs);
}

export function seatPanel(
  agents: Candidates,
  health: Availability<HealthScope>,
  inputs: PanelInputs,
): PanelSeats {
  const panel = panels[inputs.panel as PanelName];
  const up = agents.filter(({ id }) => isUp(health, id));
  const seating = seatingOf(agents, up, inputs.author);
  const rules = { padding: inputs.padding };
  const specs = sketchSeats(panel, inputs.sketches);
  const author = seating.author?.id ?? '';
  const others = up.map(({ id }) => id).filter((id) => id !== author);
  const writer: Place = {
    id: 'author',
    label: 'Author',
    stance: 'generic',
    agents: [author, ...others],
    owner: author,
    chair: 'author',
  };
  const outside = (place: Place): Place => ({ ...place, outside: place.agents[0] !== author });
  const voters = fillBench(panel.voters, seating, health, rules).map(toBenchPlace).map(outside);
  return {
    sketch: fillSeats(specs, 'sketch', seating, health, rules).map(toPlace).map(outside),
    review: fillSeats(panel.reviewers, 'plan', seating, health, rules).map(toPlace).map(outside),
    judges: fillBench(panel.judges, seating, health, rules).map(toBenchPlace).map(outside),
    // A panel without voters leaves the vote on the program's own findings to the author.
    voters: voters.length > 0 ? voters : [writer],
    author: writer,
    buckets: debateBuckets(panel.debaters, seating).map((bucket) =>
      isUp(health, bucket.agent) ? bucket : { ...bucket, agent: '' },
    ),
  };
}

/**
 * L-042, L-588: an agent that is down keeps its chair and the names of its seats, and each seat's chain says who stands in;
 * only an agent that has no chair yet takes its place outright. Whoever writes has to be there.
 */
function seatingOf(agents: Candidates, up: Candidates, named: string | undefined): Seating {
  const meant = seatAgents(plain(agents), named);
  const present = seatAgents(plain(up), named);
  const isThere = (id: string) => up.some((agent) => agent.id === id);
  const seated = new Set(Object.values(meant).map(({ id }) => id));
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

/** L-123: who serves the seats of an agent that is down, in words; `undefined` when nobody does. */
export function replacementOf(
  agent: string,
  agents: Candidates,
  health: Availability<HealthScope>,
  inputs: PanelInputs,
): string | undefined {
  const everybody = runAvailability(
    Object.fromEntries(agents.map(({ id }) => [id, { available: true, healthy: true }])),
  );
  const [meant, now] = [everybody, health].map((state) => {
    const { sketch, review, author } = seatPanel(agents, state, inputs);
    return [...sketch, ...review, author].map((place) => place.agents[0]);
  });
  const heads = now?.filter((_, index) => meant?.[index] === agent) ?? [];
  const names = new Set(heads.flatMap((id) => (id ? [agentLabel(id)] : [])));
  return names.size === 0 ? undefined : [...names].join(' and ');
}

function plain(agents: Candidates): { id: string; family: string }[] {
  return agents.map(({ id, family }) => ({ id, family }));
}

function toPlace({ label, stance, owner, chain, taskKind, output }: Seat): Place {
  return { id: taskKind, label, stance, agents: chain, owner, output };
}

function toBenchPlace({ chair, label, agent }: PanelMember): Place {
  return {
    id: label.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    label,
    stance: 'generic',
    agents: [agent],
    owner: agent,
    chair,
  };
}
