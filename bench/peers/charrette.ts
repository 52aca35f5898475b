import { existsSync } from 'node:fs';
import type { Outcome, RunRecord, WorkflowDefinition } from '../../src/engine/index.ts';
import { ask, measure, seats, stateFolder } from './agent.mjs';

const engineModule = new URL('../../dist/engine.js', import.meta.url).href;
const { createRunDirectory, homeOf, openEngine, runDirectoryOf, writeRunRecord } = (await import(
  engineModule
)) as typeof import('../../src/engine/index.ts');

let votes = 0;
// graph
const panel: WorkflowDefinition<null, Outcome> = {
  name: 'panel',
  async run(context) {
    const row = (role: string, count: number, given: object) =>
      Promise.all(seats(role, count).map((name) => context.step(name, () => ask(name, given))));
    const sketches = await row('sketch', 4, {});
    const synthesis = await context.step('synthesis', () => ask('synthesis', sketches));
    const plan = await context.step('plan', () => ask('plan', { synthesis }));
    const reviews = await row('review', 4, { plan });
    votes = (await row('vote', 3, { plan, reviews })).length;
    return { status: 'done', exit: 0 };
  },
};
// end of graph

const home = homeOf(stateFolder);
const directory = runDirectoryOf(home, 'one');
const opening = await openEngine({
  home,
  store: 'embedded',
  codeVersion: '1',
  workflows: [panel],
});
if (!opening.opened) throw new Error('the store is held by another process');
const { engine } = opening;
if (!existsSync(directory.root)) {
  await createRunDirectory(directory);
  const record: RunRecord = {
    schemaVersion: 1,
    run: 'one',
    workflow: 'panel',
    codeVersion: '1',
    title: 'panel',
    inputs: null,
    status: 'running',
    created: new Date().toISOString(),
  };
  await writeRunRecord(directory, record);
}
await measure(async () => {
  await engine.start('one');
  await engine.wait('one', { signal: new AbortController().signal });
  return votes;
});
