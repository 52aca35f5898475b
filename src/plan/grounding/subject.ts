import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { FileAction, Plan } from '../../base/schema/judgements/plan.ts';
import { citationsIn, pathsIn } from '../../base/text/citations.ts';
import { readPlace } from '../../repo/index/citation.ts';
import { fileKind } from '../../repo/index/snapshot.ts';
import type { CommandLookup } from './files.ts';

/** Looks programs up on PATH without starting anything. */
export function pathLookup(env: NodeJS.ProcessEnv): CommandLookup {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const endings = process.platform === 'win32' ? (env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';') : [''];
  return {
    onPath: (program) =>
      /^[\w.+-]+$/.test(program) &&
      folders.some((folder) => endings.some((ending) => canRun(path.join(folder, program + ending)))),
  };
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** L-563: the sections of a plan. Failure modes may be left out of cosmetic and documentation-only plans. */
export const planSections = [
  { name: 'Files to modify/create', heading: /^files?\b|^(?:files? )?(?:to )?(?:modify|create|change)/i },
  { name: 'Approach', heading: /^(?:approach|strategy|implementation approach|design)\b/i },
  { name: 'Edge cases', heading: /^edge[- ]cases?\b/i },
  { name: 'Failure modes', heading: /^failure[- ]modes?\b/i },
  { name: 'Testing strategy', heading: /^test(?:s|ing)?\b/i },
] as const;

type PlanSectionName = (typeof planSections)[number]['name'];

/** What a plan claims, ready to be checked; the same from a typed plan and from plan text. */
export type GroundingSubject = {
  sections: ReadonlySet<PlanSectionName>;
  files: { path: string; action: FileAction | 'unknown' }[];
  tests: string[];
  symbols: { name: string; file?: string; state: 'existing' | 'new' | 'unknown' }[];
  commands: string[];
  /** What the plan says per decision id. */
  decisions: ReadonlyMap<string, string>;
  citations: string[];
  /** All prose, for what can only be looked up by words. */
  text: string;
};

/** The claims of a typed plan. */
export function subjectOfPlan(plan: Plan): GroundingSubject {
  const filled: Record<PlanSectionName, boolean> = {
    'Files to modify/create': plan.files.length > 0,
    Approach: plan.approach.trim() !== '',
    'Edge cases': plan.edgeCases.length > 0,
    'Failure modes': plan.failureModes.length > 0,
    'Testing strategy': plan.testing.trim() !== '' || plan.tests.length > 0,
  };
  const text = [
    plan.summary,
    plan.approach,
    ...plan.files.map(({ description }) => description),
    ...plan.edgeCases,
    ...plan.failureModes.flatMap(({ failure, warning, mitigation }) => [failure, warning, mitigation]),
    plan.testing,
  ].join('\n\n');
  return {
    sections: new Set(planSections.map(({ name }) => name).filter((name) => filled[name])),
    files: plan.files.map(({ path, action }) => ({ path, action })),
    tests: testsOf(plan),
    symbols: plan.symbols.map(({ name, file, state }) => ({
      name,
      state,
      ...(file === null ? {} : { file }),
    })),
    commands: plan.commands.map(({ command }) => command),
    decisions: new Map(plan.decisions.map(({ id, honoured }) => [id.toUpperCase(), honoured])),
    citations: citationTexts(text),
    text,
  };
}

/** The tests a plan names: in their list, or else in the prose of its testing strategy. */
function testsOf(plan: Plan): string[] {
  if (plan.tests.length > 0) return plan.tests.map(({ path }) => path);
  return [...new Set(pathsIn(plan.testing).map(({ path }) => path))].filter(
    (path) => fileKind(path) === 'test',
  );
}

/** The claims of a plan as people write it, with the five headings. What cannot be told is `unknown`. */
export function subjectOfText(text: string): GroundingSubject {
  const sections = readHeadings(text);
  const files = listedFiles(sections.get('Files to modify/create') ?? '');
  const testing = sections.get('Testing strategy') ?? '';
  const named = [...files.map(({ path }) => path), ...pathsIn(testing).map(({ path }) => path)];
  return {
    sections: new Set([...sections].filter(([, body]) => body.trim() !== '').map(([name]) => name)),
    files,
    tests: [...new Set(named.filter((path) => fileKind(path) === 'test'))],
    symbols: [...new Set(codeSpans(text).flatMap((span) => /^([\w$.#]+)\(.*\)$/.exec(span)?.[1] ?? []))].map(
      (name) => ({ name, state: 'unknown' as const }),
    ),
    commands: [...new Set([...codeSpans(text), ...fencedLines(text)].filter(looksLikeCommand))],
    decisions: new Map(
      [...text.matchAll(/\bDECISION_\d+\b/g)].map(([id]) => [id, paragraphAround(text, id)]),
    ),
    citations: citationTexts(text),
    text,
  };
}

/** Whether a text says which files change or how: the least that makes it a plan. */
export function looksLikePlan(text: string): boolean {
  const sections = readHeadings(text);
  return sections.has('Files to modify/create') || sections.has('Approach');
}

/** The headings of a text, for messages. */
export function headingsIn(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => headingOf(line)?.title ?? []);
}

function readHeadings(text: string): Map<PlanSectionName, string> {
  const found = new Map<PlanSectionName, string>();
  let current: PlanSectionName | undefined;
  let [fenced, depth] = [false, 7];
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const heading = fenced ? undefined : headingOf(line);
    const section = planSections.find(
      ({ heading: pattern }) => heading !== undefined && pattern.test(heading.title),
    );
    if (heading !== undefined && section !== undefined && heading.level <= depth) {
      current = section.name;
      depth = heading.level;
      found.set(current, found.get(current) ?? '');
    } else if (heading !== undefined && heading.level <= depth) current = undefined;
    else if (current !== undefined) found.set(current, `${found.get(current) ?? ''}${line}\n`);
  }
  return found;
}

function headingOf(line: string): { title: string; level: number } | undefined {
  const [, marks, title] = /^(#{1,6})\s+(?:\d+[.)]\s*)?(.+)$/.exec(line) ?? [];
  if (marks !== undefined && title !== undefined)
    return { title: title.replace(/[*_:]/g, '').trim(), level: marks.length };
  const bold = /^\*\*(?:\d+[.)]\s*)?([^*]+?):?\*\*:?\s*$/.exec(line)?.[1];
  return bold === undefined ? undefined : { title: bold.trim(), level: 6 };
}

const newWords = /\b(?:new|create[sd]?|add(?:s|ed)? (?:a )?file)\b/i;
const deleteWords = /\b(?:delete[sd]?|remove (?:the )?file|removed file)\b/i;

function listedFiles(section: string): GroundingSubject['files'] {
  const found = new Map<string, FileAction | 'unknown'>();
  for (const line of section.split('\n')) {
    const [first] = pathsIn(line);
    if (
      first === undefined ||
      !/^\s*(?:[-*+|]|\d+[.)]|#{1,6}|`|\S+\.\w+)/.test(line) ||
      found.has(first.path)
    )
      continue;
    const rest = line.replace(first.path, ' ');
    const action = deleteWords.test(rest) ? 'delete' : newWords.test(rest.slice(0, 40)) ? 'new' : 'unknown';
    found.set(first.path, action);
  }
  return [...found].map(([path, action]) => ({ path, action }));
}

const codeSpans = (text: string): string[] =>
  [...text.matchAll(/(?<!`)`([^`\n]{2,160})`(?!`)/g)].map((match) => (match[1] ?? '').trim());

const fencedLines = (text: string): string[] =>
  [...text.matchAll(/^(?:```|~~~)(?:sh|bash|console|shell)?[ \t]*\n([\s\S]*?)^(?:```|~~~)/gm)].flatMap(
    (match) =>
      (match[1] ?? '')
        .split('\n')
        .map((line) => line.trim().replace(/^\$ /, ''))
        .filter((line) => line !== ''),
  );

const looksLikeCommand = (text: string): boolean =>
  /^(?:npm|pnpm|yarn|bun|npx|make|just|node|deno|cargo|go|pytest|python3?|ruby|rake|bundle|mvn|gradle|\.\/\S+|dotnet|docker|git) \S/.test(
    text,
  ) || /^(?:npm|pnpm|yarn) test$/.test(text);

const citationTexts = (text: string): string[] => [
  ...new Set(
    citationsIn(text)
      .map(({ file, line, endLine }) => `${file}:${line}${endLine === undefined ? '' : `-${endLine}`}`)
      .filter((citation) => readPlace(citation) !== undefined),
  ),
];

function paragraphAround(text: string, id: string): string {
  return text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.includes(id))
    .join('\n\n');
}
