import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Desk } from './desk.ts';
import { noteTree } from './found-tree.ts';
import { workerHome } from './heavy-place.ts';
import { seatsOf } from './seating.ts';
import type { Design } from './state.ts';

/** What a person did while the run waited for consent and answers is their own: only from here on changes are those of agents. */
export async function settleTree(desk: Desk, design: Design): Promise<Partial<Design>> {
  const { directory } = desk.context.live;
  // Not whether anybody was asked at all, as a worker wants to know: those who put the questions have lanes by now.
  const began = [
    workerHome(directory),
    ...seatsOf(desk, design).sketch.map(({ id }) => path.join(directory.lanes, `${id}-1`)),
  ];
  await desk.context.step('tree before sketches', async () => {
    // A run whose journal was lost comes here again, with what its agents left.
    if (!began.some((place) => existsSync(place))) await noteTree(directory, desk.inputs.project);
  });
  return {};
}
