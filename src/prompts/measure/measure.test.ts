import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { featureDirectory } from '../../../test/support/feature-directory.ts';
import { compilePrompt } from '../compile.ts';
import { compose, seededNonce } from '../part.ts';
import { convertedSites } from '../roles/table.ts';
import { type CorpusFeature, loadCorpusCounter, readCorpus, weighArtifacts } from './corpus.ts';
import { layoutNames, loopShare, siteCost } from './layouts.ts';
import { tokenReport } from './token-report.ts';

const prose = 'The cache keeps every answer for a minute (see `cache.ts`), then asks again.\n'.repeat(60);

async function corpus(more: Parameters<typeof featureDirectory>[0] = {}): Promise<CorpusFeature[]> {
  const { root } = featureDirectory({
    prd: `# PRD\n## Problem Statement\nslow\n## Goals\n- fast\n## Other\n${prose}`,
    spec: `# Spec\n${prose}`,
    design: `# Design\n${prose}### C1: Cache\nx\n`,
    ...more,
  });
  return readCorpus(root);
}

test('the counter for corpora agrees with the tokenizer library', async () => {
  const count = await loadCorpusCounter();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      expect(count(text)).toBe(countTokens(text, { disallowedSpecial: new Set() }));
    }),
  );
  expect(count('<|endoftext|>')).toBe(countTokens('<|endoftext|>', { disallowedSpecial: new Set() }));
});

test('counting by part gives the tokens of the whole prompt', async () => {
  const [feature] = await corpus();
  if (feature === undefined) throw new Error('no feature');
  const count = await loadCorpusCounter();
  const nonce = seededNonce(feature.name);
  const weights = weighArtifacts(feature, nonce, count);
  for (const site of convertedSites) {
    for (const [layout, transport] of [
      ['reference', 'reference'],
      ['lazy-pruned', 'inline'],
    ] as const) {
      const { draft } = compilePrompt({
        dispatch: site,
        files: feature.files,
        prd: feature.prd,
        transport,
        iteration: { iteration: 1, max: 5 },
      });
      const { text } = compose(draft, { nonce });
      const { prompt } = siteCost(layout, site, feature, weights, { nonce, count });
      // The last part ends with one line break instead of a blank line.
      expect(prompt.characters, `${site.role} ${layout}`).toBe(text.length + 1);
      expect(Math.abs(prompt.tokens - countTokens(text)), `${site.role} ${layout}`).toBeLessThanOrEqual(1);
    }
  }
});

test('T-139: prompt and effective figures for every layout, side by side', async () => {
  const report = tokenReport(await corpus(), await loadCorpusCounter());
  expect(report.layouts.map(({ name }) => name)).toEqual([...layoutNames]);
  const of = (name: string) => report.layouts.find((layout) => layout.name === name);
  expect(of('full')).toMatchObject({ promptShare: 1, effectiveShare: 1 });
  expect(of('lazy')?.promptShare).toBeLessThan(0.5);
  expect(of('reference')?.promptShare).toBeLessThan(of('lazy')?.promptShare ?? 0);
  // References move the reading to the agent: the prompt shrinks, what the model takes in does not.
  expect(of('lazy')?.effectiveShare).toBeGreaterThan(1);
  expect(of('full-pruned')?.effectiveShare).toBeLessThan(1);
  expect(report.loops).toHaveLength(12);
  expect(report).toMatchObject({
    features: 1,
    prd: { file: 1, fallback: 0, broken: 0, none: 0 },
    sections: { tasks: 1, referenced: 1, scoped: 1, ambiguous: 0 },
    histories: { entries: 0, lazyLoadWarnings: 0, resumeFallbacks: 0 },
  });
  expect(report.sections).not.toHaveProperty('wrong');
});

test('T-137: four continued rounds of a quarter each are 40 % of five fresh ones', () => {
  expect(loopShare(1000, 250)).toBe(0.4);
  expect(loopShare(1000, 5000)).toBe(1);
  expect(loopShare(0, 10)).toBe(1);
});

test('a feature without some documents is measured as far as they go', async () => {
  const report = tokenReport(
    await corpus({ plan: undefined, tasks: undefined } as never),
    await loadCorpusCounter(),
  );
  expect(report.loops.map(({ command, role }) => `${command}/${role}`)).toEqual([
    'specify/spec-reviewer',
    'specify/phase-reviewer',
    'design/design-reviewer',
    'design/phase-reviewer',
  ]);
});

test('labels of a corpus make wrong sections countable', async () => {
  const { root, directory } = featureDirectory();
  const labels = path.join(directory, 'section-labels.json');
  writeFileSync(labels, '{"1.1": ["1.1 Cache", "C1: Cache"]}');
  const count = await loadCorpusCounter();
  expect(tokenReport(await readCorpus(root), count).sections.wrong).toBe(0);
  writeFileSync(labels, '{"1.1": ["1.2 Other", "C1: Cache"]}');
  expect(tokenReport(await readCorpus(root), count).sections.wrong).toBe(1);
});

test('other folders are not features, and a folder without any is an error', async () => {
  const { root, directory } = featureDirectory();
  mkdirSync(path.join(root, 'docs/features/notes'));
  expect((await readCorpus(root)).map(({ name }) => name)).toEqual([path.basename(directory)]);
  await expect(readCorpus(path.join(root, '.git'))).rejects.toThrow(/no feature directories/);
  await expect(readCorpus(path.join(root, 'nowhere'))).rejects.toThrow(/no feature directories/);
});
