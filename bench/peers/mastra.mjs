import path from 'node:path';
import { Mastra } from '@mastra/core/mastra';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { LibSQLStore } from '@mastra/libsql';
import { z } from 'zod';
import { ask, measure, seats, stateFolder } from './agent.mjs';

// graph
const any = z.any();
const step = (name) =>
  createStep({
    id: name,
    inputSchema: any,
    outputSchema: any,
    execute: ({ inputData }) => ask(name, inputData),
  });
const row = (role, count) => seats(role, count).map(step);
const panel = createWorkflow({ id: 'panel', inputSchema: any, outputSchema: any })
  .parallel(row('sketch', 4))
  .then(step('synthesis'))
  .then(step('plan'))
  .parallel(row('review', 4))
  .parallel(row('vote', 3))
  .commit();
// end of graph

const storage = new LibSQLStore({ id: 'state', url: `file:${path.join(stateFolder, 'state.db')}` });
const mastra = new Mastra({ workflows: { panel }, storage, logger: false });
await storage.init();
const workflow = mastra.getWorkflow('panel');
const earlier = await workflow.getWorkflowRunById('one');
const run = await workflow.createRun({ runId: 'one' });
await measure(async () => {
  const outcome = await (earlier?.status === 'running' ? run.restart() : run.start({ inputData: {} }));
  return Object.keys(outcome.result ?? {}).length;
});
