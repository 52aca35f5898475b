import { CharretteError } from '../../base/errors.ts';
import { renderSketch, sketchShortage } from '../../council/sketch.ts';
import { sketchPrompt } from '../../prompts/panel/sketch.ts';
import type { Desk } from './desk.ts';
import { afterFailures } from './health.ts';
import { seatsOf } from './seating.ts';
import { type Design, known, type SeatSketch } from './state.ts';
import { checkTree } from './tree.ts';

/** Step 2a, which ends with its synthesis: everybody sketches at the same time and nobody sees another's sketch (L-023, L-201, L-204). */
export async function sketches(desk: Desk, design: Design): Promise<Partial<Design>> {
  const seats = seatsOf(desk, design).sketch;
  if (seats.length === 0) {
    desk.begin('2a');
    desk.skip('none asked for');
    return { sketches: [] };
  }
  desk.begin('2a');
  const replies = await desk.ask(
    'sketch',
    seats.map((seat) => ({
      seat,
      lane: seat.id,
      task: 'sketch',
      judgement: 'sketch' as const,
      draft: (schema, maximumEffort) =>
        sketchPrompt({ commission: design.commission, stance: seat.stance, schema, maximumEffort }),
      input: {},
    })),
    seats.some(({ stance }) => stance !== 'generic') ? 'sketches-regular' : 'sketches-quick',
  );
  await checkTree(desk, 'sketch-collection');
  const usable: SeatSketch[] = [];
  for (const [index, reply] of replies.entries()) {
    const seat = seats[index];
    if (seat === undefined) continue;
    desk.tellFailures(seat.label, reply);
    if (reply.kind !== 'ok' || reply.value === undefined) continue;
    usable.push({ seat, agent: reply.agent, family: reply.family, sketch: reply.value });
    await desk.context.artifact(seat.output ?? `${seat.id}-output.txt`, renderSketch(reply.value));
  }
  const shortage = sketchShortage(usable.length, seats.length, desk.inputs.quick ? 'quick' : 'regular');
  if (shortage !== undefined) {
    throw new CharretteError({
      code: 'too-few-sketches',
      message: `${shortage}.`,
      fix: 'See the warnings above for each seat; mend the cause, then resume the run.',
      retryable: true,
    });
  }
  return {
    sketches: usable,
    health: await afterFailures(desk, known(design, 'health'), 'sketches', replies),
  };
}
