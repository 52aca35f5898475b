import { CharretteError } from '../../../base/errors.ts';

export type SeatCandidate = { id: string; family: string; canWrite: boolean };
export type LoopSeats = {
  builder: string;
  evaluator: string /** Both seats are of one family. */;
  related: boolean;
};

/** Who builds and who judges: named agents, else the first that can write, and a judge of another family. */
export function seatLoop(
  agents: readonly SeatCandidate[],
  wished: { builder?: string | undefined; evaluator?: string | undefined },
): LoopSeats {
  const builder = find(agents, wished.builder, 'builder', ({ canWrite }) => canWrite);
  const others = [...agents].sort(
    (a, b) => Number(a.family === builder.family) - Number(b.family === builder.family),
  );
  const evaluator = find(others, wished.evaluator, 'evaluator', ({ family }) => family !== 'static');
  return { builder: builder.id, evaluator: evaluator.id, related: builder.family === evaluator.family };
}

function find(
  agents: readonly SeatCandidate[],
  wished: string | undefined,
  seat: string,
  fits: (agent: SeatCandidate) => boolean,
): SeatCandidate {
  const fitting = agents.filter(fits);
  const found = wished === undefined ? fitting[0] : fitting.find(({ id }) => id === wished);
  if (found !== undefined) return found;
  throw new CharretteError({
    code: 'agent-not-found',
    message: `${wished === undefined ? 'No agent here' : JSON.stringify(wished)} can be the ${seat}; agents that can: ${fitting.map(({ id }) => id).join(', ') || 'none'}.`,
    fix: 'Install or declare an agent (`charrette doctor`), or choose one with --builder and --evaluator.',
  });
}
