import { CharretteError } from '../../errors.ts';
import type { Config } from '../../schema/config.ts';

export type DepthFlags = {
  depth?: string;
  solo?: boolean;
  quick?: boolean;
  dialectic?: string;
  sketches?: string;
};

export type Depth = {
  solo: boolean;
  quick: boolean;
  sketches: 0 | 2 | 4;
  dialectic: 'off' | 'advisory' | 'binding';
};

/** What each depth sets; an explicit flag wins. */
const depths = {
  solo: { solo: true, quick: true, sketches: 0, dialectic: 'off' },
  quick: { solo: false, quick: true, sketches: 2, dialectic: 'binding' },
  regular: { solo: false, quick: false, sketches: 4, dialectic: 'binding' },
} as const satisfies Record<string, Depth>;

export function depthOf(flags: DepthFlags, config: Config): Depth {
  const named = [
    ...(flags.depth === undefined ? [] : [flags.depth]),
    ...(flags.solo === true ? ['solo'] : []),
    ...(flags.quick === true ? ['quick'] : []),
  ];
  const [name = config.panel === 'solo' ? 'solo' : 'regular', other] = [...new Set(named)];
  if (other !== undefined) {
    throw new CharretteError({
      code: 'usage',
      message: `Two depths were asked for: ${name} and ${other}.`,
      fix: 'Choose one of --depth, --solo and --quick.',
    });
  }
  const depth: Depth = depths[name as keyof typeof depths];
  const sketches =
    flags.sketches === undefined ? config.sketches : (Number(flags.sketches) as Depth['sketches']);
  const dialectic =
    (flags.dialectic as Depth['dialectic'] | undefined) ?? (depth.solo ? undefined : config.dialectic);
  return {
    ...depth,
    ...(sketches === undefined || (depth.solo && flags.sketches === undefined) ? {} : { sketches }),
    ...(dialectic === undefined ? {} : { dialectic }),
  };
}

/** Calls and tokens before anything ran; a rough figure, and called one. */
export function estimateOf(depth: Depth, characters: number): { calls: number; tokens: number } {
  const debates = depth.dialectic === 'off' || depth.sketches === 0 ? 0 : 3;
  const judges = debates === 0 ? 0 : depth.dialectic === 'binding' ? 6 : 3;
  const panel = depth.solo ? 0 : 4 + 3;
  const author = depth.solo ? 2 : 5;
  const calls = depth.sketches + 2 * debates + judges + panel + author;
  return { calls, tokens: Math.round(calls * (12_000 + characters / 4)) };
}
