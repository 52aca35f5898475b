import { z } from 'zod';
import { readEvents } from '../../../engine/event-log.ts';
import { readLedger, totalsOf } from '../../../engine/ledger.ts';
import { readRunRecord } from '../../../engine/run-record.ts';
import { listArtifacts } from '../../cli/artifacts.ts';
import { findHome, findRun } from '../../cli/project.ts';
import { listRuns } from '../../cli/run-list.ts';
import { uriOf } from '../artifact-uri.ts';
import { listInput, listOutput, nextOf } from '../list-page.ts';
import { runStateOf, runStateShape } from '../run-state.ts';
import { viewOf } from '../run-view.ts';
import { defineTool, readsOnly } from '../tool.ts';

export const runInput = z
  .string()
  .min(1)
  .max(200)
  .describe('Run id, an unambiguous part of it, or `latest`.');

const count = z.int().nonnegative();

export const runList = defineTool({
  name: 'run_list',
  title: 'List runs',
  description: 'Runs of this project, newest first.',
  input: z.object(listInput),
  output: z.object({
    runs: z.array(
      z.object({
        run: z.string(),
        workflow: z.string(),
        title: z.string(),
        status: runStateShape.status,
        created: z.string(),
        calls: count,
        tokens: z.number(),
        callsUnknown: z.number(),
        usd: z.number(),
      }),
    ),
    ...listOutput,
  }),
  annotations: readsOnly,
  async call(page, { context }) {
    const { runs, total } = await listRuns(findHome(context.cwd), page);
    return {
      runs: runs.map((run) => ({ ...run, title: shortened(run.title) })),
      total,
      ...nextOf(page, total),
    };
  },
});

const lanesShown = 60;

export const runInspect = defineTool({
  name: 'run_inspect',
  title: 'Inspect a run',
  description: 'One run: status, phases, lanes (the newest ones), open questions, artifacts, cost.',
  input: z.object({ run: runInput }),
  output: z.object({
    ...runStateShape,
    workflow: z.string(),
    title: z.string(),
    created: z.string(),
    ended: z.string().optional(),
    baseCommit: z.string().optional(),
    phases: z.array(
      z.object({
        phase: z.string(),
        state: z.enum(['running', 'done', 'skipped']),
        elapsedMs: z.number().optional(),
      }),
    ),
    lanes: z.array(
      z.object({
        lane: z.string(),
        task: z.string(),
        seat: z.string(),
        agent: z.string().optional(),
        state: z.string().describe('queued, running, or how it ended: `ok`, `timeout`, …'),
        attempt: z.int().optional(),
        elapsedMs: z.number().optional(),
      }),
    ),
    laneCount: count,
    artifacts: z.array(z.object({ name: z.string(), bytes: count, uri: z.string(), path: z.string() })),
    cost: z.looseObject({
      calls: count,
      inputTokens: z.number(),
      outputTokens: z.number(),
      usd: z.number(),
      callsWithoutPrice: count,
    }),
  }),
  annotations: readsOnly,
  async call({ run }, { context }) {
    const directory = await findRun(findHome(context.cwd), run);
    const { workflow, title, created, ended, baseCommit } = await readRunRecord(directory);
    const { phases, lanes } = viewOf(readEvents(directory.events));
    const artifacts = await listArtifacts(directory);
    return {
      ...(await runStateOf(directory)),
      workflow,
      title: shortened(title),
      created,
      ...(ended !== undefined && { ended }),
      ...(baseCommit !== undefined && { baseCommit }),
      phases,
      lanes: lanes.slice(-lanesShown),
      laneCount: lanes.length,
      artifacts: artifacts.map((artifact) => ({ ...artifact, uri: uriOf(directory.id, artifact.name) })),
      cost: totalsOf(readLedger(directory.ledger)),
    };
  },
});

function shortened(title: string): string {
  return title.length > 200 ? `${title.slice(0, 199)}…` : title;
}
