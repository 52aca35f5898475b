// Draws findings of a severity at random, with the text they are about, for judging by hand:
// `node bench/lint-sample.ts CORPUS [--seed N] [--count 50] [--severity error] [--without OTHER]…`. The same seed draws the same
// findings. Each folder of the corpus is one repository, linted as one root; a package whose SKILL.md is also in OTHER, or was
// met before in the corpus, does not count. The repositories of the published samples: bench/corpus/lint-repositories.json.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { lintPaths } from '../src/skills/lint/lint-paths.ts';
import { findPackages, readPackageFiles } from '../src/skills/package-files.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '50' },
    severity: { type: 'string', default: 'error' },
    without: { type: 'string', multiple: true },
  },
});
const [corpus] = positionals;
if (corpus === undefined || !existsSync(corpus)) throw new Error('Name the folder of repositories.');

const met = new Set((values.without ?? []).flatMap(findPackages).map(hashOf));
const started = performance.now();
const packages = readdirSync(corpus)
  .filter((name) => !name.startsWith('.'))
  .sort()
  .map((repository) => path.join(corpus, repository))
  .filter((root) => findPackages(root).length > 0)
  .flatMap(
    (root) => lintPaths({ paths: [], roots: [path.resolve(root)], cwd: path.resolve(corpus) }).packages,
  )
  .filter((found) => {
    const hash = hashOf(path.resolve(corpus, found.path));
    const isNew = !met.has(hash);
    met.add(hash);
    return isNew;
  });
const seconds = (performance.now() - started) / 1_000;
const findings = packages.flatMap((found) =>
  found.findings
    .filter(({ severity }) => severity === values.severity)
    .map((finding) => ({ found, finding })),
);
const random = mulberry32(Number(values.seed));
for (let last = findings.length - 1; last > 0; last -= 1) {
  const other = Math.floor(random() * (last + 1));
  const [a, b] = [findings[last], findings[other]];
  if (a !== undefined && b !== undefined) [findings[last], findings[other]] = [b, a];
}
const gates: Record<string, number> = {};
for (const { gate } of packages) gates[gate] = (gates[gate] ?? 0) + 1;
console.log(
  `${packages.length} packages ${JSON.stringify(gates)}, ${findings.length} findings, ${seconds.toFixed(1)} s`,
);
for (const [index, { found, finding }] of findings.slice(0, Number(values.count)).entries()) {
  console.log(`\n[${index + 1}] ${finding.rule} ${path.join(found.path, finding.file)}:${finding.line}`);
  console.log(`    ${finding.message}`);
  const file = path.resolve(corpus, found.path, finding.file);
  if (!existsSync(file)) continue;
  const lines = readFileSync(file, 'utf8').split('\n');
  for (let line = Math.max(1, finding.line - 1); line <= Math.min(lines.length, finding.line + 2); line += 1)
    console.log(`    ${line === finding.line ? '>' : ' '} ${line}: ${lines[line - 1]?.slice(0, 220)}`);
}

/** What makes two packages the same: the bytes of their SKILL.md. */
function hashOf(directory: string): string {
  const text = readPackageFiles(directory).texts.get('SKILL.md');
  return createHash('sha256')
    .update(text ?? directory)
    .digest('hex');
}

/** A small generator with a seed: the sample can be drawn again. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
