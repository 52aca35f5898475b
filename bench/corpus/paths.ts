import type { ArtifactFile, ArtifactKey } from '../../src/prompts/artifacts.ts';
import { type CorpusFeature, type FeatureWeights, weighArtifacts } from '../../src/prompts/measure/corpus.ts';
import { type LayoutName, siteCost, sitesOf } from '../../src/prompts/measure/layouts.ts';
import { seededNonce } from '../../src/prompts/part.ts';

/** What the length of paths does to the lazy layout, of which every reference carries one. Shares are of the full layout. */
export type PathFigures = {
  /** Of the feature directories, in characters. */
  meanPath: number;
  share: number;
  /** The part of it that the documents under review are. */
  targets: number;
  /** What so many characters more in every path add. */
  per20: number;
  /** The mean path with which the share reaches the limit. */
  longest: number;
};

const more = 20;

export function pathFigures(corpus: readonly CorpusFeature[], limit: number): PathFigures {
  const meanPath = corpus.reduce((sum, { directory }) => sum + directory.length, 0) / corpus.length;
  const share = shareOf(corpus);
  const per20 = shareOf(corpus.map((feature) => moved(feature, more))) - share;
  return {
    meanPath,
    share,
    targets: share - shareOf(corpus, true),
    per20,
    longest: meanPath + ((limit - share) / per20) * more,
  };
}

/** Characters of all prompts of the lazy layout against those of the full one. */
function shareOf(corpus: readonly CorpusFeature[], withoutTargets = false): number {
  const count = () => 0;
  let [lazy, full] = [0, 0];
  for (const feature of corpus) {
    const scales = { nonce: seededNonce(feature.name), count };
    const weights = weighArtifacts(feature, scales.nonce, count);
    for (const site of sitesOf(feature)) {
      const characters = (layout: LayoutName, known: FeatureWeights) =>
        siteCost(layout, site, feature, known, scales).prompt.characters;
      full += characters('full', weights);
      lazy += characters('lazy', withoutTargets ? {} : weights);
    }
  }
  return lazy / full;
}

/** The same feature in a directory whose path has so many characters more. */
function moved(feature: CorpusFeature, characters: number): CorpusFeature {
  const prefix = `/${'x'.repeat(characters - 1)}`;
  const files = Object.fromEntries(
    Object.entries(feature.files).map(([key, file]: [string, ArtifactFile]) => [
      key,
      file.kind === 'present' ? { ...file, path: `${prefix}${file.path}` } : file,
    ]),
  ) as Record<ArtifactKey, ArtifactFile>;
  const { prd } = feature;
  return {
    ...feature,
    directory: `${prefix}${feature.directory}`,
    files,
    prd: 'path' in prd ? { ...prd, path: `${prefix}${prd.path}` } : prd,
  };
}
