import { writeFrontMatter } from '../../base/text/frontmatter.ts';
import { renderSections } from '../../base/text/labelled-block.ts';
import { repeated } from '../../base/text/strings.ts';
import { dependencyWaves } from '../tasks/schedule.ts';
import type { ExchangeFile, Outline, OutlineTask } from './outline.ts';
import { criterionLine, detailLines, quoted, stepLine } from './task-lines.ts';

export const specKitPlanTitles = [
  'Summary',
  'Technical Context',
  'Constitution Check',
  'Approach',
  'Design Decisions',
  'Project Structure',
  'Complexity Tracking',
];

/** `specs/NNN-name/{spec,plan,tasks}.md` as GitHub spec-kit has them. */
export function writeSpecKit(outline: Outline, name: string): ExchangeFile[] {
  const folder = `specs/${name}`;
  return [
    { path: `${folder}/spec.md`, text: specText(outline, name) },
    { path: `${folder}/plan.md`, text: planText(outline, name) },
    { path: `${folder}/tasks.md`, text: tasksText(outline, name) },
  ];
}

function specText({ title, summary, date, edgeCases, tasks }: Outline, name: string): string {
  const criteria = tasks.flatMap(({ number, criteria: own }) => own.map((text) => ({ number, text })));
  const commands = [...new Set(tasks.flatMap((task) => task.commands))];
  return [
    `# Feature Specification: ${title}`,
    '',
    `**Feature Branch**: \`${name}\``,
    '',
    `**Created**: ${date}`,
    '',
    '**Status**: Draft',
    '',
    `**Input**: User description: ${JSON.stringify(title)}`,
    '',
    '## User Scenarios & Testing *(mandatory)*',
    '',
    `### User Story 1 - ${title} (Priority: P1)`,
    '',
    ...quoted(summary),
    '',
    '**Why this priority**: The plan has one purpose; all of its tasks serve it.',
    '',
    `**Independent Test**: ${commands.length === 0 ? 'Go through the scenarios below.' : `Run ${commands.map((text) => `\`${text}\``).join(', ')}.`}`,
    '',
    '**Acceptance Scenarios**:',
    '',
    ...criteria.map(
      ({ number, text }, index) =>
        `${index + 1}. **Given** the repository before ${taskName(number)}, **When** ${taskName(number)} is done, **Then** ${text}`,
    ),
    '',
    '### Edge Cases',
    '',
    ...(edgeCases.length === 0 ? ['None are named.'] : edgeCases.map((text) => `- ${text}`)),
    '',
    '## Requirements *(mandatory)*',
    '',
    '### Functional Requirements',
    '',
    ...tasks.map(
      ({ number, title: text }) =>
        `- **FR-${threeDigits(number)}**: The change MUST do this (${taskName(number)}): ${text}`,
    ),
    '',
    '## Success Criteria *(mandatory)*',
    '',
    '### Measurable Outcomes',
    '',
    ...criteria.map(({ text }, index) => `- **SC-${threeDigits(index + 1)}**: ${text}`),
    '',
    '## Assumptions',
    '',
    '- The repository is as it was when the plan was made.',
    '',
  ].join('\n');
}

function planText({ title, summary, approach, date, decisions, tasks }: Outline, name: string): string {
  const commands = [...new Set(tasks.flatMap((task) => task.commands))];
  const files = [...new Set(tasks.flatMap((task) => task.files.map(({ path }) => path)))].sort();
  const sections = [
    { title: 'Summary', body: summary },
    {
      title: 'Technical Context',
      body: `**Testing**: ${commands.map((text) => `\`${text}\``).join(', ') || 'NEEDS CLARIFICATION'}`,
    },
    { title: 'Constitution Check', body: 'The plan names no rule that it breaks.' },
    { title: 'Approach', body: approach },
    {
      title: 'Design Decisions',
      body: decisions.map(({ decision, rationale }) => `- ${decision}${because}${rationale}`).join('\n'),
    },
    { title: 'Project Structure', body: ['```text', ...files, '```'].join('\n') },
  ].filter(({ body }) => body !== '');
  return `# Implementation Plan: ${title}\n\n**Branch**: \`${name}\` | **Date**: ${date} | **Spec**: [spec.md](spec.md)\n\n${renderSections(sections, specKitPlanTitles)}`;
}

/** Between a decision and its reason. */
export const because = ' Because: ';

function tasksText({ title, tasks }: Outline, name: string): string {
  const waves = wavesOf(tasks);
  const body = [
    '',
    `# Tasks: ${title}`,
    '',
    `**Input**: Design documents from \`/specs/${name}/\``,
    '',
    '**Prerequisites**: plan.md, spec.md',
    '',
    ...waves.flatMap((wave, index) => [
      `## Phase ${index + 1}: Wave ${index + 1}`,
      '',
      ...waveLines(wave),
      '',
    ]),
    '## Dependencies & Execution Order',
    '',
    'A task waits for those that its line names, and for no others. Tasks with [P] touch separate files.',
    '',
  ].join('\n');
  return writeFrontMatter({ description: 'Tasks of the plan, in waves', dependencies: 'explicit' }, body);
}

function waveLines(wave: readonly OutlineTask[]): string[] {
  const shared = new Set(repeated(wave.flatMap(({ files }) => [...new Set(files.map(({ path }) => path))])));
  return wave.flatMap((task) =>
    taskLines(task, wave.length > 1 && !task.files.some(({ path }) => shared.has(path))),
  );
}

function taskLines(task: OutlineTask, parallel: boolean): string[] {
  const { number, title, description, dependsOn, files, steps, criteria } = task;
  const place = files[0] === undefined ? '' : ` in ${files[0].path}`;
  const after = dependsOn.length === 0 ? '' : ` (depends on ${dependsOn.map(taskName).join(', ')})`;
  return [
    `- [${task.done === true ? 'x' : ' '}] ${taskName(number)}${parallel ? ' [P]' : ''} ${escapeTitle(title)}${place}${after}`,
    ...quoted(description, '  '),
    ...[...detailLines(task), ...steps.map(stepLine), ...criteria.map(criterionLine)].map(
      (text) => `  - ${text}`,
    ),
  ];
}

/** The tasks in waves: each one after the last that it depends on. */
export function wavesOf(tasks: readonly OutlineTask[]): OutlineTask[][] {
  const { waves } = dependencyWaves(
    tasks.map((task) => ({ id: String(task.number), depends_on: task.dependsOn.map(String), task })),
  );
  return waves.map((wave) => wave.map(({ task }) => task));
}

const threeDigits = (number: number) => String(number).padStart(3, '0');
export const taskName = (number: number) => `T${threeDigits(number)}`;

/** A title that begins like a mark or ends like a dependency keeps its words with a backslash. */
const escapeTitle = (title: string) =>
  title.replace(/^(\\*)\[/, '\\$1[').replace(/\((?=depends on )/gi, '\\(');

export const unescapeTitle = (title: string) =>
  title.replace(/^\\(\\*)\[/, '$1[').replace(/\\\((?=depends on )/gi, '(');
