import path from 'node:path';
import type { World } from '../../agents/settings.ts';
import { CharretteError } from '../../base/errors.ts';
import { jsonText } from '../../base/safe-json.ts';
import { untrustedLine } from '../../base/text/strings.ts';
import type { WorkflowStart } from '../../council/call/once.ts';
import { readLedger } from '../../engine/ledger.ts';
import type { Outcome, WorkflowContext } from '../../engine/workflow.ts';
import { openCheckout } from '../../repo/git/checkout.ts';
import { repositoryFacts } from '../../repo/git/repository-facts.ts';
import { openRunBranch, takeWork } from '../../repo/git/run-branch.ts';
import { askConsent, describeSpent, totalUsage } from '../permission.ts';
import { hostCommand } from './host.ts';
import type { ScriptAccess, ScriptInputs } from './inputs.ts';
import type { WritePlace } from './script-calls.ts';
import { runSegment } from './session.ts';
import { allowDigest } from './trust.ts';

/** `charrette run`: a workflow file in a separate process; its agent calls, questions and result are this run's. */
export async function script(world: World, ...start: WorkflowStart<ScriptInputs>): Promise<Outcome> {
  const [context, services, inputs] = start;
  await confirmCode(context, inputs, world);
  await askConsent(context, services.agents.values(), {
    consented: inputs.consented,
    detail: `The workflow ${inputs.name} calls them.`,
  });
  const access = await chooseAccess(context, inputs);
  const place = await openPlace(context, inputs, access);
  const answers = new Map<string, string>();
  let hasLimit = true;
  for (let number = 1; ; number += 1) {
    const segment = await context.step(`script ${number}`, (signal) =>
      runSegment({
        caller: { live: context.live, services, signal },
        ...{ world, inputs, place, answers },
        isOverBudget: () => hasLimit && isOver(context, inputs),
      }),
    );
    if (segment.kind === 'end') {
      Object.assign(context.degraded, segment.degraded);
      await takeOver(context, inputs, place);
      await saveResult(context, segment.value);
      return { status: 'done', exit: 0 };
    }
    if (segment.kind === 'over-budget') {
      await askForMore(context, inputs, number);
      hasLimit = false;
    } else for (const [id, { value }] of await context.ask(segment.questions)) answers.set(id, value);
  }
}

/** W-140: a workflow file is code of others. Nothing but an answer of yours lets a new version run. */
async function confirmCode(context: WorkflowContext, inputs: ScriptInputs, world: World): Promise<void> {
  if (inputs.trusted) return;
  const { about, children, agentTypes, digest } = inputs;
  const name = untrustedLine(inputs.name);
  const files = Object.values(agentTypes).map(({ file }) => file);
  const record = path.relative(inputs.project, context.live.directory.record);
  const network = await context.step('sandbox', async () => hostCommand(world).network);
  const detail = [
    `File: ${inputs.script.file}`,
    `What it says: ${about.description}`,
    ...(about.phases.length === 0 ? [] : [`Phases: ${about.phases.join(', ')}`]),
    `Agent calls in the text: ${about.calls}, loops: ${about.loops}`,
    ...(Object.keys(children).length === 0 ? [] : [`Starts: ${Object.keys(children).join(', ')}`]),
    ...(files.length === 0 ? [] : [`Agent files: ${files.join(', ')}`]),
    `Access: ${inputs.access ?? `${inputs.recommendedAccess} is recommended`}`,
    `Digest: ${digest}`,
    ...(network ? ['Without bubblewrap the network stays open to the script.'] : []),
    `Exactly what would run: ${record} (inputs: about.source, children, agentTypes)`,
  ];
  const answers = await context.ask([
    {
      id: 'workflow-code',
      text: `Run the workflow file ${name}?`,
      // What others wrote stays on its line: it cannot pass for another one.
      detail: detail.map(untrustedLine).join('\n'),
      // No recommended answer: `--yes` does not answer this (W-142).
      options: [
        { value: 'once', label: 'Once' },
        { value: 'always', label: 'This version from now on, in this project' },
        { value: 'no', label: 'No' },
      ],
    },
  ]);
  const answer = answers.get('workflow-code')?.value;
  if (answer === 'always')
    await context.step('allow the file', () => allowDigest(world, inputs.project, digest));
  if (answer === 'once' || answer === 'always') return;
  throw new CharretteError({
    code: 'workflow-consent',
    message: `The workflow file ${name} may not run.`,
    fix: `Read it in ${record}, or allow this version with \`--trust ${digest.slice(0, 12)}\`.`,
  });
}

/** W-130 */
async function chooseAccess(context: WorkflowContext, inputs: ScriptInputs): Promise<ScriptAccess> {
  if (inputs.access !== undefined) return inputs.access;
  if (inputs.recommendedAccess === 'read') return 'read';
  const answers = await context.ask([
    {
      id: 'workflow-access',
      text: 'May its agents change files?',
      detail: 'The file asks for agents that write.',
      options: [
        { value: 'branch', label: 'On a branch of this run' },
        { value: 'read', label: 'No, they only read' },
        { value: 'here', label: 'In this working tree' },
      ],
      recommended: inputs.recommendedAccess,
    },
  ]);
  const value = answers.get('workflow-access')?.value;
  return value === 'branch' || value === 'here' ? value : 'read';
}

function branchOf(context: WorkflowContext): string {
  return `charrette/${context.live.directory.id}`;
}

async function openPlace(
  context: WorkflowContext,
  inputs: ScriptInputs,
  access: ScriptAccess,
): Promise<WritePlace> {
  if (access === 'read') return { access };
  const { project } = inputs;
  const facts = await context.step('repository', async () => {
    const { root, head } = await repositoryFacts(project);
    return { root, head: head ?? '' };
  });
  const common = { root: facts.root, commit: facts.head };
  if (access === 'here') return { access, directory: project, ...common };
  const checkout = path.join(context.live.directory.root, 'worktrees', 'run');
  await context.step('run branch', async () => {
    await openRunBranch(facts.root, branchOf(context), facts.head);
    await openCheckout(facts.root, checkout, facts.head);
  });
  return { access, directory: path.join(checkout, path.relative(facts.root, project)), ...common };
}

/** What agents changed in the checkout of the run becomes a commit on its branch. */
async function takeOver(context: WorkflowContext, inputs: ScriptInputs, place: WritePlace): Promise<void> {
  if (place.access !== 'branch') return;
  const branch = branchOf(context);
  const checkout = path.join(context.live.directory.root, 'worktrees', 'run');
  const taken = await context.step('take the work', () =>
    takeWork(place.root, checkout, {
      branch,
      start: place.commit,
      message: `charrette: ${inputs.name}\n`,
    }),
  );
  context.emit({
    type: 'note',
    text:
      taken.kind === 'nothing'
        ? 'The agents changed no file.'
        : `The changes are on ${branch}. Run \`git merge ${branch}\` to take them over.`,
  });
}

/** W-153: the JSON value, and a text also unchanged. */
async function saveResult(context: WorkflowContext, value: unknown): Promise<void> {
  await context.artifact('result.json', jsonText(value));
  if (typeof value === 'string')
    await context.artifact('result.md', value.endsWith('\n') ? value : `${value}\n`);
}

function isOver(context: WorkflowContext, inputs: ScriptInputs): boolean {
  const { maxTokens, maxUsd } = inputs.budget;
  if (maxTokens === undefined && maxUsd === undefined) return false;
  const { tokens, usd } = usageOf(context, inputs);
  return (maxTokens !== undefined && tokens >= maxTokens) || (maxUsd !== undefined && usd >= maxUsd);
}

function usageOf(context: WorkflowContext, inputs: ScriptInputs) {
  const { lanes, ledger } = context.live.directory;
  return totalUsage([{ lanes, entries: readLedger(ledger) }], inputs);
}

async function askForMore(context: WorkflowContext, inputs: ScriptInputs, number: number): Promise<void> {
  const id = `budget-${number}`;
  const spent = await context.step('spent', async () => describeSpent(usageOf(context, inputs)));
  const answers = await context.ask([
    {
      id,
      text: `The budget is used up (${spent}). Continue without a limit?`,
      options: [
        { value: 'continue', label: 'Continue without a limit' },
        { value: 'stop', label: 'Stop here and keep what was done' },
      ],
    },
  ]);
  if (answers.get(id)?.value === 'continue') return;
  throw new CharretteError({ code: 'budget-used-up', message: `Stopped: the budget is used up (${spent}).` });
}
