import type { Outline, OutlineTask } from './outline.ts';
import { taskName, wavesOf } from './spec-kit-writer.ts';
import { criterionLine, detailLines } from './task-lines.ts';

/** GitHub refuses longer bodies. */
const maxBodyLength = 65_536;

/** The body of a GitHub issue: what and how, a list of boxes, and the detail of each task folded away. */
export function issueBody(outline: Outline): string {
  const full = body(outline, true);
  if (full.length <= maxBodyLength) return full;
  const short = `${body(outline, false)}\nThe detail of the tasks is too long for an issue; it is in the plan.\n`;
  return short.length <= maxBodyLength ? short : `${short.slice(0, maxBodyLength - 1)}…`;
}

function body({ summary, approach, decisions, edgeCases, tasks }: Outline, detailed: boolean): string {
  const waves = wavesOf(tasks);
  const waveOf = new Map(waves.flatMap((wave, index) => wave.map(({ number }) => [number, index + 1])));
  return [
    quiet(summary),
    '',
    '## Approach',
    '',
    quiet(approach),
    '',
    '## Tasks',
    '',
    ...tasks.map(
      ({ number, title, dependsOn, done }) =>
        `- [${done === true ? 'x' : ' '}] **${taskName(number)}** ${quiet(title)} (wave ${waveOf.get(number)}${dependsOn.length === 0 ? '' : `, after ${dependsOn.map(taskName).join(', ')}`})`,
    ),
    '',
    ...(detailed ? tasks.flatMap(folded) : []),
    ...listed(
      'Decisions',
      decisions.map(({ decision, rationale }) => `${decision} Because: ${rationale}`),
    ),
    ...listed('Edge cases', edgeCases),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

function folded(task: OutlineTask): string[] {
  const { number, title, description, steps, criteria, done } = task;
  return [
    '<details>',
    `<summary>${taskName(number)} ${quiet(title)}</summary>`,
    '',
    ...(description === title ? [] : [quiet(description), '']),
    ...detailLines(task).map((text) => `- ${quiet(text)}`),
    '',
    ...steps.map((text, index) => `${index + 1}. ${quiet(text)}`),
    '',
    ...criteria.map((text) => `- [${done === true ? 'x' : ' '}] ${quiet(criterionLine(text))}`),
    '',
    '</details>',
    '',
  ];
}

const listed = (title: string, items: readonly string[]) =>
  items.length === 0 ? [] : [`## ${title}`, '', ...items.map((text) => `- ${quiet(text)}`), ''];

/** Escapes text of the plan: it mentions no user and opens no HTML element. */
function quiet(text: string): string {
  return text.replace(/<(?=[/!a-zA-Z])/g, '&lt;').replace(/(^|[^\w`/])@(?=[\w-])/g, '$1@<!-- -->');
}
