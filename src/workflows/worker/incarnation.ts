import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../../agents/settings.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import { livingHolder } from '../../engine/lock.ts';
import { type Answer, readQuestions, unanswered } from '../../engine/question.ts';
import {
  type Claim,
  claimRuns,
  handBack,
  type QueueLimits,
  setClone,
  setState,
} from '../../engine/queue/claim.ts';
import { type BeatNews, beatEveryMs, Heartbeat } from '../../engine/queue/heartbeat.ts';
import { readMessages, removeMessage } from '../../engine/queue/messages.ts';
import { LostRun, RunMirror } from '../../engine/queue/mirror.ts';
import type { Queue } from '../../engine/queue/queue.ts';
import { forgetEnded } from '../../engine/queue/queued-run.ts';
import { restoreRun } from '../../engine/queue/restore.ts';
import type { TurnLimit } from '../../engine/queue/turns.ts';
import { giveUpSilent, registerWorker, removeWorker, setPlaces } from '../../engine/queue/workers.ts';
import { runDirectoryOf } from '../../engine/run-directory.ts';
import type { GuardedState } from '../../engine/run-guard.ts';
import { readRunRecord, updateRunRecord } from '../../engine/run-record.ts';
import { CharretteError, toCharretteError } from '../../errors.ts';
import { openStories } from '../open.ts';
import { codeVersion } from '../version.ts';
import { underLimit } from './agent-turns.ts';
import { publicPlace, refreshPlace, type ServedPlace } from './places.ts';
import type { WorkerEvent } from './worker-event.ts';

export type WorkerOptions = {
  queue: Queue;
  url: string;
  places: readonly ServedPlace[];
  labels: readonly string[];
  /** Runs at work here at the same time. */
  limit: number;
  limits: QueueLimits;
  agents: Readonly<Record<string, TurnLimit>>;
  silentSeconds: number;
  drainSeconds: number;
  keepDays: number;
  world: World;
  signal: AbortSignal;
};

export type IncarnationEnd = { reason: 'stopped' | 'lost'; ended: number; back: number };

type Held = Claim<ServedPlace> & {
  state: GuardedState;
  mirror: RunMirror;
  live?: LiveRun;
  /** How many events had been kept. */
  kept: number;
};

const pollMs = 200;
const sweepMs = 3_600_000;

/** A worker from its first heartbeat to its last. Its runs are its own only as long as it beats. */
export class Incarnation {
  readonly #options: WorkerOptions;
  readonly #report: (event: WorkerEvent) => void;
  readonly #id = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  readonly #held = new Map<string, Held>();
  readonly #lost = new AbortController();
  #engine: Engine | undefined;
  #places: readonly ServedPlace[];
  #heart: Heartbeat | undefined;
  /** Since when beats have come one after another: who was cut off itself cannot judge others. */
  #steadySince = performance.now();
  /** Ended when the time that a stop may take is over. */
  readonly #drained = new AbortController();
  #storeSilent = false;
  #ended = 0;

  private constructor(options: WorkerOptions, report: (event: WorkerEvent) => void) {
    this.#options = options;
    this.#report = report;
    this.#places = options.places;
  }

  static async begin(options: WorkerOptions, report: (event: WorkerEvent) => void): Promise<Incarnation> {
    const incarnation = new Incarnation(options, report);
    await incarnation.#open();
    return incarnation;
  }

  async #open(): Promise<void> {
    const { queue, places, labels, url, world, agents, silentSeconds } = this.#options;
    const [first] = places;
    if (first === undefined) throw new Error('A worker needs a repository.');
    const opening = await openStories(first.home, { url }, world, undefined, {
      guard: {
        ready: async (stop) => this.#heart?.fresh(stop),
        keep: (live) => this.#keep(live),
        changed: (run, state) => void this.#changed(run, state),
      },
      agentsIn: (project) => places.find(({ home }) => home.project === project)?.roster ?? [],
      limited: (agent) => underLimit(agent, agents[agent.id], queue, this.#id),
    });
    if (!opening.opened) throw new Error('A shared store has no holder.');
    this.#engine = opening.engine;
    await registerWorker(queue, {
      worker: this.#id,
      host: hostname(),
      pid: process.pid,
      labels: [...labels],
      places: places.map(publicPlace),
      codeVersion,
    });
    this.#heart = new Heartbeat({
      url,
      worker: this.#id,
      silentMs: silentSeconds * 1000,
      news: (news) => this.#hearBeat(news),
    });
    this.#report({
      type: 'worker-start',
      worker: this.#id,
      places: places.map(({ repository, clone }) => ({ repository, clone })),
      labels: [...labels],
    });
  }

  /** Beats, takes runs and hears messages until told to stop or given up by the others. */
  async work(): Promise<IncarnationEnd> {
    const { signal, silentSeconds } = this.#options;
    const rounds = setInterval(() => void this.#lookAround(), beatEveryMs(silentSeconds * 1000));
    const sweeps = setInterval(() => void this.#sweep(), sweepMs);
    void this.#sweep();
    try {
      while (!signal.aborted && !this.#lost.signal.aborted) {
        await this.#attend();
        const either = AbortSignal.any([signal, this.#lost.signal]);
        await sleep(pollMs, undefined, { signal: either }).catch(() => {});
      }
      return this.#lost.signal.aborted ? await this.#giveUp() : await this.#goHome();
    } finally {
      clearInterval(rounds);
      clearInterval(sweeps);
      await this.#heart?.stop();
    }
  }

  /** One look at the queue. */
  async #attend(): Promise<void> {
    const { queue, labels, limit, limits } = this.#options;
    try {
      const busy = [...this.#held.values()].filter(({ state }) => state === 'at-work').length;
      if (busy < limit) {
        const worker = { id: this.#id, labels, places: this.#places, codeVersion };
        const claims = await claimRuns(
          queue,
          worker,
          limits,
          limit - busy,
          (run, { home }) => livingHolder(runDirectoryOf(home, run).lock)?.pid,
        );
        await Promise.all(claims.map((claim) => this.#take(claim)));
      }
      await this.#hear();
      this.#storeAnswers();
    } catch (error) {
      this.#storeFails(error);
    }
  }

  async #take(claim: Claim<ServedPlace>): Promise<void> {
    const { run, title, epoch } = claim.entry;
    const { home } = claim.place;
    const { queue } = this.#options;
    const directory = runDirectoryOf(home, run);
    const mirror = new RunMirror(queue, claim.entry, directory.root, claim.entry.travels);
    this.#held.set(run, { ...claim, state: 'at-work', mirror, kept: 0 });
    this.#report({ type: 'run-take', run, title, project: home.project, epoch });
    try {
      if (claim.entry.travels && (claim.entry.atClone !== claim.place.clone || !existsSync(directory.record)))
        await restoreRun(queue, directory, home.project);
      if (!(await setClone(queue, claim.entry, claim.place.clone))) throw new LostRun(run);
      await this.#engine?.start(run, home);
      const { status } = await readRunRecord(directory);
      // Somebody left a cancel in its inbox.
      if (status === 'cancelled') await this.#changed(run, 'ended');
    } catch (thrown) {
      if (thrown instanceof LostRun) this.#lose();
      if (this.#lost.signal.aborted) return;
      const error = toCharretteError(thrown);
      const { code, message, fix } = error;
      this.#report({ type: 'run-refuse', run, message });
      await updateRunRecord(directory, {
        status: 'failed',
        exit: 1,
        error: { code, message, fix },
      }).catch(() => {});
      await this.#changed(run, 'ended');
      this.#engine?.forget(run);
    }
  }

  /** What terminals want of the runs that are held here. */
  async #hear(): Promise<void> {
    const { queue } = this.#options;
    for (const { id, run, message } of await readMessages(queue, [...this.#held.keys()])) {
      try {
        if (message?.type === 'answer') await this.#engine?.answer(run, message.answers);
        if (message?.type === 'cancel') await this.#engine?.cancel(run, message.reason);
      } catch (error) {
        if (!(error instanceof CharretteError)) throw error;
      }
      await removeMessage(queue, id);
    }
  }

  /** A run asks, goes on or has ended. */
  async #changed(run: string, state: GuardedState): Promise<void> {
    const held = this.#held.get(run);
    if (held === undefined || held.state === 'ended') return;
    held.state = state;
    const directory = runDirectoryOf(held.place.home, run);
    const { status, queue: wishes } = await readRunRecord(directory);
    const { epoch } = held.entry;
    // What people are to look at goes first.
    if (state !== 'ended') await held.live?.keep().catch(() => {});
    await this.#surely(() => setState(this.#options.queue, { run, epoch }, state, status));
    if (state === 'at-work') this.#report({ type: 'run-continue', run });
    if (state === 'asking') {
      if (wishes?.yes === true && (await this.#answerRecommended(run, held))) return;
      this.#report({ type: 'run-ask', run });
    }
    if (state === 'ended') {
      this.#ended += 1;
      this.#report({ type: 'run-end', run, status });
      this.#held.delete(run);
    }
  }

  async #answerRecommended(run: string, { place }: Held): Promise<boolean> {
    const questions = unanswered(readQuestions(runDirectoryOf(place.home, run)));
    const answers = questions.flatMap(({ id, recommended }): Answer[] =>
      recommended === undefined ? [] : [{ question: id, value: recommended, source: 'recommended' }],
    );
    if (answers.length === 0 || answers.length < questions.length) return false;
    await this.#engine?.answer(run, answers);
    return true;
  }

  /** Nothing that a run wrote counts before it is where other workers find it, and nothing of a lost run ever does. */
  async #keep(live: LiveRun): Promise<void> {
    const { id } = live.directory;
    const held = [...this.#held].find(([run]) => run === id || id.startsWith(`${run}-`))?.[1];
    const count = live.events.count;
    if (held === undefined) {
      // It has ended here; what still comes in of it is of no use.
      void live.stop();
      throw new LostRun(id);
    }
    try {
      if (held.entry.run === id) held.live = live;
      await this.#surely(() => held.mirror.keep());
      held.kept = count;
    } catch (error) {
      if (error instanceof LostRun) this.#lose();
      else throw error;
    }
    if (!this.#lost.signal.aborted) return;
    void live.stop();
    throw new LostRun(id);
  }

  /** Lets people elsewhere see what was written between steps. */
  #keepNews(): void {
    for (const { entry, live, kept } of this.#held.values())
      if (entry.travels && live !== undefined && !live.stopping && live.events.count !== kept)
        void live.keep().catch(() => {});
  }

  #hearBeat(news: BeatNews): void {
    const { silentSeconds } = this.#options;
    if (news.type === 'gone') this.#lose();
    else if (news.type === 'silent') this.#storeFails(new Error(news.message));
    else if (news.gapSeconds > silentSeconds / 2) this.#steadySince = performance.now();
  }

  /** Says which commits are checked out here, lets people see news, and gives up workers that fell silent. */
  async #lookAround(): Promise<void> {
    const { queue, silentSeconds } = this.#options;
    if (this.#lost.signal.aborted || this.#heart?.isFresh !== true) return;
    try {
      const places = await Promise.all(this.#places.map(refreshPlace));
      const moved = places.some(({ head }, index) => head !== this.#places[index]?.head);
      this.#places = places;
      if (moved) await setPlaces(queue, this.#id, places.map(publicPlace));
      this.#keepNews();
      // After a time without the store everybody looks silent; the others get a moment to show themselves.
      if (performance.now() - this.#steadySince < 2 * beatEveryMs(silentSeconds * 1000)) return;
      for (const { worker, runs } of await giveUpSilent(queue, silentSeconds))
        this.#report({ type: 'worker-gone', worker, runs });
    } catch (error) {
      this.#storeFails(error);
    }
  }

  async #sweep(): Promise<void> {
    await forgetEnded(this.#options.queue, this.#options.keepDays).catch(() => {});
  }

  #lose(): void {
    if (this.#lost.signal.aborted) return;
    this.#lost.abort();
    this.#engine?.abandon();
    this.#report({ type: 'worker-lost', worker: this.#id, runs: [...this.#held.keys()] });
  }

  /** Its runs belong to others: everything ends where it is, and nothing is written any more. */
  async #giveUp(): Promise<IncarnationEnd> {
    this.#held.clear();
    await this.#engine?.close();
    return { reason: 'lost', ended: this.#ended, back: 0 };
  }

  /** Lets calls under way come to their end, then gives the runs back. */
  async #goHome(): Promise<IncarnationEnd> {
    const { queue, drainSeconds } = this.#options;
    const limit = setTimeout(() => this.#drained.abort(), drainSeconds * 1000);
    await this.#engine?.rest(AbortSignal.any([this.#drained.signal, this.#lost.signal]));
    const open = this.#lost.signal.aborted ? [] : [...this.#held.values()];
    for (const { entry, place, live } of open) {
      await updateRunRecord(runDirectoryOf(place.home, entry.run), { status: 'queued', process: undefined });
      await live?.keep().catch(() => {});
    }
    await this.#engine?.close();
    const back = await Promise.all(open.map((held) => this.#giveBack(held)));
    clearTimeout(limit);
    await removeWorker(queue, this.#id).catch(() => {});
    const end = { ended: this.#ended, back: back.filter(Boolean).length };
    this.#report({ type: 'worker-end', worker: this.#id, ...end });
    return { reason: 'stopped', ...end };
  }

  /** False: the store does not answer. The others will take the run from a worker that fell silent. */
  async #giveBack({ entry }: Held): Promise<boolean> {
    try {
      await this.#surely(() => handBack(this.#options.queue, entry, 'its worker was stopped'));
      this.#report({ type: 'run-back', run: entry.run });
      return true;
    } catch {
      return false;
    }
  }

  /** Tries until the store takes it, or until the runs are lost anyway, or no time is left. */
  async #surely(body: () => Promise<unknown>): Promise<void> {
    while (!this.#lost.signal.aborted) {
      try {
        await body();
        return;
      } catch (error) {
        if (error instanceof LostRun || this.#drained.signal.aborted) throw error;
        this.#storeFails(error);
        await sleep(pollMs);
      }
    }
  }

  #storeFails(error: unknown): void {
    if (this.#storeSilent || this.#lost.signal.aborted) return;
    this.#storeSilent = true;
    this.#report({ type: 'store-silent', message: toCharretteError(error).message });
  }

  #storeAnswers(): void {
    if (!this.#storeSilent) return;
    this.#storeSilent = false;
    this.#report({ type: 'store-back' });
  }
}
