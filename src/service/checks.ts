import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { readJson } from '../base/safe-json.ts';
import type { Plan } from '../base/schema/judgements/plan.ts';
import { readJudgement } from '../base/schema/judgements.ts';
import type { LiteTask } from '../base/schema/lite/plan.ts';
import { leadsOut } from '../base/text/strings.ts';
import { readDecisions } from '../council/decisions.ts';
import { readAccepted } from '../council/outcome-files.ts';
import { readResolutions } from '../council/resolutions.ts';
import { readRunRecord } from '../engine/run-record.ts';
import { groundFiles } from '../plan/grounding/files.ts';
import {
  type DecidedPoint,
  type GroundingFact,
  type GroundingReport,
  groundingText,
  groundPlan,
  reportOf,
} from '../plan/grounding/grounding.ts';
import { headingsIn, looksLikePlan, pathLookup } from '../plan/grounding/subject.ts';
import { readLiteFolder, readTaskTexts } from '../plan/tasks/plan-files.ts';
import { wavesOf } from '../plan/tasks/schedule.ts';
import { type Consumer, type DesignContext, findContextRoot } from '../prompts/context/defaults.ts';
import { promptContext } from '../prompts/context/for-prompt.ts';
import { loadDesignContext } from '../prompts/context/load.ts';
import { openIndex, type RepositoryIndex } from '../repo/index/repository-index.ts';
import type { LintResult } from '../skills/lint/engine.ts';
import { lintPaths } from '../skills/lint/lint-paths.ts';
import { type DesignInputs, decidedPoints } from '../workflows/design/desk.ts';
import { type FoundLitePlan, findLitePlan, planFileAt } from './plans.ts';
import { findRun, type Project } from './project.ts';

/** A text that makes claims, by its name in the repository. */
type PlanPlace = { file: string; text: string };

/** A claim of a plan that does not hold, and where it is made. */
export type PlanFinding = {
  check: GroundingFact['check'] | 'task';
  /** What stays the same when the words of the message change. */
  subject: string;
  severity: 'error' | 'warning';
  message: string;
  file: string;
  line: number;
};

export type LiteCheck = {
  commit: string;
  tasks: string[];
  waves: string[][];
  errors: string[];
  warnings: string[];
};

/** A checked plan: its report as text, as data, and as findings with their places. */
export type PlanCheck = { report: GroundingReport | LiteCheck; text: string; findings: PlanFinding[] };

/** Checks the claims of a plan against the repository: of a file or folder, else of a run. */
export async function checkPlan(
  project: Project,
  { file, run, commit }: { file?: string | undefined; run?: string | undefined; commit?: string | undefined },
): Promise<PlanCheck> {
  const given =
    file === undefined ? (await findRun(project, run)).artifacts : path.resolve(project.cwd, file);
  const lite = await findLitePlan(given);
  if (lite !== undefined) {
    const { text, report } = await checkLitePlan(lite, project.project, commit);
    return { report, text, findings: liteFindings(report, await litePlaces(lite, project.project)) };
  }
  const subject =
    file === undefined ? await planFromRun(project, run) : await planFromFile(planFileAt(given));
  const index = await openIndex(project.project, commit ?? subject.commit);
  const { facts } = groundPlan(index, subject.plan, {
    decided: subject.decided,
    lookup: pathLookup(project.env),
  });
  const report = reportOf(index.snapshot.commit, [...facts, ...subject.notes]);
  const place = { file: path.relative(project.project, subject.file), text: subject.text };
  return { report, text: `${groundingText(report)}\n`, findings: groundingFindings(report, place) };
}

/** Every claim that does not hold, at the first line of the plan that makes it. */
export function groundingFindings(report: GroundingReport, { file, text }: PlanPlace): PlanFinding[] {
  return report.facts.flatMap(({ check, subject, severity, result, reason }) =>
    severity === 'none'
      ? []
      : [
          {
            check,
            subject,
            severity,
            message: `${check} ${subject}: ${result}; ${reason}`,
            file,
            line: lineOf([subject], text),
          },
        ],
  );
}

/** The first line that names one of the subjects, tried in their order, else the first of the text. */
function lineOf(subjects: readonly string[], text: string): number {
  const lines = text.split('\n');
  const found = subjects.map((subject) => lines.findIndex((line) => line.includes(subject)));
  return (found.find((at) => at >= 0) ?? 0) + 1;
}

/** P-062, P-068: shape, ids, dependencies and criteria of a lite plan, and its files against the repository. */
async function checkLitePlan(
  { folder, text }: FoundLitePlan,
  project: string,
  commit: string | undefined,
): Promise<{ text: string; report: LiteCheck }> {
  const { files, quality } = await readLiteFolder(folder, text);
  const index = await openIndex(project, commit ?? files.plan._metadata.base_commit);
  const grounded = groundTasks(index, files.tasks);
  const errors = [...quality.critical, ...grounded.error];
  const warnings = [...quality.minor, ...grounded.warning];
  const waves =
    quality.critical.length > 0 ? [] : wavesOf(files.tasks).map((wave) => wave.map(({ id }) => id));
  const lines = [
    ...errors.map((error) => `error ${error}`),
    ...warnings.map((warning) => `warning ${warning}`),
    ...waves.map((wave, number) => `wave ${number + 1}: ${wave.join(', ')}`),
    `${files.tasks.length} tasks, ${errors.length} errors, ${warnings.length} warnings`,
  ];
  return {
    text: `${lines.join('\n')}\n`,
    report: { commit: index.snapshot.commit, tasks: files.plan.task_ids, waves, errors, warnings },
  };
}

/** Checks the files of tasks against the base commit; paths outside the repository are critical problems already. */
function groundTasks(
  index: RepositoryIndex,
  tasks: readonly LiteTask[],
): Record<'error' | 'warning', string[]> {
  const all = tasks.flatMap(({ id, files = [] }) =>
    files.map(({ path: name, action }) => ({ id, name, action })),
  );
  const namesOf = (wanted: string) =>
    new Set(all.flatMap(({ name, action }) => (action === wanted ? [name] : [])));
  const [made, removed] = [namesOf('create'), namesOf('delete')];
  // What another task makes or removes is not as it was.
  const asked = all.filter(
    ({ name, action }) => !leadsOut(name) && !(action === 'create' ? removed : made).has(name),
  );
  const facts = groundFiles(index, {
    files: asked.map(({ name, action }) => ({
      path: name,
      action: action === 'create' ? 'new' : (action ?? 'unknown'),
    })),
  });
  const said = (wanted: string) =>
    facts.flatMap(({ severity, subject, reason }, at) =>
      severity === wanted ? [`${asked[at]?.id}: ${subject}: ${reason}`] : [],
    );
  return { error: said('error'), warning: said('warning') };
}

type LitePlaces = { plan: PlanPlace; tasks: readonly PlanPlace[] };

/** The files of a lite plan as the repository names them. */
async function litePlaces({ file, folder, text }: FoundLitePlan, project: string): Promise<LitePlaces> {
  const tasks = await readTaskTexts(folder);
  return {
    plan: { file: path.relative(project, file), text },
    tasks: tasks.map((task) => ({
      file: path.relative(project, path.join(folder, '.task', task.file)),
      text: task.text,
    })),
  };
}

/** The problems of a lite plan: in the file of the task that the message begins with, else in the plan. */
function liteFindings(
  { errors, warnings }: Pick<LiteCheck, 'errors' | 'warnings'>,
  places: LitePlaces,
): PlanFinding[] {
  const found = (severity: PlanFinding['severity']) => (message: string) => ({
    check: 'task' as const,
    subject: message,
    severity,
    message,
    ...placeOf(message, places),
  });
  return [...errors.map(found('error')), ...warnings.map(found('warning'))];
}

function placeOf(message: string, { plan, tasks }: LitePlaces): Pick<PlanFinding, 'file' | 'line'> {
  const id = /^(?:TASK|FIX)-\d{3}/.exec(message)?.[0];
  const { file, text } = tasks.find((task) => path.basename(task.file) === `${id}.json`) ?? plan;
  const [, quoted, name] = /"(.+)"|(\S*[./]\S*[^\s:,;])/.exec(message) ?? [];
  const subjects = [quoted, name, id].filter((each) => each !== undefined);
  // The file holds the text as JSON writes it.
  return {
    file,
    line: lineOf(
      subjects.map((subject) => JSON.stringify(subject).slice(1, -1)),
      text,
    ),
  };
}

type Subject = {
  file: string;
  text: string;
  plan: Plan | string;
  commit: string | undefined;
  decided: DecidedPoint[];
  /** What could not be checked. */
  notes: GroundingFact[];
};

async function planFromFile(file: string): Promise<Subject> {
  const text = await readTextFile(file);
  if (text === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `The file ${file} does not exist.`,
      fix: 'Name a plan, or omit the file to check the plan of the latest run.',
    });
  }
  return { file, text, plan: readPlanText(file, text), commit: undefined, decided: [], notes: [] };
}

function readPlanText(file: string, text: string): Plan | string {
  if (!text.trimStart().startsWith('{')) {
    if (!looksLikePlan(text)) throw notAPlan(file, text);
    return text;
  }
  const reading = readJson(text);
  const plan = reading.ok ? readJudgement('plan', reading.value, 'it') : undefined;
  if (plan?.ok) return plan.value;
  const problems = plan === undefined ? [reading.ok ? '' : reading.message] : plan.problems;
  throw new CharretteError({
    code: 'json-invalid',
    message: `${file} is not a plan: ${problems.slice(0, 3).join('; ')}.`,
    fix: 'Give plan.json as a run writes it, or a plan as text.',
  });
}

/** Names the content of the file; findings about missing sections would treat it as a bad plan. */
function notAPlan(file: string, text: string): CharretteError {
  const headings = headingsIn(text).slice(0, 5);
  const lines = text.trim().split('\n').length;
  const found =
    text.trim() === ''
      ? 'it is empty'
      : headings.length > 0
        ? `its headings are ${headings.map((title) => JSON.stringify(title.slice(0, 60))).join(', ')}`
        : `it has ${lines} ${lines === 1 ? 'line' : 'lines'} of text without headings`;
  return new CharretteError({
    code: 'plan-invalid',
    message: `${file} is not a plan: ${found}; a plan has at least the section "Files to modify/create" or "Approach".`,
    fix: 'Name a plan; `charrette plan import` reads the plans of other tools.',
  });
}

async function planFromRun(project: Project, run: string | undefined): Promise<Subject> {
  const directory = await findRun(project, run);
  const { baseCommit, inputs } = await readRunRecord(directory);
  const file = path.join(directory.artifacts, 'plan.json');
  const text = await readTextFile(file);
  if (text === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `The run ${directory.id} has no plan yet.`,
      fix: 'Wait for the run, or name a plan file.',
    });
  }
  const artifact = async (file: string) => (await readTextFile(path.join(directory.artifacts, file))) ?? '';
  const name = 'dialectic-resolutions.md';
  const resolutions = readResolutions(await artifact(name));
  const decisions = readDecisions(await artifact('contested-decisions.md'));
  return {
    file,
    text,
    plan: readPlanText(file, text),
    commit: baseCommit,
    decided: resolutions.ok
      ? decidedPoints(
          inputs as DesignInputs,
          { resolutions: resolutions.resolutions, decisions: decisions.ok ? decisions.decisions : [] },
          readAccepted(await artifact('accepted-plan-findings.md')),
        )
      : [],
    notes: resolutions.ok ? [] : [unreadable(name, resolutions.problems)],
  };
}

const unreadable = (name: string, problems: readonly string[]): GroundingFact => ({
  check: 'decision',
  subject: name,
  result: 'unchecked',
  severity: 'warning',
  basis: 'exact',
  reason: `cannot be read: ${problems.slice(0, 3).join('; ')}`,
});

/** Lints skill packages: of directories, or of all below `roots`, which are also checked against each other. */
export function lintSkills(
  { cwd }: Pick<Project, 'cwd'>,
  { paths = [], roots = [] }: { paths?: readonly string[]; roots?: readonly string[] },
): LintResult {
  return lintPaths({ paths: [...paths], roots: [...roots], cwd });
}

export type DesignContextRequest = {
  /** All that this kind of prompt gets, project specs included; without it the design documents alone. */
  for?: Consumer | undefined;
  /** With `for`: what the work is about. */
  task?: string | undefined;
  /** Tokens, instead of the configured budget. */
  budget?: number | undefined;
  /** A folder below the working directory, instead of the configured one. */
  dir?: string | undefined;
};

/** The design documents of the project as one block under a token budget. */
export async function designContext(
  { cwd, env }: Project,
  { for: consumer, task, budget, dir }: DesignContextRequest = {},
): Promise<{ design: DesignContext; text: string }> {
  const request = {
    root: dir === undefined ? findContextRoot(cwd) : cwd,
    mode: 'standalone',
    ...(budget === undefined ? {} : { budget }),
    ...(dir === undefined ? {} : { dir }),
  } as const;
  if (consumer !== undefined)
    return promptContext({
      ...request,
      consumer,
      ...(task === undefined ? {} : { task }),
      home: env['HOME'],
    });
  const design = await loadDesignContext(request);
  return { design, text: design.text };
}
