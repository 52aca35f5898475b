import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { withDirectoryLock, writeFileAtomic } from '../base/files/atomic.ts';
import { readTextFile } from '../base/files/bounded.ts';
import {
  type FileAction,
  fileActions,
  type Plan,
  type PlanFile,
  planSchema,
} from '../base/schema/judgements/plan.ts';
import type { Revision } from '../base/schema/judgements/review.ts';
import { problemLine, readAs, tidyLine } from '../base/schema/primitives.ts';
import {
  escapeSectionLines,
  type NamedSection,
  readFields,
  readItems,
  readSections,
  renderFields,
  renderItems,
  renderSections,
} from '../base/text/labelled-block.ts';
import { repeated, trimEndChars } from '../base/text/strings.ts';
import { type DecidedPoint, groundDecisions } from './grounding/grounding.ts';
import { subjectOfPlan } from './grounding/subject.ts';

/** L-563: the five sections, then what a program needs to check and execute the plan. */
export const planTitles = {
  files: 'Files to modify/create',
  approach: 'Approach',
  edgeCases: 'Edge cases',
  failureModes: 'Failure modes',
  testing: 'Testing strategy',
  tests: 'Tests',
  commands: 'Commands',
  symbols: 'Symbols',
  decisions: 'Decisions',
  resolutions: 'Voted resolutions',
  dissent: 'Dissent',
} as const;

const allTitles = Object.values(planTitles);
const titleMark = '# Plan: ';

/** Bodies of sections that are not by the author: `renderVoted`, `renderDissent`. */
export type PlanAppendix = { resolutions?: string; dissent?: string };

/** L-564: `plan.txt`. */
export function renderPlan(plan: Plan, { resolutions = '', dissent = '' }: PlanAppendix = {}): string {
  const sections: NamedSection[] = [
    {
      title: planTitles.files,
      body: renderItems(
        plan.files.map(({ path, action, description }) => `${action} \`${path}\`: ${description}`),
      ),
    },
    { title: planTitles.approach, body: plan.approach },
    { title: planTitles.edgeCases, body: renderItems(plan.edgeCases) },
    {
      title: planTitles.failureModes,
      body: renderItems(
        plan.failureModes.map(({ failure, warning, mitigation }) =>
          renderFields(
            [
              ['Failure', failure],
              ['Warning sign', warning],
              ['Mitigation', mitigation],
            ],
            'plain',
          ),
        ),
      ),
    },
    { title: planTitles.testing, body: plan.testing },
    {
      title: planTitles.tests,
      body: renderItems(plan.tests.map(({ path, description }) => `\`${path}\`: ${description}`)),
    },
    {
      title: planTitles.commands,
      body: renderItems(
        plan.commands.map(({ command, purpose }) =>
          renderFields(
            [
              ['Run', command],
              ['Purpose', purpose],
            ],
            'plain',
          ),
        ),
      ),
    },
    {
      title: planTitles.symbols,
      body: renderItems(
        plan.symbols.map(
          ({ name, file, state }) => `${state} \`${name}\`${file === null ? '' : ` in \`${file}\``}`,
        ),
      ),
    },
    {
      title: planTitles.decisions,
      body: renderItems(plan.decisions.map(({ id, honoured }) => `${id}: ${honoured}`)),
    },
    { title: planTitles.resolutions, body: resolutions },
    { title: planTitles.dissent, body: dissent },
  ];
  const fixed = new Set<string>([
    planTitles.files,
    planTitles.approach,
    planTitles.edgeCases,
    planTitles.testing,
  ]);
  const shown = sections.filter(({ title, body }) => body !== '' || fixed.has(title));
  return `${titleMark}${plan.title}\n\n${escapeSectionLines(plan.summary, allTitles)}\n\n${renderSections(shown, allTitles)}`;
}

export type PlanReading = { ok: true; plan: Plan } | { ok: false; problems: string[] };

/** Reads `plan.txt`, also one that an agent or a person wrote in its own way: headings, bullets and file lines are matched loosely. */
export function readPlan(text: string): PlanReading {
  const { preamble, sections } = readSections(text, allTitles);
  const body = (key: keyof typeof planTitles) => sections.get(planTitles[key]) ?? '';
  const missing = (['files', 'approach', 'edgeCases', 'testing'] as const).filter(
    (key) => !sections.has(planTitles[key]),
  );
  const problems = missing.map((key) => `the section "${planTitles[key]}" is missing`);
  const { title, summary } = readPreamble(preamble);
  const files = readItems(body('files')).map(readFileLine);
  files.forEach((file, index) => {
    if (file === undefined) problems.push(`item ${index + 1} of "${planTitles.files}" names no file`);
  });
  const answer = {
    title: title || 'Implementation plan',
    summary: summary || firstParagraph(body('approach')),
    files: files.filter((file) => file !== undefined),
    approach: body('approach'),
    edgeCases: readList(body('edgeCases')),
    failureModes: readItems(body('failureModes')).map(readFailureMode),
    testing: body('testing'),
    tests: readItems(body('tests')).flatMap((item) => {
      const match = /^`([^`]+)`:?\s*([\s\S]*)$/.exec(item);
      return match ? [{ path: match[1], description: match[2] }] : [];
    }),
    commands: readItems(body('commands')).map((item) => {
      const { fields } = readFields(item, ['Run', 'Purpose']);
      return {
        command: fields.get('Run') ?? item.replaceAll('`', ''),
        purpose: fields.get('Purpose') ?? 'not stated',
      };
    }),
    symbols: readItems(body('symbols')).flatMap((item) => {
      const match = /^(existing|new) `([^`]+)`(?: in `([^`]+)`)?$/.exec(item);
      return match ? [{ state: match[1], name: match[2], file: match[3] ?? null }] : [];
    }),
    decisions: readItems(body('decisions')).flatMap((item) => {
      const match = /^\**(DECISION_\d+)\**:\**\s*([\s\S]*)$/i.exec(item);
      return match ? [{ id: match[1], honoured: match[2] }] : [];
    }),
  };
  const reading = readAs(planSchema, answer);
  if (reading.ok && problems.length === 0) return { ok: true, plan: reading.value };
  // Problems inside a missing section are not reported twice.
  const others = (reading.ok ? [] : reading.problems).filter(
    ({ path }) => !missing.some((key) => key === path[0]),
  );
  return { ok: false, problems: [...problems, ...others.map((problem) => problemLine(problem, 'the plan'))] };
}

/** Our own files start with their title; agents say a few words before it. */
function readPreamble(preamble: string): { title: string; summary: string } {
  if (preamble.startsWith(titleMark)) {
    const [title = '', ...rest] = preamble.slice(titleMark.length).split('\n');
    return { title: title.trim(), summary: rest.join('\n').trim() };
  }
  const match = /^#{1,2} +(?:(?:Implementation )?Plan: *)?(\S[^\n]*)$/im.exec(preamble);
  if (!match) return { title: '', summary: preamble };
  return { title: match[1]?.trim() ?? '', summary: preamble.slice(match.index + match[0].length).trim() };
}

const actionWords: Record<string, FileAction> = {
  new: 'new',
  create: 'new',
  add: 'new',
  modify: 'modify',
  modified: 'modify',
  update: 'modify',
  updated: 'modify',
  edit: 'modify',
  change: 'modify',
  delete: 'delete',
  remove: 'delete',
};
const wordPattern = Object.keys(actionWords).join('|');

/** From the first dot or slash on something has to follow; said ahead, so that the path itself is read once. */
const barePath = /(?:^|[\s*])(?=[\w@[\]()-]*[/.][\w@./[\]()-]*\w)([\w@./[\]()-]*\w)/;

function readFileLine(item: string): PlanFile | undefined {
  const exact = new RegExp(`^(${fileActions.join('|')}) \`([^\`]+)\`: ([\\s\\S]+)$`).exec(item);
  if (exact) return { action: exact[1] as FileAction, path: exact[2] ?? '', description: exact[3] ?? '' };
  const [firstLine = '', ...rest] = item.split('\n');
  const path = /`([^`]+)`/.exec(firstLine)?.[1] ?? barePath.exec(firstLine)?.[1];
  if (path === undefined) return undefined;
  const word =
    new RegExp(`\\b(${wordPattern})\\b`, 'i').exec(firstLine.replace(path, ' '))?.[1]?.toLowerCase() ??
    'modify';
  const said = firstLine
    .slice(firstLine.indexOf(path) + path.length)
    .replace(/^[`*]*\s*(?:\([^)]*\)|\[[^\]]*\])?[`*]*\s*[:—–-]*\s*/, '');
  const description = [said, ...rest].join('\n').trim() || firstLine.trim();
  return { path, action: actionWords[word] ?? 'modify', description };
}

function readFailureMode(item: string) {
  const { fields } = readFields(item, ['Failure', 'Warning sign', 'Warning', 'Mitigation']);
  return {
    failure: fields.get('Failure') ?? item,
    warning: fields.get('Warning sign') ?? fields.get('Warning') ?? 'not stated',
    mitigation: fields.get('Mitigation') ?? 'not stated',
  };
}

function readList(body: string): string[] {
  const items = readItems(body);
  return items.length === 0 && body !== '' ? [body] : items;
}

function firstParagraph(text: string): string {
  return (text.split(/\n\s*\n/)[0] ?? '').slice(0, 2000);
}

/** L-765 */
const issueCategories = [
  'Pre-existing Code Issues',
  'Tool Failures',
  'Permission Prompts',
  'External Reviewer Issues',
  'CI Issues',
  'Warnings',
  'Q/A',
] as const;
export type IssueCategory = (typeof issueCategories)[number];

/**
 * L-765: the log with one more bullet at the end of its category; log and section are made when missing. A bullet that is there
 * already stays alone: a step that a kill cut off writes again.
 */
export function insertIssue(log: string, category: IssueCategory, entry: string): string {
  const bullet = `- ${tidyLine(entry).replace(/^- /, '')}`;
  const lines = trimEndChars(log, '\n').split('\n');
  const start = lines.indexOf(`### ${category}`);
  if (start === -1) {
    const before = log.trim() === '' ? '' : `${lines.join('\n')}\n\n`;
    return `${before}### ${category}\n\n${bullet}\n`;
  }
  const next = lines.slice(start + 1).findIndex((line) => line.startsWith('### '));
  const end = next === -1 ? lines.length : start + 1 + next;
  const section = lines.slice(0, end);
  if (section.slice(start).includes(bullet)) return log;
  while (section.at(-1) === '') section.pop();
  const rest = lines.slice(end);
  return `${[...section, bullet, ...(rest.length > 0 ? ['', ...rest] : [])].join('\n')}\n`;
}

/** Appends under a lock directory, so that parallel writers lose nothing. */
export async function appendIssue(file: string, category: IssueCategory, entry: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await withDirectoryLock(file, async () =>
    writeFileAtomic(file, insertIssue((await readTextFile(file)) ?? '', category, entry)),
  );
}

/** Files that need no failure modes when nothing else changes (L-563). */
const documentation =
  /(?:^|\/)(?:docs?|examples?)\/|\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)(?:LICENSE|CHANGELOG|README)[^/]*$/i;

export type PlanRules = {
  /** Resolutions of the dialectic; the plan must follow the `voted` ones. */
  decided?: readonly DecidedPoint[];
};

/** L-566: what is missing from a plan, one line each; empty when it can go to review. */
export function planProblems(plan: Plan, { decided = [] }: PlanRules = {}): string[] {
  return [
    ...(plan.edgeCases.length === 0 ? ['Edge cases: none are named'] : []),
    ...(plan.failureModes.length === 0 && !isDocumentationOnly(plan)
      ? ['Failure modes: a change to code needs them']
      : []),
    ...plan.files.flatMap(({ path: file }) =>
      isRepositoryPath(file) ? [] : [`${file}: not a path inside the repository`],
    ),
    ...repeated(plan.files.map(({ path: file }) => path.posix.normalize(file))).map(
      (file) => `${file}: listed more than once`,
    ),
    ...decisionProblems(plan, decided),
  ];
}

/** L-562: voted resolutions that the plan does not follow. */
export function decisionProblems(plan: Plan, decided: readonly DecidedPoint[]): string[] {
  return groundDecisions(subjectOfPlan(plan), decided)
    .filter(({ severity }) => severity === 'error')
    .map(({ subject, reason }) => `${subject}: ${reason}`);
}

/** L-690, L-698: whether a revision deals with every accepted finding and with nothing else. */
export function revisionProblems(accepted: readonly string[], before: Plan, revision: Revision): string[] {
  const answered = new Set(revision.resolutions.map(({ id }) => id));
  const unchanged = accepted.length > 0 && JSON.stringify(before) === JSON.stringify(revision.plan);
  return [
    ...accepted
      .filter((id) => !answered.has(id))
      .map((id) => `${id}: accepted, but the revision has no resolution for it`),
    ...[...answered]
      .filter((id) => !accepted.includes(id))
      .map((id) => `${id}: resolved, but it was not accepted`),
    ...(unchanged ? ['the plan did not change although findings were accepted'] : []),
  ];
}

function isDocumentationOnly(plan: Pick<Plan, 'files'>): boolean {
  return plan.files.every(({ path: file }) => documentation.test(file));
}

/** True if a path stays inside the repository and outside git's folder, by its text alone. */
export function isRepositoryPath(file: string): boolean {
  const parts = file.split(/[\\/]/);
  return (
    file !== '' &&
    !path.posix.isAbsolute(file) &&
    !path.win32.isAbsolute(file) &&
    !parts.includes('..') &&
    parts[0]?.toLowerCase() !== '.git' &&
    !/[\u0000-\u001f\u007f]/.test(file)
  );
}
