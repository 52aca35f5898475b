import type { JudgementName } from '../../base/schema/judgements.ts';
import type { Reply, Seat } from '../../council/council.ts';
import type { SeatLoss } from '../../engine/run-record.ts';

/** What a run ended with instead of the seats that it announced. */
export type Degraded = {
  seats: SeatLoss[];
  /** Rounds that fewer than two families answered although two were announced. */
  oneSided: string[];
};

export const notDegraded = (): Degraded => ({ seats: [], oneSided: [] });

/** What a seat lost by a call; `undefined` when the announced agent answered, or none was announced. */
export function lossIn(
  kind: string,
  seat: Pick<Seat, 'label' | 'planned'>,
  { value, agent, failures, message }: Reply<JudgementName>,
): SeatLoss | undefined {
  const { planned } = seat;
  const role = roleOf(kind);
  // A narrow task of the author without an answer leaves a gap in the run, not at the table.
  if (planned === undefined || (role === 'author' && value === undefined)) return undefined;
  if (value !== undefined && agent === planned.agent) return undefined;
  const failure = failures.find((each) => each.agent === planned.agent);
  const reason = planned.down ?? failure?.message ?? message ?? 'another agent had the seat';
  return {
    role,
    seat: seat.label,
    planned: planned.agent,
    actual: value === undefined ? null : agent,
    reason,
  };
}

function roleOf(kind: string): string {
  if (kind.startsWith('debate-')) return 'debate';
  if (kind === 'plan-review') return 'review';
  return ['sketch', 'judge', 'vote'].includes(kind) ? kind : 'author';
}

/** Each loss once, however often the seat was asked. */
export function addLoss(degraded: Degraded, loss: SeatLoss): void {
  const { role, seat, actual } = loss;
  const isKnown = degraded.seats.some(
    (each) => each.role === role && each.seat === seat && each.actual === actual,
  );
  if (!isKnown) degraded.seats.push(loss);
}

/** Notes a round in which a second family was announced and did not answer. `verb`: what they did in it. */
export function noteFamilies(
  degraded: Degraded,
  verb: 'reviewed' | 'voted',
  { announced, answered }: { announced: readonly string[]; answered: readonly string[] },
): void {
  const [planned, actual] = [new Set(announced), new Set(answered)];
  if (planned.size < 2 || actual.size > 1) return;
  const who = actual.size === 0 ? 'no family' : `only the family ${[...actual].join()}`;
  const text = `${who} ${verb}; announced were ${[...planned].join(', ')}`;
  if (!degraded.oneSided.includes(text)) degraded.oneSided.push(text);
}

/** One line for every seat that ended with less than was announced. */
export function degradedLines({ seats }: Pick<Degraded, 'seats'>): string[] {
  return seats.map(({ role, seat, planned, actual, reason }) => {
    const instead = actual === null ? 'no answer' : `${actual} instead of`;
    const who = actual === null ? `${instead} from ${planned}` : `${instead} ${planned}`;
    return `Degraded ${role}: ${seat} had ${who} (${reason.replace(/\.$/, '')}).`;
  });
}
