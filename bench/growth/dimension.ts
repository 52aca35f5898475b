import { median } from '../calibration.ts';
import { fitExponent } from '../fit.ts';

/** Something that gets larger, and a piece of work whose cost is measured at several sizes of it. */
export type Dimension = {
  what: string;
  work: string;
  sizes: readonly number[];
  prepare: (size: number) => Prepared | Promise<Prepared>;
};

/** `measured` gives the cost in milliseconds where the work itself knows it better than the clock around it. */
export type Prepared = { act: () => unknown; measured?: () => number; clean?: () => unknown };

export type Cost = { size: number; milliseconds: number };

export type Growth = {
  what: string;
  work: string;
  costs: readonly Cost[];
  exponent: number;
  error: number;
  /** The same over the larger half of the sizes, where what is the same at every size weighs less; at least `leastUpper` of them. */
  upper: number;
  upperError: number;
};

/** The error of a fit through fewer points says little. */
const leastUpper = 5;
const leastRepeats = 5;
const patienceMs = 12_000;
/** Work that takes less than this is repeated between two clock readings. */
const shortestMs = 8;

/** Processor time of the whole process: what other programs take does not count. */
export async function grow({ what, work, sizes, prepare }: Dimension): Promise<Growth> {
  const costs: Cost[] = [];
  for (const size of sizes) costs.push({ size, milliseconds: await costOf(await prepare(size)) });
  return growthOf(what, work, costs);
}

/** What one prepared piece of work costs, in milliseconds of processor time. */
export async function costOf(prepared: Prepared): Promise<number> {
  try {
    return await cost(prepared);
  } finally {
    await prepared.clean?.();
  }
}

export function growthOf(what: string, work: string, costs: readonly Cost[]): Growth {
  const points = costs.map(({ size, milliseconds }) => [size, milliseconds] as const);
  const all = fitExponent(points);
  const upper = fitExponent(points.slice(-Math.max(leastUpper, Math.ceil(points.length / 2))));
  return {
    what,
    work,
    costs,
    exponent: all.slope,
    error: all.slopeError,
    upper: upper.slope,
    upperError: upper.slopeError,
  };
}

/** Noise alone does not put anything above a limit: the fit must be sure of it. */
export function isAbove({ exponent, error, upper, upperError }: Growth, limit: number): boolean {
  return exponent - 2 * error > limit || upper - 2 * upperError > limit;
}

async function cost({ act, measured }: Prepared): Promise<number> {
  const once = await timed(act, 1);
  let times = Math.max(1, Math.ceil(shortestMs / Math.max(once, 0.01)));
  if (measured === undefined && times > 1) {
    // Compiled code is several times as fast as what the first call met.
    const warm = await timed(act, Math.min(times, 50));
    times = Math.max(1, Math.ceil(shortestMs / Math.max(warm, 0.0005)));
  }
  const values: number[] = [];
  const begun = performance.now();
  while (values.length < leastRepeats || (values.length < 9 && performance.now() - begun < 300)) {
    const value = await timed(act, measured === undefined ? times : 1);
    values.push(measured?.() ?? value);
    if (values.length >= 2 && performance.now() - begun > patienceMs) break;
  }
  return median(values);
}

async function timed(act: () => unknown, times: number): Promise<number> {
  const started = process.cpuUsage();
  for (let turn = 0; turn < times; turn += 1) {
    const given = act();
    if (given instanceof Promise) await given;
  }
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000 / times;
}
