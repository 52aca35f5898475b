import type { Synthesis } from '../../base/schema/judgements/synthesis.ts';

export type SynthesisTask = {
  /** Labels of the seats that sketched. */
  labels: readonly string[];
  /** L-451: asked for with stances, never of generic sketches. */
  highlights: boolean;
};

/** What a synthesis of the right form still gets wrong; none when it is right. */
export function synthesisProblems(synthesis: Synthesis, { labels, highlights }: SynthesisTask): string[] {
  const { agreements, divergences, ideas, contested } = synthesis;
  const named = [
    ...[...agreements, ...ideas, ...divergences.flatMap(({ positions }) => positions)].flatMap(
      ({ seats }) => seats,
    ),
    ...contested.flatMap(({ chosenSeats, alternativeSeats }) => [...chosenSeats, ...alternativeSeats]),
  ];
  const unknown = [...new Set(named)].filter((seat) => !labels.includes(seat));
  const oneSided = contested.filter(({ chosen, alternative }) => plain(chosen) === plain(alternative));
  const hasHighlights = synthesis.highlights !== null;
  return [
    ...(hasHighlights === highlights
      ? []
      : [
          highlights
            ? 'highlights: the four highlights are missing'
            : 'highlights: must be null, the sketches have no stances',
        ]),
    ...(unknown.length === 0
      ? []
      : [`seats: ${unknown.join(', ')} did not sketch; the labels are ${labels.join(', ')}`]),
    ...oneSided.map(({ title }) => `contested "${title}": chosen and alternative are the same`),
  ];
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
