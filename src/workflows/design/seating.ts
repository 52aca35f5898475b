import type { Agent } from '../../agents/port.ts';
import { type Availability, type HealthScope, isUp } from '../../panel/health.ts';
import { type PanelName, panels, sketchSeats } from '../../panel/panels.ts';
import {
  debateBuckets,
  fillBench,
  fillSeats,
  type PanelMember,
  type Seat,
  seatAgents,
} from '../../panel/seating.ts';
import type { Desk } from './desk.ts';
import { type Design, type DesignInputs, known, type PanelSeats, type Place } from './state.ts';

/** The panel that was asked for, filled with the agents that are up at this point of the run. */
export function seatsOf(desk: Desk, design: Design): PanelSeats {
  const health = known(design, 'health');
  const up = [...desk.services.agents.values()].filter((agent) => isUp(health, agent.id));
  return seatPanel(up, health, desk.inputs);
}

export function seatPanel(
  agents: readonly Pick<Agent, 'id' | 'family'>[],
  health: Availability<HealthScope>,
  inputs: Pick<DesignInputs, 'panel' | 'sketches' | 'padding' | 'author'>,
): PanelSeats {
  const panel = panels[inputs.panel as PanelName];
  const seating = seatAgents(
    agents.map(({ id, family }) => ({ id, family })),
    inputs.author,
  );
  const rules = { padding: inputs.padding };
  const specs = sketchSeats(panel, inputs.sketches);
  const author = seating.author?.id ?? '';
  const others = agents.map(({ id }) => id).filter((id) => id !== author);
  const writer: Place = { id: 'author', label: 'Author', stance: 'generic', agents: [author, ...others] };
  const outside = (place: Place): Place => ({ ...place, outside: place.agents[0] !== author });
  const voters = fillBench(panel.voters, seating, health, rules).map(toBenchPlace).map(outside);
  return {
    sketch: fillSeats(specs, 'sketch', seating, health, rules).map(toPlace).map(outside),
    review: fillSeats(panel.reviewers, 'plan', seating, health, rules).map(toPlace).map(outside),
    judges: fillBench(panel.judges, seating, health, rules).map(toBenchPlace).map(outside),
    // A panel without voters leaves the vote on the program's own findings to the author.
    voters: voters.length > 0 ? voters : [writer],
    author: writer,
    buckets: debateBuckets(panel.debaters, seating),
  };
}

function toPlace({ label, stance, chain, taskKind, output }: Seat): Place {
  return { id: taskKind, label, stance, agents: chain, output };
}

function toBenchPlace({ label, agent }: PanelMember): Place {
  return { id: label.toLowerCase().replace(/[^a-z0-9]+/g, '-'), label, stance: 'generic', agents: [agent] };
}
