import type { Queue } from './queue.ts';

/** Ends calls of agents; one that was ended before, or never began, is ended as well. */
export async function endTurns({ pool }: Queue, calls: readonly string[]): Promise<void> {
  await pool.query('DELETE FROM charrette.turns WHERE call = ANY($1)', [calls]);
}
