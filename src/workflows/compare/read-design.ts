import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../../base/files/bounded.ts';
import { parseJson } from '../../base/safe-json.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import { readEvents } from '../../engine/event-log.ts';
import { type Price, readLedger } from '../../engine/ledger.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import type { RunEnding } from '../../engine/workflow.ts';
import type { GroundingReport } from '../../plan/grounding/grounding.ts';
import { type ComparedSide, costOfCalls } from './comparison.ts';

/** What a design run left behind, as far as a comparison needs it. */
export type DesignResult = Omit<ComparedSide, 'coverage'> & {
  plan?: Plan;
  report?: GroundingReport;
  review: { raised: number; accepted: number };
  /** Labels of its seats; a plan that names one would tell who wrote it. */
  seats: string[];
};

/** Tasks whose agent writes words of the plan. */
const authorTasks = ['synthesis', 'plan', 'revise-plan'];

export async function readDesign(
  directory: RunDirectory,
  { status, error }: RunEnding,
  prices: Readonly<Record<string, Price>> | undefined,
): Promise<DesignResult> {
  const ledger = readLedger(directory.ledger);
  const events = readEvents(directory.events);
  const artifact = (name: string) => readTextFile(path.join(directory.artifacts, name));
  const ended = status === 'done' || status === 'not-accepted';
  const times = events.map(({ time }) => Date.parse(time));
  const accepted = countHeadings(await artifact('accepted-plan-findings.md'));
  const rejected = countHeadings(await artifact('rejected-findings.md'));
  return {
    run: directory.id,
    status,
    cost: costOfCalls(ledger, prices),
    elapsedMs: times.length === 0 ? 0 : Math.max(...times) - Math.min(...times),
    authorFamilies: each(ledger.filter(({ task }) => authorTasks.includes(task)).map(({ family }) => family)),
    agents: each(ledger.map(({ agent }) => agent)),
    review: { accepted, raised: accepted + rejected },
    seats: [...new Set(events.flatMap((event) => (event.type === 'lane-queue' ? [event.label] : [])))],
    ...(ended
      ? {
          plan: (await readArtifactJson(directory, 'plan.json')) as Plan,
          report: (await readArtifactJson(directory, 'plan-check.json')) as GroundingReport,
        }
      : { problem: error?.message ?? `the run ended as ${status}` }),
  };
}

/** Each name once, in an order that does not depend on who answered first. */
function each(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

async function readArtifactJson(directory: RunDirectory, name: string): Promise<unknown> {
  return parseJson(await readFile(path.join(directory.artifacts, name), 'utf8'), name);
}

function countHeadings(text: string | undefined): number {
  return text?.match(/^### /gm)?.length ?? 0;
}
