import type { Sketch } from '../../base/schema/judgements/sketch.ts';

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
