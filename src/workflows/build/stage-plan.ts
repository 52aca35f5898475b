import { rm } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, jsonText, readJson } from '../../base/safe-json.ts';
import { unifiedDiff } from '../../base/text/diff.ts';
import { addLoss } from '../../council/health.ts';
import { isCodexCallable } from '../../plan/tasks/executor.ts';
import { renderHandoff } from '../../plan/tasks/handoff-spec.ts';
import {
  directPlan,
  filesFromAnswer,
  type LitePlanFiles,
  type PlanFacts,
  readTaskTexts,
} from '../../plan/tasks/plan-files.ts';
import { planInvalid, readPlanFiles } from '../../plan/tasks/read-plan.ts';
import type { LiteDesk } from './desk.ts';
import { planningStrategy } from './rules/explore-decision.ts';
import { litePlanPrompt } from './rules/prompts.ts';
import type { Explored, ExploreResult } from './stage-explore.ts';

export type PlanStageInput = {
  explore: ExploreResult;
  clarifications: string | undefined;
  /** 1 for the first plan; later ones carry what should change (P-082). */
  version: number;
  change?: { previous: LitePlanFiles; request: string };
};

/** LP-3: the two-layer plan (P-060…P-073). Agents get two tries; then the program plans one task and marks the plan as degraded. */
export async function planStage(desk: LiteDesk, input: PlanStageInput): Promise<LitePlanFiles> {
  const { explore, version, change } = input;
  desk.begin('LP-3', version === 1 ? 'plan' : `plan, version ${version}`);
  const { complexity, explored, handoff } = explore;
  const facts: PlanFacts = {
    session: desk.inputs.session,
    timestamp: desk.time,
    complexity,
    angles: explored.map(({ angle }) => angle),
    baseCommit: desk.inputs.baseCommit,
    codex: isCodexCallable(desk),
  };
  const strategy = planningStrategy(complexity, {
    priorAnalysis: handoff !== undefined,
    angles: explored.length,
  });
  const direct = strategy === 'direct' && change === undefined;
  const files = direct
    ? directPlan(
        desk.inputs.task,
        explored.map(({ exploration }) => exploration),
        facts,
      )
    : ((await askPlanner(desk, input, facts)) ?? degraded(desk, explored, facts));
  await writePlan(desk, files, explored, input.clarifications);
  if (change !== undefined) await dropTasks(desk, version, change.previous, files);
  const quality = files.plan._metadata.quality_check;
  for (const problem of quality?.minor ?? []) desk.note(`plan: ${problem}`);
  desk.end(
    `${files.tasks.length} tasks, quality ${quality?.result ?? 'not checked'}${direct ? ', planned directly' : ''}`,
  );
  return files;
}

/** C-15: a refused plan gets one more try, by the next agent. An agent without a usable answer was asked and repaired; that is enough. */
async function askPlanner(
  desk: LiteDesk,
  { explore, clarifications, version, change }: PlanStageInput,
  facts: PlanFacts,
): Promise<LitePlanFiles | undefined> {
  const asked = new Set<string>();
  for (const attempt of [0, 1]) {
    const agents = desk.chain(attempt).filter((agent) => !asked.has(agent));
    if (agents.length === 0) break;
    const [reply] = await desk.askAgents([
      {
        key: `lite-plan-${version}${attempt === 0 ? '' : '-again'}`,
        kind: 'lite-plan',
        judgement: 'lite-plan' as const,
        agents,
        planned: { agent: desk.chain()[0] ?? '' },
        draft: (schema) =>
          litePlanPrompt({
            commission: desk.commission('plan', clarifications),
            complexity: facts.complexity,
            explorations: explorationText(explore.explored),
            handoff: explore.handoff === undefined ? undefined : renderHandoff(explore.handoff),
            change:
              change === undefined
                ? undefined
                : { previous: JSON.stringify(change.previous), request: change.request },
            schema,
          }),
        facts: { complexity: facts.complexity },
      },
    ]);
    for (const { agent } of reply?.failures ?? []) asked.add(agent);
    if (reply?.value === undefined) {
      desk.warn(`No plan came back: ${reply?.message ?? 'no agent answered'}.`);
      continue;
    }
    const files = filesFromAnswer(reply.value, facts, reply.family === 'static');
    const critical = files.plan._metadata.quality_check?.critical ?? [];
    if (critical.length === 0) return files;
    desk.warn(`The plan was refused: ${critical.join('; ')}.`);
  }
  return undefined;
}

function degraded(desk: LiteDesk, explored: readonly Explored[], facts: PlanFacts): LitePlanFiles {
  desk.warn('No agent returned a usable plan; this fallback plan is the request as one task.');
  const planned = desk.chain()[0] ?? '';
  addLoss(desk.context.degraded, {
    ...{ role: 'author', seat: 'lite-plan', planned, actual: null },
    reason: 'no agent returned a usable plan',
  });
  return directPlan(
    desk.inputs.task,
    explored.map(({ exploration }) => exploration),
    facts,
    true,
  );
}

async function writePlan(
  desk: LiteDesk,
  files: LitePlanFiles,
  explored: readonly Explored[],
  clarifications: string | undefined,
): Promise<void> {
  for (const task of files.tasks) await desk.json(`.task/${task.id}.json`, task);
  await desk.json('plan.json', files.plan);
  const evidence = explored.map(({ angle }) => `- exploration-${angle}.json`);
  const decisions = (files.plan.design_decisions ?? []).map(
    ({ decision, rationale }) => `- ${decision}: ${rationale}`,
  );
  await desk.context.artifact(
    'planning-context.md',
    [
      '# Planning context',
      '',
      '## Evidence',
      ...(evidence.length === 0 ? ['No exploration was made.'] : evidence),
      '',
      '## Understanding',
      files.plan.summary,
      '',
      ...(clarifications === undefined ? [] : ['## Clarifications', clarifications, '']),
      '## Decisions',
      ...(decisions.length === 0 ? ['None were named.'] : decisions),
      '',
    ].join('\n'),
  );
}

/** P-062, P-082: files of tasks that the new plan no longer has. It is the plan on disk that counts: a lost journal repeats this. */
async function dropTasks(
  desk: LiteDesk,
  version: number,
  previous: LitePlanFiles,
  { tasks }: LitePlanFiles,
): Promise<void> {
  const kept = tasks.map(({ id }) => id);
  // Emptied first: a file that the record has with text and that is missing counts as lost.
  for (const { id } of previous.tasks) if (!kept.includes(id)) await desk.artifact(`.task/${id}.json`, '');
  const { artifacts } = desk.context.live.directory;
  await desk.context.step(`drop tasks ${version}`, async () => {
    const plan = readJson((await readTextFile(path.join(artifacts, 'plan.json'))) ?? '');
    const listed = plan.ok && isRecord(plan.value) ? plan.value['task_ids'] : undefined;
    if (!Array.isArray(listed)) return;
    for (const { id } of previous.tasks)
      if (!listed.includes(id)) await rm(path.join(artifacts, '.task', `${id}.json`), { force: true });
  });
}

function explorationText(explored: readonly Explored[]): string | undefined {
  if (explored.length === 0) return undefined;
  return explored
    .map(({ angle, exploration }) => `# ${angle}\n${JSON.stringify(exploration, null, 1)}`)
    .join('\n\n');
}

type Found = { diff: string; files?: LitePlanFiles; problems: string[] };

/**
 * P-167: the plan to execute. If its files changed since they were written, you see the difference and choose a version;
 * `undefined` means neither.
 */
export async function settledPlan(
  desk: LiteDesk,
  planned: LitePlanFiles,
  auto: boolean,
): Promise<LitePlanFiles | undefined> {
  const { artifacts } = desk.context.live.directory;
  const found = await desk.context.step('plan files', () => readBack(artifacts, planned));
  if (found.diff === '') return planned;
  desk.note(`The files of the plan were changed since it was written:\n${found.diff}`);
  for (const problem of found.problems) desk.warn(`The changed plan cannot be executed: ${problem}`);
  if (auto) {
    desk.warn('Auto mode asks no questions: executing the plan as it was written.');
    return planned;
  }
  const usable = found.files !== undefined;
  const answers = await desk.choose(
    [
      {
        id: 'stale',
        text: 'The files of the plan were changed. Which plan is it?',
        detail: found.diff.slice(0, 4000),
        options: [
          ...(usable ? [{ value: 'changed', label: 'As the files are now' }] : []),
          { value: 'planned', label: 'As it was written' },
          { value: 'cancel', label: 'Neither: stop here' },
        ],
        recommended: usable ? 'changed' : 'planned',
      },
    ],
    false,
  );
  const answer = answers.get('stale');
  if (answer === 'cancel') return undefined;
  if (answer === 'changed' && found.files !== undefined) return found.files;
  return planned;
}

async function readBack(artifacts: string, { plan, tasks }: LitePlanFiles): Promise<Found> {
  const planText = (await readTextFile(path.join(artifacts, 'plan.json'))) ?? '';
  const texts = await readTaskTexts(artifacts);
  const written = [
    ['plan.json', jsonText(plan)],
    ...tasks.map((task) => [`.task/${task.id}.json`, jsonText(task)]),
  ];
  const now = new Map([
    ['plan.json', planText],
    ...texts.map(({ file, text }) => [`.task/${file}`, text] as const),
  ]);
  const before = new Map(written.map(([name = '', text = '']) => [name, text]));
  const names = [...new Set([...before.keys(), ...now.keys()])];
  const diff = names
    .map((name) => {
      const change = unifiedDiff(before.get(name) ?? '', now.get(name) ?? '', { before: name, after: name });
      return change.kind === 'diff' ? change.text : change.kind === 'same' ? '' : `${name} differs\n`;
    })
    .join('');
  if (diff === '') return { diff, problems: [] };
  try {
    const { files, quality } = readPlanFiles(planText, texts);
    if (quality.critical.length > 0) throw planInvalid(quality.critical);
    return { diff, files, problems: [] };
  } catch (error) {
    if (!(error instanceof CharretteError)) throw error;
    return { diff, problems: [error.message] };
  }
}
