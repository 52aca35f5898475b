import { z } from 'zod';
import { isRecord, parseJson } from '../../base/safe-json.ts';
import { problemLine, readAs } from '../../base/schema/issue-words.ts';
import { planInvalid } from '../tasks/read-plan.ts';
import { droppedNotes, fitPlan, fitTask, sentence } from './fit.ts';
import {
  lines,
  type Outline,
  type OutlineReading,
  type OutlineTask,
  oneLine,
  outlineTask,
  planView,
} from './outline.ts';
import { taskName, wavesOf } from './spec-kit-writer.ts';
import { criterionLine, detailLines } from './task-lines.ts';

/** GitHub refuses longer bodies. */
const longestBody = 65_536;

/** The body of a GitHub issue: what and how, a list of boxes, and the detail of each task folded away. */
export function issueBody(outline: Outline): string {
  const full = body(outline, true);
  if (full.length <= longestBody) return full;
  const short = `${body(outline, false)}\nThe detail of the tasks is too long for an issue; it is in the plan.\n`;
  return short.length <= longestBody ? short : `${short.slice(0, longestBody - 1)}…`;
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

/** Words of a plan call nobody and open no HTML. */
function quiet(text: string): string {
  return text.replace(/<(?=[/!a-zA-Z])/g, '&lt;').replace(/(^|[^\w`/])@(?=[\w-])/g, '$1@<!-- -->');
}

const name = z.union([z.string().min(1), z.number()]).transform(String);
const formerPlan = z.looseObject({
  summary: z.string().min(1),
  approach: z.string().optional(),
  tasks: z
    .array(
      z.looseObject({
        id: name,
        title: z.string().min(1),
        description: z.string().nullish(),
        depends_on: z.array(name).nullish(),
      }),
    )
    .min(1),
});
type FormerTask = z.infer<typeof formerPlan>['tasks'][number];

/** P-103: a plan in one file with its tasks inside, as plans once were, with the former names of fields. */
export function readEmbeddedPlan(text: string, source: string): OutlineReading {
  const reading = readAs(formerPlan, parseJson(text, source));
  if (!reading.ok) throw planInvalid(reading.problems.map((problem) => problemLine(problem, source)));
  const { tasks, ...overview } = reading.value;
  const { summary, approach } = overview;
  const numberOf = new Map(tasks.map(({ id }, index) => [id, index + 1]));
  const dropped: string[] = [];
  const original = fitPlan(overview, '', dropped);
  return {
    outline: {
      title: oneLine(summary),
      summary,
      approach: approach || summary,
      date: '1970-01-01',
      ...planView(original.overview),
      tasks: tasks.map((task, index) => {
        const { title, description, depends_on } = task;
        const fields = fitTask(presentFields(task), `${task.id} `, dropped);
        return outlineTask(
          { ...fields, title, description: description ?? '' },
          index + 1,
          (depends_on ?? []).map((each, at) => numberOf.get(each) ?? 900 + at),
        );
      }),
      original,
    },
    notes: [
      'former names became present ones: acceptance → convergence.criteria, modification_points → files, verification → test',
      ...droppedNotes(dropped),
    ],
  };
}

const formerTests: Readonly<Record<string, string>> = {
  unit_tests: 'unit',
  integration_tests: 'integration',
};

/** A task under the names that fields have now. */
function presentFields(task: FormerTask): Record<string, unknown> {
  const { id: _id, title: _title, description: _description, depends_on: _needs, ...fields } = task;
  const { acceptance, modification_points, verification, convergence, files, test, ...others } = fields;
  const done = isRecord(convergence) ? convergence : { criteria: convergence };
  const criteria = [...listOf(done['criteria']), ...listOf(acceptance)];
  const places = [...listOf(files), ...listOf(modification_points).map(placeOf)];
  const tests = {
    ...(isRecord(verification)
      ? Object.fromEntries(
          Object.entries(verification).map(([key, value]) => [formerTests[key] ?? key, value]),
        )
      : { manual_checks: verification }),
    ...(isRecord(test) ? test : { commands: test }),
  };
  return present({
    ...others,
    implementation: listOf(others['implementation']),
    convergence: present({ ...done, criteria: criteria.map((each) => sentence(each) ?? each) }),
    files: places.map((each) => (typeof each === 'string' ? { path: each } : each)),
    test: present(tests),
  });
}

function placeOf(point: unknown): unknown {
  if (!isRecord(point)) return point;
  const { file, ...others } = point;
  return { path: file, ...others };
}

/** A list, or the lines of a text that stands in the place of one. */
function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  return typeof value === 'string'
    ? lines(value.split('\n').map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s+/, '')))
    : [value];
}

/** Without what is absent or empty. */
function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined &&
        !(Array.isArray(value) && value.length === 0) &&
        !(isRecord(value) && Object.keys(value).length === 0),
    ),
  );
}
