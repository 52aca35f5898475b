// What lean prompts must hold, on the synthetic corpus or any other: `node bench/prompts.ts [CORPUS]`. Exit 1 when a share does not.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compilePrompt } from '../src/prompts/compile.ts';
import { readFeature } from '../src/prompts/feature-files.ts';
import type { TokenCount } from '../src/prompts/markers.ts';
import {
  type CorpusFeature,
  loadCorpusCounter,
  readCorpus,
  weighArtifacts,
} from '../src/prompts/measure/corpus.ts';
import { siteCost, sitesOf } from '../src/prompts/measure/layouts.ts';
import { type TokenReport, tokenReport } from '../src/prompts/measure/token-report.ts';
import { compose, seededNonce } from '../src/prompts/part.ts';
import { guardResume } from '../src/prompts/resume/decide.ts';
import { deltaSince, takeSnapshot } from '../src/prompts/resume/state.ts';
import { resumedReview } from '../src/prompts/resume/templates.ts';
import { dispatchFor } from '../src/prompts/roles/table.ts';
import { calibrate, calibrationLine, median, sample, table } from './calibration.ts';
import { generateCorpus } from './corpus/generate.ts';
import { pathFigures } from './corpus/paths.ts';
import { seededRandom } from './corpus/random.ts';
import { revise, revisionMedians } from './corpus/revise.ts';

/** Of the full layout's text. */
const lazyLimit = 0.11;
const [given] = process.argv.slice(2);
const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-bench-'));

try {
  if (given === undefined) generateCorpus(workspace);
  const directory = given ?? workspace;
  const count = await loadCorpusCounter();
  const started = performance.now();
  const corpus = await readCorpus(directory);
  const report = tokenReport(corpus, count);
  const reportMs = performance.now() - started;
  const label = given === undefined ? 'synthetic corpus' : 'given corpus';
  const held = figures(report, guardTrips(corpus, count));
  if (held.some((row) => row.at(-1) === 'FAILS')) process.exitCode = 1;
  const lines = [
    calibrationLine(calibrate()),
    `${label}: ${report.features} features`,
    '',
    table([['must hold', 'limit', 'measured', ''], ...held]),
    '',
    table([['lazy layout and the length of paths', 'measured'], ...paths(corpus)]),
    '',
    table([['speed', 'limit', 'measured'], ...(await speed(corpus, reportMs))]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
} finally {
  rmSync(workspace, { recursive: true, force: true });
}

function figures(report: TokenReport, guard: { trips: number; of: number }): string[][] {
  const layout = (name: string) => report.layouts.find((row) => row.name === name);
  const worst = report.loops.reduce((most, row) => (row.newTokensShare > most.newTokensShare ? row : most));
  const { tasks, scoped, wrong } = report.sections;
  const rows: [string, number, number][] = [
    ['prompt text, lazy layout', lazyLimit, layout('lazy')?.promptShare ?? 1],
    ['prompt text, all by reference', 0.02, layout('reference')?.promptShare ?? 1],
    ['effective cost, pruned inline', 0.9, layout('full-pruned')?.effectiveShare ?? 1],
    [`five-round loop, worst (${worst.command} ${worst.role})`, 0.41, worst.newTokensShare],
    [`guard trips, ${guard.of} synthetic revisions`, 0.11, guard.trips / guard.of],
  ];
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
  return [
    ...rows.map(([name, limit, value]) => [
      name,
      `≤ ${percent(limit)}`,
      percent(value),
      value <= limit ? 'holds' : 'FAILS',
    ]),
    ['tasks with sections', '≥ 25.00 %', percent(scoped / tasks), scoped / tasks >= 0.25 ? 'holds' : 'FAILS'],
    [
      'wrong sections',
      '0',
      wrong === undefined ? 'not labelled' : String(wrong),
      (wrong ?? 0) === 0 ? 'holds' : 'FAILS',
    ],
  ];
}

function paths(corpus: readonly CorpusFeature[]): string[][] {
  const { meanPath, share, targets, per20, longest } = pathFigures(corpus, lazyLimit);
  const points = (value: number) => `${(value * 100).toFixed(2)} points`;
  return [
    ['mean path of a feature directory', `${meanPath.toFixed(0)} characters`],
    ['share of the full layout', points(share)],
    ['of these the documents under review', points(targets)],
    ['20 characters more in every path', points(per20)],
    [
      `mean path with which ${(lazyLimit * 100).toFixed(1)} % are reached`,
      `${longest.toFixed(0)} characters`,
    ],
  ];
}

/** Revisions of the size that was recorded, against what a fresh call would cost (lean/C-01, lean/C-02). */
function guardTrips(corpus: readonly CorpusFeature[], count: TokenCount): { trips: number; of: number } {
  const random = seededRandom(31);
  const roles = { spec: 'specify', design: 'design', plan: 'plan', tasks: 'tasks' } as const;
  const names = {
    spec: 'spec-reviewer',
    design: 'design-reviewer',
    plan: 'plan-reviewer',
    tasks: 'task-reviewer',
  } as const;
  let [trips, of] = [0, 0];
  for (const feature of corpus) {
    const nonce = seededNonce(feature.name);
    const weights = weighArtifacts(feature, nonce, count);
    for (const key of ['spec', 'design', 'plan', 'tasks'] as const) {
      const text = feature.texts[key];
      const site = dispatchFor(roles[key], names[key]);
      if (text === undefined || !sitesOf(feature).includes(site)) continue;
      const after = revise(random, text, random.size(revisionMedians[key], 0.7));
      const delta = deltaSince(takeSnapshot({ [key]: text }), { [key]: after });
      if (delta.kind === 'same') continue;
      of += 1;
      if (delta.kind === 'too-large') {
        trips += 1;
        continue;
      }
      const fixSummary = 'What was fixed, in a sentence or two. '.repeat(8);
      const message = compose(resumedReview({ dispatch: site, delta, fixSummary, iteration: 2, max: 5 }), {
        nonce,
      }).text;
      const fresh = siteCost('reference', site, feature, weights, { nonce, count });
      const reads = fresh.effectiveTokens - fresh.prompt.tokens;
      if (
        guardResume({ resumedTokens: count(message), promptTokens: fresh.prompt.tokens, readTokens: reads })
          .trips
      )
        trips += 1;
    }
  }
  return { trips, of };
}

async function speed(corpus: readonly CorpusFeature[], reportMs: number): Promise<string[][]> {
  const feature =
    corpus.find(({ prd, texts }) => prd.kind === 'path' && texts.tasks !== undefined) ?? corpus[0];
  if (feature === undefined) throw new Error('the corpus is empty');
  const dispatch = dispatchFor('implement', 'implementation-reviewer');
  const nonce = seededNonce(feature.name);
  const compile = (files: typeof feature.files) =>
    compose(
      compilePrompt({
        dispatch,
        files,
        prd: feature.prd,
        transport: 'reference',
        iteration: { iteration: 1, max: 5 },
      }).draft,
      { nonce },
    );
  sample(200, () => void compile(feature.files));
  const pure = median(sample(500, () => void compile(feature.files)));
  const whole: number[] = [];
  for (let round = 0; round < 60; round += 1) {
    const begun = performance.now();
    compile((await readFeature(feature.directory)).files);
    whole.push(performance.now() - begun);
  }
  return [
    ['compile one prompt, files read', '≤ 3 ms', `${median(whole.slice(10)).toFixed(2)} ms`],
    ['compile one prompt, files known', '', `${pure.toFixed(3)} ms`],
    [`report over ${corpus.length} features`, '≤ 5000 ms', `${reportMs.toFixed(0)} ms`],
  ];
}
