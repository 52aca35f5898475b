import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Agent } from '../agents/port.ts';
import type { AgentSettings } from '../agents/settings.ts';
import { CharretteError } from '../base/errors.ts';
import { writeJsonAtomicSync } from '../base/files/atomic.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { countCodePoints } from '../base/text/strings.ts';
import { quarterTokens } from '../base/text/tokens.ts';
import type { CouncilRun } from '../council/council.ts';
import { type LedgerEntry, type Price, type Spent, spentOf, uncounted } from '../engine/ledger.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import type { WorkflowContext } from '../engine/workflow.ts';

/** Which agents a person allowed in this project. */
function consentFile(directory: RunDirectory): string {
  return path.join(path.dirname(path.dirname(directory.root)), 'consent.json');
}

function consented(directory: RunDirectory): string[] {
  const file = consentFile(directory);
  if (!existsSync(file)) return [];
  const reading = readJson(readFileSync(file, 'utf8'));
  const agents = reading.ok && isRecord(reading.value) ? reading.value['agents'] : undefined;
  return Array.isArray(agents) ? agents.filter((agent) => typeof agent === 'string') : [];
}

function isConsented(directory: RunDirectory, agents: readonly string[]): boolean {
  const known = consented(directory);
  return agents.every((agent) => known.includes(agent));
}

function grantConsent(directory: RunDirectory, agents: readonly string[]): void {
  const all = [...new Set([...consented(directory), ...agents])].sort();
  writeJsonAtomicSync(consentFile(directory), { schemaVersion: 1, agents: all });
}

/** The first run in a project says whom it will call and asks; runs after it do not. */
export async function askConsent(
  context: WorkflowContext,
  agents: Iterable<Pick<Agent, 'id' | 'title' | 'family'>>,
  { consented, detail }: { consented: boolean; detail: string },
): Promise<void> {
  const callers = [...agents].filter(({ family }) => family !== 'static');
  if (consented || callers.length === 0) return;
  const ids = callers.map(({ id }) => id);
  const { directory } = context.live;
  if (await context.step('consent on record', async () => isConsented(directory, ids))) return;
  const answers = await context.ask([
    {
      id: 'consent',
      text: `Let ${callers.map(({ title, id, family }) => `${title} (${id === family ? id : `${id}, ${family}`})`).join(', ')} read this repository?`,
      detail,
      options: [
        { value: 'yes', label: 'Yes, in this project from now on' },
        { value: 'no', label: 'No' },
      ],
      recommended: 'yes',
    },
  ]);
  if (answers.get('consent')?.value !== 'yes') {
    throw new CharretteError({
      code: 'consent-refused',
      message: 'Consent declined; no agents were called.',
      fix: 'Use `--agents static` to work without any agent, or choose agents with `--agents`.',
    });
  }
  await context.step('remember consent', async () => grantConsent(directory, ids));
}

export type CountedRun = { lanes: string; entries: Iterable<LedgerEntry> };

export type TotalUsage = Spent & {
  /** Some of the tokens were estimated: their agents say nothing about them. */
  estimated: boolean;
};

/**
 * What a limit is held against. A call whose agent reports no usage counts with what was sent and answered, at the price of
 * the model that the configuration names: a limit that counted it as nothing would never hold.
 */
export function totalUsage(
  runs: readonly CountedRun[],
  {
    prices,
    roster,
  }: { prices?: Readonly<Record<string, Price>> | undefined; roster: readonly AgentSettings[] },
): TotalUsage {
  let estimated = false;
  const entries = runs.flatMap(({ lanes, entries }) =>
    [...entries].map((entry): LedgerEntry => {
      if (entry.usage.basis !== 'unknown') return entry;
      estimated = true;
      const model = entry.model ?? roster.find(({ id }) => id === entry.agent)?.model;
      const usage = {
        ...entry.usage,
        basis: 'estimated' as const,
        inputTokens: tokensIn(path.join(lanes, entry.id, 'prompt.md')),
        outputTokens: tokensIn(path.join(lanes, entry.id, 'answer.txt')),
      };
      return { ...entry, ...(model === undefined ? {} : { model }), usage };
    }),
  );
  return { ...spentOf(entries, prices), estimated };
}

/** `12345 tokens, $0.04`, marked when estimated; `$?` without known prices, `$0.04+?` where some calls have none. */
export function describeSpent({ tokens, usd, callsWithoutPrice, estimated }: TotalUsage): string {
  const known = usd > 0 || callsWithoutPrice === 0 ? usd.toFixed(2) : '';
  const unknown = callsWithoutPrice > 0 ? '?' : '';
  const money = [known, unknown].filter((part) => part !== '').join('+');
  return `${estimated ? 'about ' : ''}${tokens} tokens, $${money}`;
}

type Budgeted = { budget: { maxTokens?: number | undefined; maxUsd?: number | undefined } };

/** A used-up limit on tokens or money is a question. True: stop here. */
export async function askBudget(
  run: CouncilRun<Budgeted>,
  {
    step,
    id,
    spent: measure,
    where = '',
    detail,
  }: { step: string; id: string; spent: () => TotalUsage; where?: string; detail?: string },
): Promise<boolean> {
  const { budget } = run.inputs;
  const { maxTokens, maxUsd } = budget;
  if (maxTokens === undefined && maxUsd === undefined) return false;
  const spent = await run.context.step(step, async () => measure());
  const blind = maxUsd === undefined ? undefined : uncounted(spent);
  if (blind !== undefined) run.warnOnce('uncounted', blind);
  const isOver =
    (maxTokens !== undefined && spent.tokens >= maxTokens) || (maxUsd !== undefined && spent.usd >= maxUsd);
  if (!isOver) return false;
  const answers = await run.context.ask([
    {
      id,
      text: `The budget is used up (${describeSpent(spent)})${where}. Continue without a limit?`,
      ...(detail === undefined ? {} : { detail }),
      options: [
        { value: 'continue', label: 'Continue without a limit' },
        { value: 'stop', label: 'Stop here and keep what there is' },
      ],
    },
  ]);
  if (answers.get(id)?.value !== 'continue') return true;
  budget.maxTokens = undefined;
  budget.maxUsd = undefined;
  return false;
}

function tokensIn(file: string): number {
  try {
    return quarterTokens(countCodePoints(readFileSync(file, 'utf8')));
  } catch {
    return 0;
  }
}
