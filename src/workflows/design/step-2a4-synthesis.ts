import { payloads } from '../../council/breadcrumbs.ts';
import { rankDecisions, renderDecisions } from '../../council/decisions.ts';
import { renderSketch } from '../../council/sketch.ts';
import { renderSynthesis } from '../../council/synthesis.ts';
import { synthesisPrompt } from '../../prompts/panel/sketch.ts';
import type { Desk } from './desk.ts';
import { seatsOf } from './seating.ts';
import { type Design, known } from './state.ts';

/** Step 2a.4: agreements, divergences with a call on each, and the decisions that are really contested (L-450…L-457). */
export async function synthesis(desk: Desk, design: Design): Promise<Partial<Design>> {
  const sketches = known(design, 'sketches');
  if (sketches.length === 0) {
    await desk.context.artifact('approach-synthesis.txt', 'NO_SKETCHES\n');
    await desk.context.artifact('contested-decisions.md', renderDecisions([]));
    return { decisions: [] };
  }
  // L-451: only stances give the four highlights something to stand on.
  const highlights = sketches.some(({ seat }) => seat.stance !== 'generic');
  const { value } = await desk.author(seatsOf(desk, design).author, {
    lane: 'synthesis',
    task: 'synthesis',
    judgement: 'synthesis',
    draft: (schema) =>
      synthesisPrompt({
        commission: design.commission,
        sketches: sketches.map(({ seat, sketch }) => ({
          label: seat.label,
          text: renderSketch(sketch),
        })),
        highlights,
        schema,
      }),
    input: {
      sketches: sketches.map(({ seat, sketch }) => ({ seat: seat.label, sketch })),
      highlights,
    },
  });
  const kept = highlights ? value : { ...value, highlights: null };
  const text = renderSynthesis(kept);
  const decisions = rankDecisions(value.contested);
  await desk.context.artifact('approach-synthesis.txt', text);
  await desk.context.artifact('contested-decisions.md', renderDecisions(decisions));
  desk.show('Approach Synthesis', text);
  // L-046: the one line stands for the body that a caller finds in its file.
  desk.end(desk.inputs.caller === undefined ? undefined : payloads.synthesisSaved);
  return { synthesis: kept, synthesisText: text, decisions };
}
