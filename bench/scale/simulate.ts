// Runs on a number of workers through one day, event by event.

/** What was measured of one run: its tasks as numbers of parallel calls, and what a call costs in addition to the agent. */
export type RunCost = {
  phases: readonly number[];
  /** Processor time of the worker and of the server for one call. */
  workerMsPerCall: number;
  serverMsPerCall: number;
  /** What it takes to give a run to a worker, by how many wait; decided one at a time over all workers. */
  claims: readonly { waiting: number; milliseconds: number }[];
};

export type Setting = {
  runsPerDay: number;
  /** The busiest hour against the average one. */
  peak: number;
  workers: number;
  /** `--limit` and `limits.parallel` of each worker. */
  runsPerWorker: number;
  callsPerWorker: number;
  serverCores: number;
  /** An agent call takes between half and one and a half of this. */
  callSeconds: number;
  /** Calls at the same time that the agents' providers allow over all workers. */
  callsAtOnce: number;
};

export type Outcome = {
  came: number;
  finished: number;
  waitP50: number;
  waitP99: number;
  /** Longest line of runs that wait for a worker. */
  longestLine: number;
  /** Share of the busiest hour in which each is in use. */
  busy: { places: number; calls: number; provider: number; claims: number; worker: number; server: number };
};

type Event = { at: number; act: () => void };

const day = 86_400;
const hour = 3600;
/** A worker with a free place looks for runs so often. */
const pollSeconds = 0.2;

/** Plays one day; the same seed gives the same day. */
export function simulate(cost: RunCost, setting: Setting, seed = 1): Outcome {
  const random = randomFrom(seed);
  const clock = new Timeline();
  const workers = Array.from({ length: setting.workers }, () => ({
    places: new Resource(clock, setting.runsPerWorker),
    calls: new Resource(clock, setting.callsPerWorker),
    core: new Resource(clock, 1),
  }));
  const provider = new Resource(clock, setting.callsAtOnce);
  const server = new Resource(clock, setting.serverCores);
  const claims = new Resource(clock, 1);
  const line: { came: number }[] = [];
  const waits: number[] = [];
  let [came, finished, longestLine] = [0, 0, 0];

  const assign = () => {
    for (;;) {
      const worker = workers
        .filter(({ places }) => places.free > 0)
        .sort((one, two) => two.places.free - one.places.free)[0];
      const run = worker === undefined ? undefined : line.shift();
      if (worker === undefined || run === undefined) return;
      const seconds = claimMs(cost.claims, line.length + 1) / 1000;
      worker.places.take(() =>
        claim(seconds, () => {
          waits.push(clock.now - run.came);
          phase(worker, 0, () => {
            worker.places.give();
            finished += 1;
            assign();
          });
        }),
      );
    }
  };

  /** Noticed at the worker's next poll; only one worker decides at a time. */
  const claim = (seconds: number, done: () => void) =>
    clock.after(random() * pollSeconds, () =>
      claims.take(() =>
        server.serve(seconds, () => {
          claims.give();
          done();
        }),
      ),
    );

  const phase = (worker: (typeof workers)[number], number: number, done: () => void) => {
    const calls = cost.phases[number];
    if (calls === undefined) return done();
    let left = calls;
    for (let index = 0; index < calls; index += 1)
      call(worker, () => {
        left -= 1;
        if (left === 0) phase(worker, number + 1, done);
      });
  };

  const call = (worker: (typeof workers)[number], done: () => void) =>
    worker.calls.take(() =>
      provider.take(() =>
        clock.after(setting.callSeconds * (0.5 + random()), () => {
          provider.give();
          worker.core.serve(cost.workerMsPerCall / 1000, () =>
            server.serve(cost.serverMsPerCall / 1000, () => {
              worker.calls.give();
              done();
            }),
          );
        }),
      ),
    );

  for (const at of arrivals(setting, random))
    clock.at(at, () => {
      came += 1;
      line.push({ came: at });
      assign();
      longestLine = Math.max(longestLine, line.length);
    });
  clock.run(day);
  waits.push(...line.map((run) => day - run.came));
  waits.sort((one, two) => one - two);
  const quantile = (share: number) =>
    waits[Math.min(waits.length - 1, Math.floor(share * waits.length))] ?? 0;
  const most = (pick: (worker: (typeof workers)[number]) => Resource) =>
    Math.max(...workers.map((worker) => pick(worker).busiestHour()));
  return {
    came,
    finished,
    waitP50: quantile(0.5),
    waitP99: quantile(0.99),
    longestLine,
    busy: {
      places: most(({ places }) => places),
      calls: most(({ calls }) => calls),
      provider: provider.busiestHour(),
      claims: claims.busiestHour(),
      worker: most(({ core }) => core),
      server: server.busiestHour(),
    },
  };
}

/** Between two measured sizes of the queue on a straight line, beyond them as at the nearest. */
export function claimMs(claims: RunCost['claims'], waiting: number): number {
  const above = claims.find((point) => point.waiting >= waiting);
  const below = claims.findLast((point) => point.waiting <= waiting);
  if (above === undefined || below === undefined) return (above ?? below)?.milliseconds ?? 0;
  if (above === below) return above.milliseconds;
  const share = (waiting - below.waiting) / (above.waiting - below.waiting);
  return below.milliseconds + share * (above.milliseconds - below.milliseconds);
}

/** Runs come at random, most of them around the middle of the day. */
function* arrivals({ runsPerDay, peak }: Setting, random: () => number): Generator<number> {
  const average = runsPerDay / day;
  // A raised cosine has its mean at half of its height above the floor.
  const swing = Math.min(1, peak - 1);
  const rate = (at: number) => average * (1 - swing * Math.cos((2 * Math.PI * at) / day));
  const highest = average * (1 + swing);
  for (let at = 0; ; ) {
    at += -Math.log(1 - random()) / highest;
    if (at >= day) return;
    if (random() * highest <= rate(at)) yield at;
  }
}

/** So many at a time, the others in the order in which they came; knows how busy each hour was. */
class Resource {
  readonly #clock: Timeline;
  readonly #size: number;
  readonly #waiting: (() => void)[] = [];
  readonly #hours = new Array<number>(24).fill(0);
  #used = 0;
  #since = 0;

  constructor(clock: Timeline, size: number) {
    this.#clock = clock;
    this.#size = size;
  }

  get free(): number {
    return this.#size - this.#used;
  }

  take(begin: () => void): void {
    if (this.#used >= this.#size) {
      this.#waiting.push(begin);
      return;
    }
    this.#count();
    this.#used += 1;
    begin();
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#count();
    this.#used -= 1;
  }

  serve(seconds: number, done: () => void): void {
    this.take(() =>
      this.#clock.after(seconds, () => {
        this.give();
        done();
      }),
    );
  }

  busiestHour(): number {
    this.#count();
    return Math.max(...this.#hours) / (hour * this.#size);
  }

  #count(): void {
    for (let at = this.#since; at < this.#clock.now; ) {
      const end = Math.min(this.#clock.now, (Math.floor(at / hour) + 1) * hour);
      const index = Math.min(23, Math.floor(at / hour));
      this.#hours[index] = (this.#hours[index] ?? 0) + (end - at) * this.#used;
      at = end;
    }
    this.#since = this.#clock.now;
  }
}

/** What happens next, earliest first: a heap. */
class Timeline {
  now = 0;
  readonly #heap: Event[] = [];

  after(seconds: number, act: () => void): void {
    this.at(this.now + seconds, act);
  }

  at(at: number, act: () => void): void {
    const heap = this.#heap;
    heap.push({ at, act });
    for (let index = heap.length - 1; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfLater(parent, index)) break;
      index = parent;
    }
  }

  run(until: number): void {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || first.at > until) break;
      this.#removeFirst();
      this.now = first.at;
      first.act();
    }
    this.now = until;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const earlier = (heap[right]?.at ?? Infinity) < (heap[left]?.at ?? Infinity) ? right : left;
      if (earlier >= heap.length || !this.#swapIfLater(index, earlier)) break;
      index = earlier;
    }
  }

  #swapIfLater(parent: number, child: number): boolean {
    const [one, two] = [this.#heap[parent], this.#heap[child]];
    if (one === undefined || two === undefined || one.at <= two.at) return false;
    this.#heap[parent] = two;
    this.#heap[child] = one;
    return true;
  }
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
