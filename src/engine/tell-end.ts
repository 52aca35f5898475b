import type { EventBody, RunEvent } from './event.ts';
import type { EventLog } from './event-log.ts';

type Ending = Omit<Extract<EventBody, { type: 'run-end' }>, 'type'>;

/**
 * Says how a run ended, unless that is how its events leave it. An end that did not get on record may be followed by a pause or a
 * resume; it then was no end, and the next one is told anew.
 */
export function tellEnd(events: EventLog, ending: Ending): RunEvent {
  const { lastTurn } = events;
  if (lastTurn?.type === 'run-end' && lastTurn.status === ending.status) return lastTurn;
  return events.emit(`run:end-${events.count}`, { type: 'run-end', ...ending });
}
