import { stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { loadExactCounter } from '../../base/text/tokens.ts';
import { type ArtifactKey, artifactKeys, sideFiles } from '../artifacts.ts';
import { archiveDirectory } from '../feature/archive.ts';
import { directoriesIn } from '../feature/select.ts';
import { type FeatureFiles, readFeature } from '../feature-files.ts';
import type { TokenCount } from '../markers.ts';

/** Words repeat: a corpus of millions of words has tens of thousands of different ones. */
const mostRemembered = 200_000;

/**
 * The exact counter for large amounts of text. The vocabulary never joins what the library's own pattern splits, so
 * every piece is counted once and remembered.
 */
export async function loadCorpusCounter(): Promise<TokenCount> {
  const [exact, { O200K_TOKEN_SPLIT_REGEX: pattern }] = await Promise.all([
    loadExactCounter(),
    import('gpt-tokenizer/encodingParams/constants'),
  ]);
  const known = new Map<string, number>();
  const splitter = new RegExp(pattern.source, 'gu');
  return (text) => {
    let total = 0;
    for (const piece of text.match(splitter) ?? []) {
      let tokens = known.get(piece);
      if (tokens === undefined) {
        tokens = exact(piece);
        if (known.size < mostRemembered) known.set(piece, tokens);
      }
      total += tokens;
    }
    return total;
  };
}

/** A feature of a corpus with everything that is measured. */
export type CorpusFeature = FeatureFiles & {
  name: string;
  /** Texts that can be read, the PRD from wherever it was found. */
  texts: Readonly<Partial<Record<ArtifactKey, string>>>;
  history: string;
  /** Which headings a task's references mean, where somebody wrote it down. */
  labels?: Readonly<Record<string, readonly string[]>>;
};

/** Written by the generator of synthetic corpora, so that wrong sections can be counted. */
export const labelsFile = 'section-labels.json';

/** Every feature directory in a folder; `docs/features` inside it counts as the folder. */
export async function readCorpus(directory: string): Promise<CorpusFeature[]> {
  const root = await featuresIn(directory);
  const features: CorpusFeature[] = [];
  for (const name of await directoriesIn(root)) {
    const feature = await readCorpusFeature(path.join(root, name), name);
    if (feature !== undefined) features.push(feature);
  }
  if (features.length > 0) return features;
  throw new CharretteError({
    code: 'not-found',
    message: `${root} has no feature directories (folders with spec.md, design.md, plan.md, tasks.md or .meta.json).`,
    fix: 'Name a folder of feature directories with --corpus.',
  });
}

async function featuresIn(directory: string): Promise<string> {
  for (const candidate of ['docs/features', 'features']) {
    const nested = path.join(directory, candidate);
    const facts = await stat(nested).catch(() => undefined);
    if (facts?.isDirectory() === true) return nested;
  }
  return directory;
}

async function readCorpusFeature(directory: string, name: string): Promise<CorpusFeature | undefined> {
  const feature = await readFeature(directory);
  const known = artifactKeys.some((key) => feature.files[key].kind === 'present');
  if (!known && feature.meta.problems.includes('.meta.json is missing')) return undefined;
  const texts: Partial<Record<ArtifactKey, string>> = {};
  for (const key of artifactKeys) {
    const file = feature.files[key];
    if (file.kind === 'present' && file.text !== undefined) texts[key] = file.text;
  }
  if (feature.prd.kind === 'fallback') {
    const text = await readQuietly(feature.prd.path);
    if (text !== undefined) texts.prd = text;
  }
  const history =
    (await readQuietly(path.join(directory, sideFiles.history))) ??
    (await readQuietly(
      path.join(archiveDirectory(path.resolve(directory, '../../..'), directory), sideFiles.history),
    )) ??
    '';
  const labels = readLabels(await readQuietly(path.join(directory, labelsFile)));
  return { ...feature, name, texts, history, ...(labels === undefined ? {} : { labels }) };
}

function readLabels(text: string | undefined): Record<string, string[]> | undefined {
  const reading = text === undefined ? undefined : readJson(text);
  if (reading?.ok !== true || !isRecord(reading.value)) return undefined;
  return Object.fromEntries(
    Object.entries(reading.value).map(([task, titles]) => [
      task,
      Array.isArray(titles) ? titles.map(String) : [],
    ]),
  );
}

async function readQuietly(file: string): Promise<string | undefined> {
  try {
    return await readTextFile(file);
  } catch {
    return undefined;
  }
}
