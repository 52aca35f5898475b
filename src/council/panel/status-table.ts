import { formatElapsed } from '../../base/text/elapsed.ts';

/** L-041 */
export type SeatStatus =
  | { state: 'pending' }
  | { state: 'done'; elapsedMs: number }
  | { state: 'failed'; elapsedMs: number }
  | { state: 'skipped' };

export type StatusTable = 'sketches-regular' | 'sketches-quick' | 'reviewers';

const titles: Record<StatusTable, string> = {
  'sketches-regular': 'Sketches (regular)',
  'sketches-quick': 'Sketches (quick)',
  reviewers: 'Reviewers',
};

/** L-040: one line for all seats, in their fixed order and under their fixed names. */
export function statusLine(
  table: StatusTable,
  seats: readonly { label: string; status: SeatStatus }[],
): string {
  return statusRow(titles[table], seats);
}

/** The same under a given title. */
export function statusRow(title: string, seats: readonly { label: string; status: SeatStatus }[]): string {
  const cells = seats.map(({ label, status }) => `${label}: ${cell(status)} |`);
  return `📊 ${title}: | ${cells.join(' ')}`;
}

function cell(status: SeatStatus): string {
  switch (status.state) {
    case 'pending':
      return '⏳';
    case 'skipped':
      return '⊘';
    case 'done':
      return `✅ ${formatElapsed(status.elapsedMs)}`;
    case 'failed':
      return `❌ ${formatElapsed(status.elapsedMs)}`;
  }
}
