import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { statusName } from './format.ts';

export function Status({ status }: { status: string }) {
  return <span class={`status is-${status}`}>{statusName(status)}</span>;
}

/** Agents in the order in which they first appear; each keeps its colour on the whole page. */
export const Agents = createContext<readonly string[]>([]);

export function useAgentTone(agent: string | undefined): string {
  const agents = useContext(Agents);
  const index = agent === undefined ? -1 : agents.indexOf(agent);
  return index < 0 ? 'tone-0' : `tone-${(index % 6) + 1}`;
}

export function Agent({ name }: { name: string }) {
  return (
    <span class={`agent ${useAgentTone(name)}`}>
      <i aria-hidden="true" />
      <bdi>{name}</bdi>
    </span>
  );
}

/** A seat of the panel, linked to its sketch. */
export function Seat({ seat, onPick }: { seat: string; onPick?: (seat: string) => void }) {
  return onPick === undefined ? (
    <span class="seat">{seat}</span>
  ) : (
    <button type="button" class="seat" onClick={() => onPick(seat)} title={`Sketch of ${seat}`}>
      {seat}
    </button>
  );
}
