// Converts commands and skills of public repositories, lints the packages and prints Markdown tables:
// `node bench/convert-corpus.ts CLONES [--list bench/corpus/convert-sources.json] [--set NAME] [--keep DIRECTORY]`. CLONES is a folder
// with one clone or bare repository per entry of the list, named `owner+name`.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { parseDocument } from '../src/base/markdown/parse.ts';
import { isRecord, parseJson } from '../src/base/safe-json.ts';
import { runProgram } from '../src/main/program.ts';
import { sectionNames } from '../src/skills/generate/skill-markdown.ts';
import { lintPaths } from '../src/skills/lint/lint-paths.ts';
import { countInherited, countOf } from '../src/skills/lint/rule.ts';
import { findPackages, readPackageFiles } from '../src/skills/package-files.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: {
      type: 'string',
      default: fileURLToPath(new URL('corpus/convert-sources.json', import.meta.url)),
    },
    set: { type: 'string' },
    keep: { type: 'string' },
  },
});
const [clones] = positionals;
if (clones === undefined) throw new Error('Name the folder with the clones.');

const listSchema = z.record(
  z.string(),
  z.strictObject({
    /** Sources per repository; default: all. */
    sample: z.int().positive().optional(),
    repositories: z.array(z.strictObject({ repository: z.string(), commit: z.string() })),
  }),
);
const sets = listSchema.parse(parseJson(readFileSync(values.list, 'utf8'), values.list));
const work = values.keep ?? mkdtempSync(path.join(tmpdir(), 'charrette-convert-'));

type Result = {
  source: string;
  lines: number;
  /** `converted`, `updated` (it has phase files already), or the code of the error. */
  outcome: string;
  phases: number;
  gate: string;
  errors: number;
  warnings: number;
  inherited: number;
  lost: number;
  /** Sentinels that count 0 steps, and sections of the template that SKILL.md has more than once. */
  empty: number;
  repeated: number;
};

for (const [name, { sample, repositories }] of Object.entries(sets)) {
  if (values.set !== undefined && values.set !== name) continue;
  const each: string[] = [];
  const sums: string[] = [];
  for (const { repository, commit } of repositories) {
    const folder = repository.replace('/', '+');
    const root = checkout(path.join(clones, folder), commit, path.join(work, name, `${folder}-${commit}`));
    const results: Result[] = [];
    for (const source of sourcesOf(root)) {
      if (sample !== undefined && results.length >= sample) break;
      const result = await convert(root, source, path.join(`${root}-made`, String(results.length)));
      // A sample is of what can be converted: text with phases that is not a package yet.
      if (
        sample === undefined ||
        (result.outcome !== 'usage' && result.outcome !== 'updated' && result.phases > 1)
      )
        results.push(result);
    }
    const place = `${repository} | ${commit.slice(0, 8)}`;
    for (const { source, lines, outcome, phases, gate, errors, warnings, inherited, lost } of results)
      each.push(
        `| ${place} | ${source} | ${lines} | ${outcome === 'converted' ? phases : outcome} | ${gate} | ${errors}/${warnings}/${inherited} | ${lost} |`,
      );
    for (const kind of ['converted', 'updated']) {
      const some = results.filter(({ outcome }) => outcome === kind);
      const sum = (of: (result: Result) => number) => some.reduce((total, result) => total + of(result), 0);
      const gates = ['PASS', 'REVIEW', 'FAIL'].map((gate) => sum((result) => (result.gate === gate ? 1 : 0)));
      const counts = [some.length, sum(({ lines }) => lines), sum(({ lost }) => lost), ...gates];
      const faults = [
        sum(({ empty }) => empty),
        sum(({ repeated }) => repeated),
        sum(({ inherited }) => inherited),
      ];
      if (some.length > 0) sums.push(`| ${place} | ${kind} | ${[...counts, ...faults].join(' | ')} |`);
    }
    const others = results.filter(({ outcome }) => outcome !== 'converted' && outcome !== 'updated');
    for (const code of new Set(others.map(({ outcome }) => outcome)))
      sums.push(
        `| ${place} | ${code} | ${others.filter(({ outcome }) => outcome === code).length} | | | | | | | | |`,
      );
  }
  console.log(`\n### ${name}\n`);
  console.log(
    sample === undefined
      ? `| repository | revision | outcome | sources | lines | lost | PASS | REVIEW | FAIL | sentinels of 0 steps | repeated sections | inherited |\n|${'---|'.repeat(12)}\n${sums.join('\n')}`
      : `| repository | revision | path | lines | phases | gate | errors/warnings/inherited | lost |\n|${'---|'.repeat(8)}\n${each.join('\n')}`,
  );
}
if (values.keep === undefined) rmSync(work, { recursive: true, force: true });

function checkout(clone: string, commit: string, into: string): string {
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  // Only text: a clone may be without its largest files.
  const texts = ['md', 'json', 'sh', 'py', 'js', 'ts', 'yaml', 'yml'].map((end) => `:(glob)**/*.${end}`);
  const names = spawnSync('git', ['-C', clone, 'ls-tree', '-r', '--name-only', commit], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  const found = texts.filter((glob) => new RegExp(`\\.${glob.split('.').at(-1)}"?$`, 'm').test(names.stdout));
  const archive = spawnSync('git', ['-C', clone, 'archive', commit, '--', ...found], { maxBuffer: 2 ** 31 });
  if (archive.status !== 0) throw new Error(`${clone}: ${String(archive.stderr)}`);
  spawnSync('tar', ['x', '-C', into], { input: archive.stdout });
  return into;
}

/** Commands are Markdown files below a folder `commands`; skills are packages. Ordered by a hash, which no one chose. */
function sourcesOf(root: string): string[] {
  const commands = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md') && !/^readme/i.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => /[/\\]commands[/\\]/.test(file.slice(root.length)) && !file.includes('node_modules'));
  const rank = (source: string) => createHash('sha256').update(path.relative(root, source)).digest('hex');
  return [...commands, ...findPackages(root)].sort((a, b) => rank(a).localeCompare(rank(b)));
}

/** Converts a copy of a skill, so that an update in place does not change the source. */
async function convert(root: string, source: string, directory: string): Promise<Result> {
  rmSync(directory, { recursive: true, force: true });
  const isCommand = source.endsWith('.md');
  const place = isCommand ? source : path.join(directory, 'skills', path.basename(source));
  if (!isCommand) cpSync(source, place, { recursive: true });
  let text = '';
  const out = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const made = path.join(directory, 'made');
  await runProgram(['skill', 'convert', place, '--out', made, '--json', '--yes', '--no-input'], {
    stdin: Readable.from([]),
    stdout: Object.assign(out, { isTTY: false }),
    stderr: Object.assign(silent, { isTTY: false }),
    env: {},
  });
  const answer = parseJson(text, source);
  if (!isRecord(answer)) throw new Error(`No answer for ${source}.`);
  const own = path.relative(root, source);
  const lines = readFileSync(isCommand ? source : path.join(source, 'SKILL.md'), 'utf8').split('\n').length;
  const none = { phases: 0, gate: '-', errors: 0, warnings: 0, inherited: 0, lost: 0, empty: 0, repeated: 0 };
  const error = answer['error'];
  if (isRecord(error)) return { ...none, source: own, lines, outcome: String(error['code']) };
  const linted = existsSync(made) ? lintPaths({ paths: [made], roots: [], cwd: directory }) : undefined;
  const findings = linted?.packages.flatMap((found) => found.findings) ?? [];
  const { texts } = readPackageFiles(path.join(made, String(answer['skill'])));
  const { headings } = parseDocument('SKILL.md', texts.get('SKILL.md') ?? '');
  return {
    source: own,
    lines,
    outcome: 'before' in answer ? 'updated' : 'converted',
    phases: [...texts.keys()].filter((file) => file.startsWith('phases/')).length,
    gate: linted?.gate ?? '-',
    errors: countOf(findings, 'error'),
    warnings: countOf(findings, 'warning'),
    inherited: countInherited(findings),
    lost: findings.filter(({ rule }) => /^CF00[345]$/.test(rule)).length,
    empty: [...texts.values()].filter((phase) => /contains 0 execution steps/.test(phase)).length,
    repeated: sectionNames.filter(
      (name) => headings.filter(({ level, title }) => level === 2 && title === name).length > 1,
    ).length,
  };
}
