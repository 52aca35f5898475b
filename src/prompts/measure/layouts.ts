import { type ArtifactKey, artifacts } from '../artifacts.ts';
import { compilePrompt } from '../compile.ts';
import { iterationPart } from '../dispatch-log.ts';
import type { TokenCount } from '../markers.ts';
import { compose, type NonceSource, type PromptDraft, untrustedRule } from '../part.ts';
import { hardArtifacts } from '../required-artifacts.ts';
import { resumedFix, resumedReview } from '../resume/templates.ts';
import type { Dispatch } from '../roles/shapes.ts';
import { convertedSites } from '../roles/table.ts';
import {
  add,
  type CorpusFeature,
  type FeatureWeights,
  noWeight,
  type Weight,
  weighDraft,
  weighText,
} from './corpus.ts';

/**
 * What changes between two rounds of a review, in characters: medians of 505 recorded revisions of specifications,
 * designs, plans and task lists, as diffs with one line of context. Code fixes were recorded with three lines.
 */
type RoundChange = { deltaCharacters: number; fixSummaryCharacters: number };

const deltaCharacters: Readonly<Record<string, { domain: number; phase: number }>> = {
  specify: { domain: 3_900, phase: 1_800 },
  design: { domain: 3_100, phase: 1_400 },
  plan: { domain: 3_600, phase: 1_900 },
  tasks: { domain: 3_700, phase: 2_800 },
  implement: { domain: 3_100, phase: 3_100 },
};

const fixSummaryCharacters = 300;

export function assumedChange(site: Dispatch): RoundChange {
  const row = deltaCharacters[site.command] ?? { domain: 3_600, phase: 1_900 };
  return {
    deltaCharacters: site.phaseReview === true ? row.phase : row.domain,
    fixSummaryCharacters,
  };
}

/** Diffs and summaries are prose and code like the artifacts. */
const charactersPerToken = 4;

/** The message that continues a session, with a change of the given size. */
export function resumedWeight(
  site: Dispatch,
  change: RoundChange,
  { nonce, count }: { nonce: NonceSource; count: TokenCount },
): Weight {
  const frame = compose(
    site.role === 'implementer'
      ? resumedFix({ issues: ' ', changedFiles: [], allFiles: [], iteration: 2, max: 5 })
      : resumedReview({
          dispatch: site,
          delta: { kind: 'delta', stat: 'artifact.md | +20 -10', text: ' ' },
          fixSummary: '-',
          iteration: 2,
          max: 5,
        }),
    { nonce },
  ).text;
  const characters = change.deltaCharacters + change.fixSummaryCharacters;
  return {
    characters: frame.length + characters,
    tokens: count(frame) + Math.ceil(characters / charactersPerToken),
  };
}

/** T-137: five rounds, the first fresh and four continued, against five fresh ones, in new tokens. */
export function loopShare(freshTokens: number, resumedTokens: number, rounds = 5): number {
  if (freshTokens === 0) return 1;
  const continued = Math.min(resumedTokens, freshTokens);
  return (freshTokens + (rounds - 1) * continued) / (rounds * freshTokens);
}

/** Ways to get documents to an agent, from everything in the prompt to only what changed. */
export const layoutNames = ['full', 'full-pruned', 'lazy', 'lazy-pruned', 'reference', 'resumed'] as const;
export type LayoutName = (typeof layoutNames)[number];

/** The prompt itself, and with what the agent reads because of it. */
type SiteCost = { prompt: Weight; effectiveTokens: number };

type Scales = { nonce: NonceSource; count: TokenCount };

/** Calls of one pass that a feature has the documents for. */
export function sitesOf(feature: CorpusFeature): Dispatch[] {
  return convertedSites.filter((site) =>
    hardArtifacts[site.command]
      .filter((key) => [...site.unpruned, site.target].includes(key))
      .every((key) => feature.texts[key] !== undefined),
  );
}

/** What one call costs in one layout. */
export function siteCost(
  layout: LayoutName,
  site: Dispatch,
  feature: CorpusFeature,
  weights: FeatureWeights,
  scales: Scales,
): SiteCost {
  switch (layout) {
    case 'full':
      return embedded(site, fullKeys(site), feature, weights, scales);
    case 'full-pruned':
      return embedded(site, site.required, feature, weights, scales);
    case 'lazy':
      return referenced({ ...site, required: site.unpruned }, true, feature, weights, scales);
    case 'lazy-pruned':
      return referenced(site, true, feature, weights, scales);
    case 'reference':
      return referenced(site, false, feature, weights, scales);
    case 'resumed': {
      if (!site.resumable) return referenced(site, false, feature, weights, scales);
      const prompt = resumedWeight(site, assumedChange(site), scales);
      return { prompt, effectiveTokens: prompt.tokens };
    }
  }
}

type WeightKey = ArtifactKey | 'prd-sections';

/** T-024: the test outliner had two sections of the PRD, everybody else the whole. */
function fullKeys(site: Dispatch): WeightKey[] {
  return site.role === 'test-deepener'
    ? site.unpruned.map((key) => (key === 'prd' ? 'prd-sections' : key))
    : [...site.unpruned];
}

function embedded(
  site: Dispatch,
  keys: readonly WeightKey[],
  feature: CorpusFeature,
  weights: FeatureWeights,
  { nonce, count }: Scales,
): SiteCost {
  const { draft } = compilePrompt({ ...callOf(site, feature), transport: 'reference' });
  const bare: PromptDraft = {
    ...draft,
    fixed: draft.fixed.filter(({ name }) => name !== 'required-artifacts' && name !== 'target'),
    changing: [iterationPart({ iteration: 1, max: 5 })],
  };
  const all = [...keys, ...(site.target === undefined ? [] : [site.target])];
  const prompt = add(
    weighDraft(bare, nonce, count),
    weighText(untrustedRule, count),
    ...all.map((key) => weights[key]?.inline ?? absentPrd(key, count)),
  );
  return { prompt, effectiveTokens: prompt.tokens };
}

/** A feature without a PRD says so in the prompt. */
function absentPrd(key: WeightKey, count: TokenCount): Weight {
  if (key !== 'prd') return noWeight;
  const text = `## ${artifacts.prd.label}\nNone`;
  return { characters: text.length, tokens: count(text) };
}

function referenced(
  site: Dispatch,
  inlineTarget: boolean,
  feature: CorpusFeature,
  weights: FeatureWeights,
  { nonce, count }: Scales,
): SiteCost {
  const { draft } = compilePrompt({ ...callOf(site, feature), transport: 'reference' });
  const inline = inlineTarget && site.target !== undefined ? site.target : undefined;
  const shown = inline === undefined ? draft : withoutTargetLine(draft);
  const own = weighDraft(shown, nonce, count);
  const prompt =
    inline === undefined
      ? own
      : add(own, weighText(untrustedRule, count), weights[inline]?.inline ?? noWeight);
  const read = [
    ...site.required,
    ...(inline === undefined && site.target !== undefined ? [site.target] : []),
  ];
  const reads = read.reduce((sum, key) => sum + (weights[key]?.readTokens ?? 0), 0);
  return { prompt, effectiveTokens: prompt.tokens + reads };
}

/** An inline target is not a file to read. */
function withoutTargetLine(draft: PromptDraft): PromptDraft {
  return { ...draft, fixed: draft.fixed.filter(({ name }) => name !== 'target') };
}

function callOf(site: Dispatch, feature: CorpusFeature) {
  return {
    dispatch: site,
    files: feature.files,
    prd: feature.prd,
    iteration: { iteration: 1, max: 5 },
  };
}
