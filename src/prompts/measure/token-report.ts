import type { TokenCount } from '../markers.ts';
import { countIterations, countMarkers } from '../markers.ts';
import type { Dispatch } from '../roles/shapes.ts';
import { convertedSites } from '../roles/table.ts';
import { seededNonce } from '../untrusted.ts';
import type { CorpusFeature } from './corpus.ts';
import {
  assumedChange,
  type LayoutName,
  layoutNames,
  loopShare,
  resumedWeight,
  siteCost,
  sitesOf,
} from './layouts.ts';
import { measureSections, type SectionFigures } from './section-figures.ts';
import { rememberingCounter, weighArtifacts } from './weigh.ts';

export type LayoutFigures = {
  name: LayoutName;
  promptChars: number;
  promptTokens: number;
  effectiveTokens: number;
  promptShare: number;
  effectiveShare: number;
};

export type TokenReport = {
  features: number;
  prd: { file: number; fallback: number; broken: number; none: number };
  layouts: readonly LayoutFigures[];
  loops: readonly { command: string; role: string; newTokensShare: number }[];
  sections: SectionFigures;
  histories: { entries: number; lazyLoadWarnings: number; resumeFallbacks: number };
  /** Which numbers were counted and which estimated. */
  basis: Readonly<Record<string, string>>;
};

const basis = {
  promptChars: 'counted',
  promptTokens: 'o200k, counted by part; the resumed layout estimates its delta at four characters a token',
  effectiveTokens:
    'estimated: counted tokens of the files to read, plus seven characters of line number a line',
  loops: 'estimated: mean cost of a fresh call over the corpus, median size of recorded revisions',
} as const;

/** §4C, T-139: what every layout costs over a corpus, prompt and effective always side by side. */
export function tokenReport(corpus: readonly CorpusFeature[], countTokens: TokenCount): TokenReport {
  const count = rememberingCounter(countTokens);
  const sums = new Map<LayoutName, { chars: number; tokens: number; effective: number }>(
    layoutNames.map((name) => [name, { chars: 0, tokens: 0, effective: 0 }]),
  );
  const fresh = new Map<Dispatch, { tokens: number; calls: number }>();
  for (const feature of corpus) {
    const scales = { nonce: seededNonce(feature.name), count };
    const weights = weighArtifacts(feature, scales.nonce, count);
    for (const site of sitesOf(feature)) {
      for (const [name, sum] of sums) {
        const { prompt, effectiveTokens } = siteCost(name, site, feature, weights, scales);
        sum.chars += prompt.characters;
        sum.tokens += prompt.tokens;
        sum.effective += effectiveTokens;
        if (name === 'reference') addFresh(fresh, site, effectiveTokens);
      }
    }
  }
  return {
    features: corpus.length,
    prd: prdFigures(corpus),
    layouts: layoutFigures(sums),
    loops: loopFigures(fresh, count),
    sections: measureSections(corpus),
    histories: historyFigures(corpus),
    basis,
  };
}

function addFresh(
  fresh: Map<Dispatch, { tokens: number; calls: number }>,
  site: Dispatch,
  tokens: number,
): void {
  const earlier = fresh.get(site) ?? { tokens: 0, calls: 0 };
  fresh.set(site, { tokens: earlier.tokens + tokens, calls: earlier.calls + 1 });
}

function layoutFigures(
  sums: ReadonlyMap<LayoutName, { chars: number; tokens: number; effective: number }>,
): LayoutFigures[] {
  const full = sums.get('full') ?? { chars: 0, tokens: 0, effective: 0 };
  const share = (value: number, whole: number) => (whole === 0 ? 0 : value / whole);
  return [...sums].map(([name, { chars, tokens, effective }]) => ({
    name,
    promptChars: chars,
    promptTokens: tokens,
    effectiveTokens: Math.round(effective),
    promptShare: share(chars, full.chars),
    effectiveShare: share(effective, full.effective),
  }));
}

function loopFigures(fresh: ReadonlyMap<Dispatch, { tokens: number; calls: number }>, count: TokenCount) {
  const scales = { nonce: seededNonce('loop'), count };
  return convertedSites
    .filter((site) => site.resumable && fresh.has(site))
    .map((site) => {
      const { tokens, calls } = fresh.get(site) ?? { tokens: 0, calls: 1 };
      const resumed = resumedWeight(site, assumedChange(site), scales).tokens;
      return { command: site.command, role: site.role, newTokensShare: loopShare(tokens / calls, resumed) };
    });
}

function prdFigures(corpus: readonly CorpusFeature[]): TokenReport['prd'] {
  const of = (kind: CorpusFeature['prd']['kind']) => corpus.filter(({ prd }) => prd.kind === kind).length;
  return { file: of('path'), fallback: of('fallback'), broken: of('broken'), none: of('none') };
}

function historyFigures(corpus: readonly CorpusFeature[]): TokenReport['histories'] {
  let [entries, lazyLoadWarnings, resumeFallbacks] = [0, 0, 0];
  for (const { history } of corpus) {
    const markers = countMarkers(history);
    entries += countIterations(history);
    lazyLoadWarnings += markers.lazyLoadWarnings;
    resumeFallbacks += markers.resumeFallbacks;
  }
  return { entries, lazyLoadWarnings, resumeFallbacks };
}
