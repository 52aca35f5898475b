import { renderSections } from '../../base/text/labelled-block.ts';
import type { ExchangeFile, Outline, OutlineTask } from './outline.ts';

import { because } from './spec-kit-writer.ts';
import { criterionLine, detailLines, isLabelled, quoted, stepLine } from './task-lines.ts';

export const openSpecDesignTitles = [
  'Context',
  'Goals / Non-Goals',
  'Decisions',
  'Edge Cases',
  'Risks / Trade-offs',
];

/** OpenSpec warns below and above these lengths. */
const why = { least: 50, most: 1000 };

/** `openspec/changes/<id>/`: proposal, design, tasks, and what the change adds as requirements with scenarios. */
export function writeOpenSpec(outline: Outline, name: string): ExchangeFile[] {
  const folder = `openspec/changes/${name}`;
  return [
    { path: `${folder}/.openspec.yaml`, text: `schema: spec-driven\ncreated: ${outline.date}\n` },
    { path: `${folder}/proposal.md`, text: proposalText(outline, name) },
    { path: `${folder}/design.md`, text: designText(outline) },
    { path: `${folder}/tasks.md`, text: tasksText(outline) },
    { path: `${folder}/specs/${name}/spec.md`, text: requirementsText(outline) },
  ];
}

function proposalText({ title, summary, tasks }: Outline, name: string): string {
  const files = [...new Set(tasks.flatMap((task) => task.files.map(({ path }) => path)))].sort();
  const reason = summary.replace(/\s+/g, ' ').slice(0, why.most - 1);
  const padded =
    reason.length >= why.least
      ? reason
      : `${reason} This change plans it: ${title}, in ${tasks.length} tasks.`;
  return [
    `# Change: ${title}`,
    '',
    '## Why',
    '',
    withoutHeading(padded),
    '',
    '## What Changes',
    '',
    ...tasks.map((task) => `- ${task.title}`),
    '',
    '## Capabilities',
    '',
    '### New Capabilities',
    '',
    `- \`${name}\`: ${title}`,
    '',
    '### Modified Capabilities',
    '',
    '_None._',
    '',
    '## Impact',
    '',
    ...(files.length === 0 ? ['Not named.'] : files.map((file) => `- \`${file}\``)),
    '',
  ].join('\n');
}

function designText({ summary, approach, decisions, edgeCases, tasks }: Outline): string {
  const risks = tasks.flatMap((task) => task.risks);
  const goals = tasks.map(({ title }) => `- ${title}`);
  const sections = [
    { title: 'Context', body: summary },
    { title: 'Goals / Non-Goals', body: ['**Goals:**', ...goals].join('\n') },
    {
      title: 'Decisions',
      body: [
        ...quoted(approach),
        '',
        ...decisions.map(({ decision, rationale }) => `- ${decision}${because}${rationale}`),
      ].join('\n'),
    },
    { title: 'Edge Cases', body: edgeCases.map((text) => `- ${text}`).join('\n') },
    {
      title: 'Risks / Trade-offs',
      body: risks.map(({ description, mitigation }) => `- ${description} → ${mitigation}`).join('\n'),
    },
  ].filter(({ body }) => body !== '');
  return renderSections(sections, openSpecDesignTitles);
}

function tasksText({ tasks }: Outline): string {
  return tasks.map((task) => groupLines(task).join('\n')).join('\n');
}

function groupLines(task: OutlineTask): string[] {
  const { number, title, description, dependsOn, steps, criteria } = task;
  const items = [
    ...steps.map((text) => (isLabelled(text) ? stepLine(text) : text)),
    ...criteria.map(criterionLine),
  ];
  return [
    `## ${number}. ${title}`,
    '',
    ...quoted(description),
    '',
    `Depends on: ${dependsOn.length === 0 ? 'none' : dependsOn.join(', ')}`,
    '',
    ...detailLines(task).map((text) => `- ${text}`),
    ...items.map((text, index) => `- [${task.done === true ? 'x' : ' '}] ${number}.${index + 1} ${text}`),
    '',
  ];
}

function requirementsText({ title, summary, tasks }: Outline): string {
  const purpose = `${title}. ${summary}`.replace(/\s+/g, ' ').slice(0, 400);
  return [
    '## Purpose',
    '',
    purpose.length >= why.least
      ? withoutHeading(purpose)
      : `${purpose} It is described by its requirements and their scenarios.`,
    '',
    '## ADDED Requirements',
    '',
    ...tasks.flatMap((task) => [
      `### Requirement: ${task.title}`,
      '',
      `The change SHALL deliver this: ${task.title}.`,
      '',
      ...task.criteria.flatMap((text, index) => [
        `#### Scenario: Task ${task.number}, criterion ${index + 1}`,
        '',
        `- **WHEN** task ${task.number} is done`,
        `- **THEN** ${text}`,
        '',
      ]),
    ]),
  ].join('\n');
}

/** A line that begins like a heading would end the section. */
const withoutHeading = (text: string) => text.replace(/^#/, '\\#');
