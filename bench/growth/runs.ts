// The history of runs and the events of one run, through the commands that people call.
import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from '../../src/engine/engine.ts';
import type { EventBody } from '../../src/engine/event.ts';
import { homeOf } from '../../src/engine/run-directory.ts';
import type { WorkflowDefinition } from '../../src/engine/workflow.ts';
import { listRuns, listRunsAndWaiting } from '../../src/service/runs.ts';
import { openRuns } from '../../src/surfaces/hosts/open-runs.ts';
import { perform } from '../../test/crash/in-process.ts';
import { embeddedEngine, madeRun } from '../../test/support/engine.ts';
import { writeRun } from '../../test/support/web-run.ts';
import type { Dimension, Prepared } from './dimension.ts';
import { spread } from './sizes.ts';

const usage = { basis: 'measured', inputTokens: 1200, cachedInputTokens: 0, outputTokens: 300 } as const;
const story: WorkflowDefinition<null, { status: 'done'; exit: 0 }> = {
  name: 'growth',
  async run(context) {
    await context.step('one', async () => 1);
    return { status: 'done', exit: 0 };
  },
};

/** Runs that share one ledger file under many names: nothing that is measured writes to it, and a link is soon made. */
const sharing = 10_000;

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
    const ledger = path.join(this.home.root, 'ledger.jsonl');
    for (; this.#count < size; this.#count += 1) {
      const number = String(this.#count).padStart(8, '0');
      const created = new Date(Date.UTC(2016, 0, 1) + this.#count * 3_000_000).toISOString();
      const id = `${created.slice(0, 10).replaceAll('-', '')}-000000-growth-${number}`;
      const folder = path.join(this.home.runs, id);
      mkdirSync(folder);
      const record = { schemaVersion: 1, run: id, workflow: 'design', codeVersion: '1', created };
      writeFileSync(
        path.join(folder, 'run.json'),
        JSON.stringify({ ...record, title: `run number ${number}`, inputs: {}, status: 'done', exit: 0 }),
      );
      if (this.#count % sharing === 0) {
        rmSync(ledger, { force: true });
        const call = { v: 1, id: 'a', time: created, phase: '1', task: 'sketch', seat: 'a', agent: 'one' };
        writeFileSync(ledger, `${JSON.stringify({ ...call, family: 'one', usage, durationMs: 5 })}\n`);
      }
      linkSync(ledger, path.join(folder, 'ledger.jsonl'));
    }
    // As if the last run had been made a while ago.
    const then = new Date(Date.now() - 60_000 - size);
    utimesSync(this.home.runs, then, then);
  }

  /** A run comes and goes: the folder of runs has changed. */
  change(): void {
    const folder = path.join(this.home.runs, '20990101-000000-new');
    mkdirSync(folder);
    rmdirSync(folder);
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
  const { home } = history;
  const work = (name: string, act: () => unknown): Work => ({ work: name, prepare: () => ({ act }) });
  const command = (name: string, words: readonly string[], exits?: readonly number[]) =>
    work(name, () => run(home.project, words, exits));
  const pruning = ['runs', 'prune', '--older-than', '1', '--dry-run', '--json'];
  return {
    sizes: [10, 30, 100, 1000, 3000, 10_000, 20_000, 30_000, 60_000, 100_000].filter((size) => size <= most),
    at: (size) => {
      history.growTo(size);
      return [
        command('`runs`: the newest 50', ['runs']),
        command('`show`', ['show']),
        command('`show` of a whole id', ['show', '20160101-000000-growth-00000000']),
        work('what a hook says of open runs', () => openRuns(home.project)),
        work('the list of the page: the newest 100', () => listRunsAndWaiting(home, 100)),
        work('the list over MCP: a second page of five', () => listRuns(home, { offset: 5, limit: 5 })),
        command('`show` of a name that many ids have', ['show', 'growth'], [4]),
        command('`doctor`', ['doctor']),
        completionWork(home.project),
        command('`runs --all --json`', ['runs', '--all', '--json']),
        command('`costs`', ['costs']),
        command('`costs --by command`', ['costs', '--by', 'command']),
        command('`runs prune --dry-run`', pruning),
        work('`show` when a run has just been made', async () => {
          history.change();
          await run(home.project, ['show']);
        }),
        { work: 'a run made, started and ended', prepare: () => startsIn(history) },
      ];
    },
  };
}

/** Processor time of bash that completes a run; it counts it itself. */
function completionWork(project: string): Work {
  return {
    work: 'completion in bash',
    async prepare() {
      const script = path.join(project, 'completion.bash');
      const { stdout } = await perform(['completion', 'bash'], {
        project,
        home: project,
        calls: '',
        answers: '',
      });
      writeFileSync(script, stdout);
      const words = 'COMP_WORDS=(charrette show "") COMP_CWORD=2';
      const lines = [`. ./completion.bash; TIMEFORMAT='%U %S'; ${words}`, 'time _charrette'];
      let spent = 0;
      return {
        act() {
          const { stderr } = spawnSync('bash', ['-c', lines.join('\n')], { cwd: project, encoding: 'utf8' });
          const seconds = stderr.trim().split(' ').map(Number);
          spent = 1000 * seconds.reduce((sum, value) => sum + value, 0);
        },
        // Below a millisecond it counts none.
        measured: () => Math.max(spent, 1),
      };
    },
  };
}

export type Work = { work: string; prepare: () => Prepared | Promise<Prepared> };

async function startsIn(history: History): Promise<Prepared> {
  const { home } = history;
  const engine = await embeddedEngine({ home, workflows: [story] });
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
  await madeRun(home, id, 'growth');
  await engine.start(id);
  await engine.wait(id, { signal: new AbortController().signal });
}

export function eventWork(workspace: string): Dimension[] {
  const sizes = spread(500, 100_000);
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
