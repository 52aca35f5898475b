import { CharretteError } from '../base/errors.ts';
import type { Sketch } from '../base/schema/judgements/design.ts';
import type { Commission } from '../prompts/panel/common.ts';
import { sketchPrompt } from '../prompts/panel/sketch.ts';
import { type Council, type Reply, type Seat, warnOfFailures } from './council.ts';

export type Sketched = { seat: Seat; sketch: Sketch };

/** Step 2a, the round: every seat sketches in parallel and sees no other sketch (L-023, L-201, L-204). Fails with too few (C-07). */
export async function sketch(
  council: Council,
  seats: readonly Seat[],
  commission: Commission,
  mode: keyof typeof sketchMinimum,
): Promise<{ sketches: Sketched[]; replies: Reply<'sketch'>[] }> {
  const replies = await council.ask(
    'sketch',
    seats.map((seat) => [
      seat,
      {
        key: seat.id,
        kind: 'sketch',
        judgement: 'sketch',
        draft: (schema, maximumEffort) =>
          sketchPrompt({
            ...{ commission, stance: seat.stance ?? 'generic', stanceText: seat.stanceText },
            ...{ schema, maximumEffort },
          }),
        facts: {},
      },
    ]),
    seats.some(({ stance = 'generic' }) => stance !== 'generic') ? 'sketches-regular' : 'sketches-quick',
  );
  await council.checkTree('sketch-collection');
  const sketches: Sketched[] = [];
  for (const [index, seat] of seats.entries()) {
    const reply = replies[index];
    if (reply === undefined) continue;
    warnOfFailures(council, seat.label, reply);
    if (reply.value === undefined) continue;
    sketches.push({ seat, sketch: reply.value });
    await council.artifact(seat.output ?? `${seat.id}-output.txt`, renderSketch(reply.value));
  }
  const shortage = sketchShortage(sketches.length, seats.length, mode);
  if (shortage === undefined) return { sketches, replies };
  throw new CharretteError({
    code: 'too-few-sketches',
    message: `${shortage}.`,
    fix: 'See the warnings above for each seat; fix the cause, then resume the run.',
    retryable: true,
  });
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

/** A sketch as people and later prompts read it. */
export function renderSketch(sketch: Sketch): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', `## ${title}`, ...lines];
  return `${[
    sketch.summary,
    '',
    sketch.approach,
    ...section(
      'Decisions',
      sketch.decisions.map(({ title, choice, reason }) => `- **${title}**: ${choice} (${reason})`),
    ),
    ...section(
      'Files',
      sketch.files.map(({ path, reason }) => `- \`${path}\`: ${reason}`),
    ),
    ...section(
      'Risks',
      sketch.risks.map(({ risk, mitigation }) => `- ${risk} Mitigation: ${mitigation}`),
    ),
  ].join('\n')}\n`;
}
