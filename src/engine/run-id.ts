import { slugify } from '../base/text/strings.ts';
import { type Clock, type Ids, timeOf } from './clock.ts';

/** `20261115-205512-add-rate-limiting-4f2a90c1`: sorts by time, says what it is, never repeats. */
export function makeRunId(title: string, clock: Clock, ids: Ids): string {
  const [date = '', time = ''] = timeOf(clock).split('T');
  const stamp = `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`;
  return `${stamp}-${slugify(title, 40, 'run')}-${ids.next()}`;
}
