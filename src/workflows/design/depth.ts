import { CharretteError } from '../../base/errors.ts';
import type { Config } from '../../base/schema/config.ts';
import { type PanelName, panels, type SketchCount } from '../../council/panel/panels.ts';

export type DepthFlags = {
  depth?: string;
  solo?: boolean;
  quick?: boolean;
  panel?: string;
  dialectic?: string;
  sketches?: string;
};

export type Depth = {
  panel: PanelName;
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
export function depthOf(flags: DepthFlags, config: Config, name: DepthName | undefined): Depth {
  const base: Depth = depths[name ?? 'regular'];
  const settings = name === undefined ? config : {};
  const panel = (flags.panel as PanelName | undefined) ?? settings.panel ?? base.panel;
  const own = Math.min(base.quick ? base.sketches : 10, panels[panel].sketches.length);
  const wanted = flags.sketches === undefined ? (settings.sketches ?? own) : Number(flags.sketches);
  const dialectic = (flags.dialectic as Depth['dialectic'] | undefined) ?? settings.dialectic;
  const [canSketch, canArgue] = [panels[panel].sketches.length > 0, panels[panel].debaters.length > 0];
  if (!canSketch && Number(flags.sketches ?? 0) > 0) throw beyond(panel, `--sketches ${flags.sketches}`);
  if (!canArgue && (flags.dialectic ?? 'off') !== 'off')
    throw beyond(panel, `--dialectic ${flags.dialectic}`);
  const sketches = canSketch ? wanted : 0;
  return {
    panel,
    quick: base.quick && sketches !== 4,
    sketches: sketches as SketchCount,
    dialectic: canArgue ? (dialectic ?? base.dialectic) : 'off',
  };
}

function beyond(panel: PanelName, flag: string): CharretteError {
  return new CharretteError({
    code: 'usage',
    message: `${flag} does not go with the panel ${panel}: ${panels[panel].description}.`,
    fix: 'Leave one of the two out, or choose another --panel or --depth.',
  });
}
