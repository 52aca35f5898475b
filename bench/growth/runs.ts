// The history of runs and the events of one run, through the commands that people call.
import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import type { EventBody } from '../../src/engine/event.ts';
import { createRunDirectory, homeOf, runDirectoryOf } from '../../src/engine/run-directory.ts';
import { writeRunRecord } from '../../src/engine/run-record.ts';
import type { WorkflowDefinition } from '../../src/engine/workflow.ts';
import { perform } from '../../test/crash/in-process.ts';
import { writeRun } from '../../test/support/web-run.ts';
import type { Dimension, Prepared } from './dimension.ts';

const usage = { basis: 'measured', inputTokens: 1200, cachedInputTokens: 0, outputTokens: 300 } as const;
const story: WorkflowDefinition<null, { status: 'done'; exit: 0 }> = {
  name: 'growth',
  async run(context) {
    await context.step('one', async () => 1);
    return { status: 'done', exit: 0 };
  },
};

/** A project to whose history runs are only ever added; sizes must come in order. */
class History {
  readonly home;
  #count = 0;

  constructor(workspace: string) {
    this.home = homeOf(mkdtempSync(path.join(workspace, 'history-')));
    mkdirSync(this.home.runs, { recursive: true });
    // No agent of this machine is asked for its version.
    writeFileSync(path.join(this.home.project, 'charrette.config.json'), JSON.stringify({ detect: false }));
  }

  growTo(size: number): void {
    for (; this.#count < size; this.#count += 1) {
      const number = String(this.#count).padStart(8, '0');
      const id = `202601${String((this.#count % 28) + 1).padStart(2, '0')}-000000-growth-${number}`;
      const folder = path.join(this.home.runs, id);
      mkdirSync(folder);
      writeFileSync(
        path.join(folder, 'run.json'),
        JSON.stringify({
          schemaVersion: 1,
          run: id,
          workflow: 'design',
          codeVersion: '1',
          title: `run number ${number}`,
          inputs: {},
          status: 'done',
          exit: 0,
          created: '2026-01-01T00:00:00.000Z',
        }),
      );
      writeFileSync(
        path.join(folder, 'ledger.jsonl'),
        `${JSON.stringify({ v: 1, id: 'a', time: '2026-01-01T00:00:00.000Z', phase: '1', task: 'sketch', seat: 'a', agent: 'one', family: 'one', usage, durationMs: 5 })}\n`,
      );
      appendFileSync(path.join(folder, 'events.jsonl'), '');
    }
  }
}

async function run(project: string, words: readonly string[], exits: readonly number[] = [0]): Promise<void> {
  const printed = await perform(words, { project, home: project, calls: '', answers: '' });
  if (!exits.includes(printed.exit)) throw new Error(`${words.join(' ')}: ${printed.stderr}`);
}

/** Sizes are gone through once, in order, for all commands together: a history of 100,000 runs takes a while to write. */
export function historyWork(
  workspace: string,
  most: number,
): { sizes: number[]; at: (size: number) => Work[] } {
  const history = new History(workspace);
  const { project } = history.home;
  const command = (work: string, words: readonly string[], exits?: readonly number[]): Work => ({
    work,
    prepare: () => ({ act: () => run(project, words, exits) }),
  });
  return {
    sizes: [10, 100, 1000, 3000, 10_000, 30_000, 100_000].filter((size) => size <= most),
    at: (size) => {
      history.growTo(size);
      return [
        command('`runs`', ['runs']),
        command('`runs --json`', ['runs', '--json']),
        command('`show`', ['show']),
        command('`show` of a name that many ids have', ['show', 'growth'], [4]),
        command('`doctor`', ['doctor']),
        command('`costs`', ['costs']),
        { work: 'a run made, started and ended', prepare: () => startsIn(history) },
      ];
    },
  };
}

export type Work = { work: string; prepare: () => Prepared | Promise<Prepared> };

async function startsIn(history: History): Promise<Prepared> {
  const { home } = history;
  const opening = await openEngine({
    home,
    store: 'embedded',
    codeVersion: '1',
    workflows: [story],
    children: [],
  });
  if (!opening.opened) throw new Error('the store is held');
  const { engine } = opening;
  let number = 0;
  return {
    act: async () => {
      number += 1;
      await oneRun(engine, home, `20260201-000000-started-${process.hrtime.bigint()}-${number}`);
    },
    clean: () => engine.close(),
  };
}

async function oneRun(engine: Engine, home: History['home'], id: string): Promise<void> {
  const directory = runDirectoryOf(home, id);
  await createRunDirectory(directory);
  await writeRunRecord(directory, {
    schemaVersion: 1,
    run: id,
    workflow: 'growth',
    codeVersion: '1',
    title: 'growth',
    inputs: null,
    status: 'running',
    created: new Date().toISOString(),
  });
  await engine.start(id);
  await engine.wait(id, { signal: new AbortController().signal });
}

export function eventWork(workspace: string): Dimension[] {
  const sizes = [500, 2000, 8000, 32_000, 100_000];
  const commands: [string, string[]][] = [
    ['`show`', ['show']],
    ['`watch` of a run that ended', ['watch']],
    ['`watch --output stream-json`', ['watch', '--output', 'stream-json']],
    ['`report`', ['report']],
    ['`report --html`', ['report', '--html']],
  ];
  return commands.map(([work, words]) => ({
    what: 'events of a run',
    work,
    sizes,
    prepare: (size) => {
      const project = mkdtempSync(path.join(workspace, 'events-'));
      const written = writeRun({ exit: 0, ended: '2026-01-01T01:00:00.000Z' }, project);
      written.emit({ type: 'run-start', workflow: 'design', title: 'many events' });
      written.emit(...manyEvents(size));
      written.emit({ type: 'run-end', status: 'done', exit: 0 });
      return { act: () => run(project, words), clean: () => written.remove() };
    },
  }));
}

/** Lanes of four events each in steps of fifty lanes. */
function manyEvents(count: number): EventBody[] {
  return Array.from({ length: Math.ceil(count / 4) }, (_, index): EventBody[] => {
    const [lane, phase] = [`lane-${index}`, `step ${Math.floor(index / 50)}`];
    const agent = `agent-${index % 4}`;
    return [
      ...(index % 50 === 0 ? [{ type: 'phase-start', phase, line: phase } as const] : []),
      { type: 'lane-queue', lane, task: 'sketch', seat: `seat-${index % 20}`, label: `Seat ${index}`, phase },
      { type: 'lane-start', lane, agent, attempt: 1 },
      { type: 'note', phase, text: `note ${index}` },
      { type: 'lane-end', lane, agent, kind: 'ok', elapsedMs: 900, usage },
      ...(index % 50 === 49 ? [{ type: 'phase-end', phase, elapsedMs: 1000 } as const] : []),
    ];
  }).flat();
}
