import type { AgentSettings } from '../../agents/settings.ts';
import { CharretteError } from '../../base/errors.ts';
import type { Config } from '../../base/schema/config.ts';
import { formatElapsed, shortCount } from '../../base/text/strings.ts';
import { type PanelSpec, panelNames, type SketchCount, sketchSeats, specOf } from '../../council/panels.ts';
import { listPrices, type Price, priceOf } from '../../engine/ledger.ts';

export type DepthFlags = {
  depth?: string;
  solo?: boolean;
  quick?: boolean;
  panel?: string;
  dialectic?: string;
  sketches?: string;
};

export type Depth = {
  panel: string;
  /** Of a panel of the configuration. */
  seats?: PanelSpec;
  quick: boolean;
  sketches: SketchCount;
  dialectic: 'off' | 'advisory' | 'binding';
};

/** What each depth sets; an explicit flag wins, and so does the configuration where the depth was not asked for. */
export const depths = {
  solo: { panel: 'solo', quick: true, sketches: 0, dialectic: 'off' },
  quick: { panel: 'diagonal', quick: true, sketches: 2, dialectic: 'binding' },
  regular: { panel: 'diagonal', quick: false, sketches: 4, dialectic: 'binding' },
  wide: { panel: 'wide', quick: false, sketches: 10, dialectic: 'binding' },
} as const satisfies Record<string, Depth>;

export type DepthName = keyof typeof depths;

/** The depth that was asked for by name; two different names are a contradiction. */
export function namedDepth(flags: DepthFlags): DepthName | 'auto' | undefined {
  const asked = [
    ...(flags.depth === undefined ? [] : [flags.depth]),
    ...(flags.solo === true ? ['solo'] : []),
    ...(flags.quick === true ? ['quick'] : []),
  ];
  const [name, other] = [...new Set(asked)];
  if (other !== undefined) {
    throw new CharretteError({
      code: 'usage',
      message: `Two depths were asked for: ${name} and ${other}.`,
      fix: 'Choose one of --depth, --solo and --quick.',
    });
  }
  return name as DepthName | 'auto' | undefined;
}

/**
 * Name first, then explicit flags over it; without a name the configuration counts. A flag that the panel cannot follow is
 * refused; what the configuration says beyond the panel does not apply to it.
 */
export function depthOf(
  flags: DepthFlags,
  config: Config,
  name: DepthName | undefined,
  ownPanel?: { name: string; seats: PanelSpec },
): Depth {
  const base: Depth = depths[name ?? 'regular'];
  const settings = name === undefined ? config : {};
  const panel = flags.panel ?? settings.panel ?? base.panel;
  const seats = panel === ownPanel?.name ? ownPanel.seats : undefined;
  if (seats === undefined && !panelNames.some((each) => each === panel)) throw unknownPanel(panel, config);
  const spec = specOf({ panel, seats });
  const own = Math.min(base.quick ? base.sketches : spec.sketch.length, spec.sketch.length);
  const wanted = flags.sketches === undefined ? (settings.sketches ?? own) : Number(flags.sketches);
  const dialectic = (flags.dialectic as Depth['dialectic'] | undefined) ?? settings.dialectic;
  const [canSketch, canArgue] = [spec.sketch.length > 0, spec.debate.length > 0];
  if (!canSketch && Number(flags.sketches ?? 0) > 0)
    throw beyond(panel, spec, `--sketches ${flags.sketches}`);
  if (!canArgue && (flags.dialectic ?? 'off') !== 'off')
    throw beyond(panel, spec, `--dialectic ${flags.dialectic}`);
  const sketches = canSketch ? (seats === undefined ? wanted : Math.min(wanted, spec.sketch.length)) : 0;
  return {
    panel,
    ...(seats === undefined ? {} : { seats }),
    quick: base.quick && sketches !== 4,
    sketches: sketches as SketchCount,
    dialectic: canArgue ? (dialectic ?? base.dialectic) : 'off',
  };
}

function unknownPanel(panel: string, config: Config): CharretteError {
  return new CharretteError({
    code: 'usage',
    message: `Unknown panel "${panel}". Available: ${[...panelNames, ...Object.keys(config.panels ?? {})].join(', ')}.`,
    fix: 'Name one of them, or add it to `panels` of the configuration.',
  });
}

function beyond(panel: string, { description }: PanelSpec, flag: string): CharretteError {
  return new CharretteError({
    code: 'usage',
    message: `${flag} does not go with the panel ${panel}: ${description}.`,
    fix: 'Leave one of the two out, or choose another --panel or --depth.',
  });
}

/** What a run may take, before anything ran; rough figures, and called so. */
export type Estimate = {
  calls: number;
  tokens: number;
  /** Money for the calls of agents whose price is known. */
  usd?: number;
  /** Agents without a known price: their model is not set, or not in the table. */
  unpriced?: string[];
  time?: TimeEstimate;
};

/** `inARow`: calls on the critical path. `measured`: calls of earlier runs behind the time; 0 means the default. */
type TimeEstimate = { seconds: number; inARow: number; measured: number };

/** How long calls took in earlier runs of the project: the mean of each task, and of all. */
export type Pace = { calls: number; mean: number; byTask: ReadonlyMap<string, number> };

/** Without earlier runs. */
const defaultCallSeconds = 90;

/** Decisions that are usually contested. */
const usualDebates = 3;

/** How much of a call is answer; the rest is prompt and what the agent reads. */
const answerShare = 0.1;

/** Calls and tokens of a depth, and money where the configuration names models with a price. */
export function estimateOf(
  depth: Depth,
  characters: number,
  roster: readonly AgentSettings[] = [],
  { prices, pace }: { prices?: Readonly<Record<string, Price>> | undefined; pace?: Pace } = {},
): Estimate {
  const spec = specOf(depth);
  const sketches = sketchSeats(spec, depth.sketches).length;
  const argued = depth.dialectic !== 'off' && sketches > 0 && spec.debate.length > 0;
  const debates = argued ? usualDebates : 0;
  const judges = argued ? spec.judge.length * (depth.dialectic === 'binding' ? 2 : 1) : 0;
  const review = spec.review.length + spec.vote.length;
  // The plan and its diagram; a synthesis of sketches; merging findings and working them in.
  const author = 2 + (sketches > 0 ? 1 : 0) + (review > 0 ? 2 : 0);
  const calls = sketches + 2 * debates + judges + review + author;
  const spread = calls * (12_000 + characters / 4);
  const callers = depth.panel === 'solo' ? roster.slice(0, 1) : roster;
  const tokens = Math.round(spread * shareOfModels(callers));
  // Parallel calls take the time of one.
  const inARow = [
    ...(sketches > 0 ? ['sketch', 'synthesis'] : []),
    ...(argued ? ['debate-thesis', 'judge'] : []),
    'plan',
    ...(review > 0 ? ['plan-review', 'merge-findings', 'vote', 'revise-plan'] : []),
    'diagram',
  ];
  return {
    calls,
    tokens,
    ...moneyOf(spread, callers, prices),
    ...(tokens === 0 ? {} : { time: timeOf(inARow, pace) }),
  };
}

function timeOf(tasks: readonly string[], pace: Pace | undefined): TimeEstimate {
  const usual = pace?.mean ?? defaultCallSeconds;
  const seconds = tasks.reduce((sum, task) => sum + (pace?.byTask.get(task) ?? usual), 0);
  return { seconds: Math.round(seconds), inARow: tasks.length, measured: pace?.calls ?? 0 };
}

/** The static agent takes a share of the calls and no tokens. */
function shareOfModels(roster: readonly AgentSettings[]): number {
  if (roster.length === 0) return 1;
  return roster.filter(({ protocol }) => protocol !== 'static').length / roster.length;
}

/** Assumes that the tokens are spread evenly over the agents. */
function moneyOf(
  tokens: number,
  roster: readonly AgentSettings[],
  prices: Readonly<Record<string, Price>> | undefined,
): Pick<Estimate, 'usd' | 'unpriced'> {
  if (roster.length === 0) return {};
  const free: Price = { input: 0, cachedInput: 0, output: 0 };
  const known = roster.map(({ id, protocol, model }) => ({
    id,
    price: protocol === 'static' ? free : priceOf(model, prices),
  }));
  const unpriced = known.filter(({ price }) => price === undefined).map(({ id }) => id);
  if (unpriced.length === roster.length) return { unpriced };
  const each = tokens / roster.length / 1_000_000;
  const usd = known.reduce(
    (sum, { price = free }) => sum + each * (price.input * (1 - answerShare) + price.output * answerShare),
    0,
  );
  return { usd, ...(unpriced.length === 0 ? {} : { unpriced }) };
}

export function addEstimates(estimates: readonly Estimate[]): Estimate {
  const priced = estimates.flatMap(({ usd }) => usd ?? []);
  const unpriced = [...new Set(estimates.flatMap(({ unpriced = [] }) => unpriced))];
  return {
    calls: estimates.reduce((sum, { calls }) => sum + calls, 0),
    tokens: estimates.reduce((sum, { tokens }) => sum + tokens, 0),
    ...(priced.length === 0 ? {} : { usd: priced.reduce((sum, usd) => sum + usd, 0) }),
    ...(unpriced.length === 0 ? {} : { unpriced }),
  };
}

/** One line for people: the estimate, what time and money are based on, and what is unknown. */
export function describeEstimate({ calls, tokens, usd, unpriced = [], time }: Estimate): string {
  const money =
    usd === undefined
      ? 'money unknown'
      : usd === 0
        ? 'no money'
        : `$${usd.toFixed(2)} at list prices of ${listPrices.asOf} or your own`;
  const unknown = unpriced.length === 0 ? '' : `; no price is known for ${unpriced.join(', ')}`;
  const duration = time === undefined ? '' : `${roughly(time.seconds)}, `;
  const basis = time === undefined ? '' : `; time from ${describeBasis(time)}`;
  return `About ${calls} calls, ${tokens === 0 ? 'no' : shortCount(tokens)} tokens, ${duration}${money} (estimated${basis}${unknown}).`;
}

/** Whole minutes from two minutes on: more would look exact. */
function roughly(seconds: number): string {
  return formatElapsed(1000 * (seconds < 120 ? seconds : 60 * Math.round(seconds / 60)));
}

function describeBasis({ inARow, measured }: TimeEstimate): string {
  return measured === 0
    ? `${inARow} calls in a row at ${defaultCallSeconds} s each (no earlier runs here)`
    : `${inARow} calls in a row and ${measured} calls of earlier runs here`;
}
