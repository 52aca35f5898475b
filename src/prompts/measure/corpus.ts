import { stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { outline, sectionText } from '../../base/markdown/sections.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { countLines } from '../../base/text/diff.ts';
import { loadExactCounter } from '../../base/text/tokens.ts';
import { type ArtifactKey, artifactKeys, sideFiles } from '../artifacts.ts';
import { archiveDirectory } from '../feature/archive.ts';
import { directoriesIn } from '../feature/select.ts';
import { type FeatureFiles, readFeature } from '../feature-files.ts';
import type { TokenCount } from '../markers.ts';
import { compose, type NonceSource, type PromptDraft, renderPart, separator } from '../part.ts';
import { inlineArtifactPart } from '../required-artifacts.ts';

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
  /** The headings that a task's references mean, if annotated. */
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

export type Weight = { characters: number; tokens: number };

/** What one artifact weighs inside a prompt, and as a file that an agent reads. */
export type ArtifactWeight = { inline: Weight; readTokens: number };

export type FeatureWeights = Readonly<Partial<Record<ArtifactKey | 'prd-sections', ArtifactWeight>>>;

/** An agent that reads a file sees a number before each line: seven characters, at four characters a token. */
const lineNumberTokens = 7 / 4;

export const noWeight: Weight = { characters: 0, tokens: 0 };

export function add(...weights: readonly Weight[]): Weight {
  return weights.reduce(
    (sum, { characters, tokens }) => ({
      characters: sum.characters + characters,
      tokens: sum.tokens + tokens,
    }),
    noWeight,
  );
}

/** Remembers counts: the same rubric is in every feature. */
export function rememberingCounter(count: TokenCount): TokenCount {
  const known = new Map<string, number>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const tokens = count(text);
    if (text.length < 10_000) known.set(text, tokens);
    return tokens;
  };
}

/**
 * Parts can be counted one by one when each is taken with the blank line after it: no token of the vocabulary reaches
 * from a line break into the `#`, `<` or letter that begins the next part.
 */
export function weighText(text: string, count: TokenCount): Weight {
  return { characters: text.length + separator.length, tokens: count(`${text}${separator}`) };
}

/** A prompt without large texts. */
export function weighDraft(draft: PromptDraft, nonce: NonceSource, count: TokenCount): Weight {
  return add(...compose(draft, { nonce }).parts.map(({ text }) => weighText(text, count)));
}

/** Weighs every artifact of a feature once. */
export function weighArtifacts(
  feature: CorpusFeature,
  nonce: NonceSource,
  count: TokenCount,
): FeatureWeights {
  const weights: Partial<Record<ArtifactKey | 'prd-sections', ArtifactWeight>> = {};
  for (const key of artifactKeys) {
    const text = feature.texts[key];
    if (text === undefined) continue;
    weights[key] = weighArtifact(key, text, nonce, count);
  }
  const sections = prdSections(feature.texts.prd ?? '');
  if (sections !== '') weights['prd-sections'] = weighArtifact('prd', sections, nonce, count);
  return weights;
}

function weighArtifact(
  key: ArtifactKey,
  text: string,
  nonce: NonceSource,
  count: TokenCount,
): ArtifactWeight {
  const inline = weighText(renderPart(inlineArtifactPart(key, text), 'changing', nonce).text, count);
  const around = weighText(renderPart(inlineArtifactPart(key, ''), 'changing', nonce).text, count);
  const own = Math.max(0, inline.tokens - around.tokens);
  return { inline, readTokens: own + countLines(text) * lineNumberTokens };
}

/** T-019, T-054: before references, one role was given these two sections instead of the PRD. */
function prdSections(prd: string): string {
  return outline(prd)
    .filter(({ title }) => /^(?:problem statement|goals)\b/i.test(title))
    .map((section) => sectionText(prd, section))
    .join('\n');
}
