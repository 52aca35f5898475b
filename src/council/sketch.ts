import type { Sketch } from '../base/schema/judgements/design.ts';

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
