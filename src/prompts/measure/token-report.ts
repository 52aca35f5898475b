import { countIterations, countMarkers, type TokenCount } from '../markers.ts';
import { seededNonce } from '../part.ts';
import type { Dispatch } from '../roles/shapes.ts';
import { convertedSites } from '../roles/table.ts';
import { indexed, parseTasks, type ScopedArtifact, scopeTask, type TaskScope } from '../sections/tasks.ts';
import { type CorpusFeature, rememberingCounter, weighArtifacts } from './corpus.ts';
import {
  assumedChange,
  type LayoutName,
  layoutNames,
  loopShare,
  resumedWeight,
  siteCost,
  sitesOf,
} from './layouts.ts';

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

export type SectionFigures = {
  tasks: number;
  /** Tasks that point at a part of plan or design. */
  referenced: number;
  /** Tasks for which every part they point at was found. */
  scoped: number;
  ambiguous: number;
  /** Only for corpora whose sections are labelled. */
  wrong?: number;
};

/** No real feature has more tasks; a longer file is not measured. */
const mostTasks = 2_000;

/** How many tasks of a corpus get sections instead of whole files. */
export function measureSections(corpus: readonly CorpusFeature[]): SectionFigures {
  const figures = { tasks: 0, referenced: 0, scoped: 0, ambiguous: 0 };
  let wrong: number | undefined;
  for (const { texts, labels } of corpus) {
    const plan = indexed(texts.plan ?? '');
    const design = indexed(texts.design ?? '');
    const tasks = parseTasks(texts.tasks ?? '');
    figures.tasks += tasks.length;
    for (const task of tasks.slice(0, mostTasks)) {
      const scope = scopeTask(task, plan, design);
      const parts = [scope.plan, scope.design];
      if (pointsAnywhere(scope)) figures.referenced += 1;
      if (isScoped(parts)) figures.scoped += 1;
      if (parts.some(isAmbiguous)) figures.ambiguous += 1;
      if (labels !== undefined) wrong = (wrong ?? 0) + (isWrong(parts, labels[task.number] ?? []) ? 1 : 0);
    }
  }
  return wrong === undefined ? figures : { ...figures, wrong };
}

function pointsAnywhere({ references, plan }: TaskScope): boolean {
  return references.some(({ artifact }) => artifact !== 'spec') || plan.kind === 'sections';
}

function isScoped(parts: readonly ScopedArtifact[]): boolean {
  return (
    parts.some(({ kind }) => kind === 'sections') &&
    parts.every((part) => part.kind === 'sections' || part.reason === 'not referenced')
  );
}

function isAmbiguous(part: ScopedArtifact): boolean {
  return part.kind === 'sections' && part.sections.some(({ ambiguous }) => ambiguous);
}

/** A section that was not meant. Finding none where one exists is less good, but not wrong. */
function isWrong(parts: readonly ScopedArtifact[], meant: readonly string[]): boolean {
  return parts.some(
    (part) => part.kind === 'sections' && part.sections.some(({ title }) => !meant.includes(title)),
  );
}
