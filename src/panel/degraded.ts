import type { Seat } from './seating.ts';

/** How a seat was served in the end. */
export type SeatOutcome = {
  seat: Pick<Seat, 'label' | 'chain'>;
  /** The agent whose answer counts. Absent: the seat stayed empty. */
  servedBy?: string;
  /** Agent and reason of every attempt that failed, in order. */
  failures: { agent: string; reason: string }[];
};

export type DegradedReport = {
  /** Seats whose first agent answered. */
  full: number;
  /** Seats that somebody else filled. */
  replaced: string[];
  empty: string[];
  /** Different agents that answered: duplicates of one model are not independent voices. */
  voices: number;
  /** One line per seat that is not as planned; none when all is well. */
  lines: string[];
};

/** L-375: what became of every seat, with every reason. */
export function degradedReport(
  outcomes: readonly SeatOutcome[],
  planned: (label: string) => string | undefined,
): DegradedReport {
  const replaced = outcomes.filter(
    ({ seat, servedBy }) => servedBy !== undefined && servedBy !== planned(seat.label),
  );
  const empty = outcomes.filter(({ servedBy }) => servedBy === undefined);
  const lines = outcomes
    .filter((outcome) => replaced.includes(outcome) || empty.includes(outcome) || outcome.failures.length > 0)
    .map(({ seat, servedBy, failures }) => {
      const why =
        failures.map(({ agent, reason }) => `${agent} failed — ${reason}`).join('; ') || 'its agent is away';
      return servedBy === undefined
        ? `**⚠ ${seat.label}: empty — ${why}.**`
        : `**⚠ ${seat.label}: served by ${servedBy} — ${why}.**`;
    });
  return {
    full: outcomes.length - replaced.length - empty.length,
    replaced: replaced.map(({ seat }) => seat.label),
    empty: empty.map(({ seat }) => seat.label),
    voices: new Set(outcomes.flatMap(({ servedBy }) => servedBy ?? [])).size,
    lines,
  };
}

/** C-07: how many usable sketches a run needs. */
export const sketchMinimum = { regular: 2, quick: 1 } as const;

/** C-07: why the sketches do not suffice; `undefined` when they do. */
export function sketchShortage(
  usable: number,
  seats: number,
  mode: keyof typeof sketchMinimum,
): string | undefined {
  const needed = Math.min(sketchMinimum[mode], seats);
  return usable >= needed
    ? undefined
    : `${usable} of ${seats} sketches are usable, at least ${needed} are needed`;
}

/** Appendix E: a vendor lost at run time. */
export function lostAgentWarning(title: string, reason: string, replacement: string | undefined): string {
  const next = replacement === undefined ? 'Its seats stay empty' : `Using ${replacement} replacement`;
  return `**⚠ ${title} failed — ${reason}. ${next} for remainder of session.**`;
}
