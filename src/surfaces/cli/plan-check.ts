import path from 'node:path';
import { type ExitCode, exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { readJson } from '../../base/safe-json.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import { readJudgement } from '../../base/schema/judgements.ts';
import { readDecisions } from '../../council/decisions.ts';
import { readAccepted } from '../../council/outcome-files.ts';
import { readResolutions } from '../../council/resolutions-text.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import type { DecidedPoint } from '../../plan/grounding/decisions.ts';
import { groundPlan } from '../../plan/grounding/grounding.ts';
import { type GroundingFact, groundingText, reportOf } from '../../plan/grounding/report.ts';
import { headingsIn, looksLikePlan, pathLookup } from '../../plan/grounding/subject.ts';
import { openIndex } from '../../repo/index/open-index.ts';
import { type DesignInputs, decidedPoints } from '../../workflows/design/inputs.ts';
import type { CommandSpec } from './command.ts';
import { groundingFindings, inForm, type PlanFinding } from './plan-check-forms.ts';
import { checkLitePlan, findLitePlan, planFileAt } from './plan-check-lite.ts';
import { liteFindings, litePlaces } from './plan-check-lite-findings.ts';
import { findHome, findProject, findRun } from './project.ts';

export const planCheck: CommandSpec = {
  name: 'check',
  summary:
    'Look every claim of a plan up in the repository: files, symbols, commands, sections, tests, decisions. Exit 0 when it holds, 6 when it has errors.',
  examples: [
    ['charrette plan check', 'the plan of the latest run, at its base commit'],
    ['charrette plan check --run 4f2a90c1', 'the plan of that run'],
    ['charrette plan check PLAN.md --commit main', 'a plan that anybody wrote'],
    ['charrette plan check PLAN.md --format github', 'as annotations of a GitHub workflow'],
    ['charrette plan check PLAN.md --fail-on warning', 'warnings exit 6 too'],
    ['charrette plan check plans/', 'a lite plan: plan.json and .task/'],
  ],
  arguments: [['[file]', 'plan text, plan.json, or a folder with a lite plan; absent: the plan of a run']],
  options: [
    { flags: '--run <id>', description: 'check the plan of this run (latest, id, or a part of it)' },
    {
      flags: '--commit <revision>',
      description: 'check against this commit; absent: the base commit or HEAD',
    },
    {
      flags: '--format <form>',
      description: 'output form',
      choices: ['pretty', 'json', 'sarif', 'github'],
      default: 'pretty',
    },
    {
      flags: '--fail-on <severity>',
      description: 'exit 6 for any finding of this severity or above (default: error)',
      choices: ['error', 'warning'],
    },
  ],
  dryRun: 'reads',
  async run({ arguments: [file], options, global, terminal }) {
    const given =
      typeof file === 'string'
        ? path.resolve(global.cwd, file)
        : (await findRun(findHome(global.cwd), options['run'] as string | undefined)).artifacts;
    const lite = await findLitePlan(given);
    const project = findProject(global.cwd);
    const format = options['format'] as string;
    if (lite !== undefined) {
      const checked = await checkLitePlan(lite, project, options['commit'] as string | undefined);
      const findings = liteFindings(checked.json, await litePlaces(lite, project));
      return {
        ...checked,
        exit: exitOf(findings, options['failOn']),
        text: inForm(format, checked.json, findings) ?? checked.text,
      };
    }
    const subject =
      typeof file === 'string'
        ? await planFromFile(planFileAt(given))
        : await planFromRun(global.cwd, options['run'] as string | undefined);
    const commit = (options['commit'] as string | undefined) ?? subject.commit;
    const index = await openIndex(project, commit);
    const { facts } = groundPlan(index, subject.plan, {
      decided: subject.decided,
      lookup: pathLookup(terminal.env),
    });
    const report = reportOf(index.snapshot.commit, [...facts, ...subject.notes]);
    const place = { file: path.relative(project, subject.file), text: subject.text };
    const findings = groundingFindings(report, place);
    return {
      exit: exitOf(findings, options['failOn']),
      text: inForm(format, report, findings) ?? `${groundingText(report)}\n`,
      json: report,
    };
  },
};

function exitOf(findings: readonly PlanFinding[], failOn: unknown): ExitCode {
  const isMet = findings.every(({ severity }) => severity === 'warning' && failOn !== 'warning');
  return isMet ? exitCodes.done : exitCodes.notAccepted;
}

type Subject = {
  file: string;
  text: string;
  plan: Plan | string;
  commit: string | undefined;
  decided: DecidedPoint[];
  /** What could not be looked at. */
  notes: GroundingFact[];
};

async function planFromFile(file: string): Promise<Subject> {
  const text = await readTextFile(file);
  if (text === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `There is no file ${file}.`,
      fix: 'Name a plan, or leave the file out to check the plan of the latest run.',
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

async function planFromRun(cwd: string, run: string | undefined): Promise<Subject> {
  const directory = await findRun(findHome(cwd), run);
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
