// Converts the commands and skills of public repositories, lints the results and prints one Markdown row per repository and kind:
// `node bench/convert-corpus.ts CLONES [--list bench/corpus/convert-sources.json] [--keep DIRECTORY]`. CLONES is a folder with clones
// or bare repositories named `owner+name`; those of the list are read at its revisions. Nothing is downloaded.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { parseDocument } from '../src/base/markdown/parse.ts';
import { isRecord, type JsonValue, parseJson } from '../src/base/safe-json.ts';
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
    keep: { type: 'string' },
  },
});
const [clones] = positionals;
if (clones === undefined) throw new Error('Name the folder with the clones.');

const reportSchema = z.object({
  phases: z.array(
    z.object({
      sources: z.array(z.object({ path: z.string() })),
      edits: z.array(z.object({ before: z.string() })),
    }),
  ),
  coordinator: z.object({ edits: z.array(z.object({ before: z.string() })) }),
});

const listSchema = z.array(z.strictObject({ repository: z.string(), commit: z.string() }));
const work = values.keep ?? mkdtempSync(path.join(tmpdir(), 'charrette-convert-'));

type Result = {
  /** `command`, `flat skill`, `package` (it has phase files already), or the code of the error. */
  kind: string;
  gate: string;
  lines: number;
  lost: number;
  errors: number;
  warnings: number;
  inherited: number;
  /** CF003 to CF005 of lint, sentinels that count 0 steps, and sections of the template that SKILL.md has more than once. */
  faults: number;
};

const columns =
  'repository | revision | kind | sources | lines | lost | errors | warnings | inherited | gate';
console.log(`| ${columns} |\n|${'---|'.repeat(columns.split('|').length)}`);
const all: Result[] = [];
for (const { repository, commit } of listSchema.parse(
  parseJson(readFileSync(values.list, 'utf8'), values.list),
)) {
  const folder = repository.replace('/', '+');
  const clone = path.join(clones, folder);
  if (!existsSync(clone)) {
    console.error(`${repository} is not in ${clones}`);
    continue;
  }
  const root = checkout(clone, commit, path.join(work, `${folder}-${commit}`));
  const results: Result[] = [];
  for (const [index, source] of sourcesOf(root).entries())
    results.push(await convert(repository, root, source, path.join(`${root}-made`, String(index))));
  for (const kind of ['command', 'flat skill', 'package'])
    printRow(
      `${repository} | ${commit.slice(0, 8)} | ${kind}`,
      results.filter((result) => result.kind === kind),
    );
  all.push(...results);
}
for (const kind of ['command', 'flat skill', 'package'])
  printRow(
    `all | | ${kind}`,
    all.filter((result) => result.kind === kind),
  );
const refused = all.filter(({ gate }) => gate === '-').map(({ kind }) => kind);
for (const code of new Set(refused)) {
  const reason = code === 'usage' ? ': they have no phases to split at, so nothing was written' : '';
  console.log(`\n\`${code}\`, ${refused.filter((other) => other === code).length} sources${reason}.`);
}
if (values.keep === undefined) rmSync(work, { recursive: true, force: true });

function printRow(place: string, results: readonly Result[]): void {
  if (results.length === 0) return;
  const sum = (of: (result: Result) => number) => results.reduce((total, result) => total + of(result), 0);
  const gates = ['PASS', 'REVIEW', 'FAIL'].flatMap((gate) => {
    const count = sum((result) => (result.gate === gate ? 1 : 0));
    return count === 0 ? [] : [`${gate} ${count}`];
  });
  const counts = [
    results.length,
    sum(({ lines }) => lines),
    sum(({ lost, faults }) => lost + faults),
    sum(({ errors }) => errors),
    sum(({ warnings }) => warnings),
    sum(({ inherited }) => inherited),
  ];
  console.log(`| ${place} | ${counts.join(' | ')} | ${gates.join(', ')} |`);
}

function checkout(clone: string, commit: string, into: string): string {
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const whole = archive(clone, commit, []);
  // A clone may be without its largest files; text is there.
  const found = whole.status === 0 ? whole : archive(clone, commit, textFiles(clone, commit));
  if (found.status !== 0) throw new Error(`${clone}: ${String(found.stderr)}`);
  spawnSync('tar', ['x', '-C', into], { input: found.stdout });
  return into;
}

function archive(clone: string, commit: string, paths: readonly string[]) {
  return spawnSync('git', ['-C', clone, 'archive', commit, '--', ...paths], { maxBuffer: 2 ** 31 });
}

function textFiles(clone: string, commit: string): string[] {
  const names = spawnSync('git', ['-C', clone, 'ls-tree', '-r', '--name-only', commit], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  return ['md', 'json', 'sh', 'py', 'js', 'ts', 'yaml', 'yml']
    .filter((end) => new RegExp(`\\.${end}"?$`, 'm').test(names.stdout))
    .map((end) => `:(glob)**/*.${end}`);
}

/** Commands are Markdown files below a folder `commands`; skills are packages. */
function sourcesOf(root: string): string[] {
  const commands = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md') && !/^readme/i.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => /[/\\]commands[/\\]/.test(file.slice(root.length)) && !file.includes('node_modules'));
  // A link can lead out of the repository, to nothing.
  const skills = findPackages(root).filter((directory) => existsSync(path.join(directory, 'SKILL.md')));
  return [...commands, ...skills].sort();
}

/** Converts a copy of a skill, so that an update in place does not change the source. */
async function convert(repository: string, root: string, source: string, directory: string): Promise<Result> {
  rmSync(directory, { recursive: true, force: true });
  const isCommand = source.endsWith('.md');
  const name = path.basename(source === root ? (repository.split('/').at(-1) ?? source) : source);
  const place = isCommand ? source : path.join(directory, 'skills', name);
  if (!isCommand) cpSync(source, place, { recursive: true });
  const made = path.join(directory, 'made');
  const answer = await run(['skill', 'convert', place, '--out', made, '--json', '--yes', '--no-input']);
  if (!isRecord(answer)) throw new Error(`No answer for ${path.relative(root, source)}.`);
  const error = answer['error'];
  if (isRecord(error))
    return {
      kind: String(error['code']),
      gate: '-',
      lines: 0,
      lost: 0,
      errors: 0,
      warnings: 0,
      inherited: 0,
      faults: 0,
    };
  const target = path.join(made, String(answer['skill']));
  const linted = lintPaths({ paths: [target], roots: [], cwd: directory });
  const findings = linted.packages.flatMap((found) => found.findings);
  const { texts } = readPackageFiles(target);
  const { headings } = parseDocument('SKILL.md', texts.get('SKILL.md') ?? '');
  const isPackage = 'before' in answer;
  const sources = isPackage
    ? [...readPackageFiles(source).texts.values()]
    : sourceTexts(source, target, isCommand);
  const repeated = sectionNames.filter(
    (name) => headings.filter(({ level, title }) => level === 2 && title === name).length > 1,
  );
  return {
    kind: isPackage ? 'package' : isCommand ? 'command' : 'flat skill',
    gate: linted.gate,
    lines: sources.reduce((sum, text) => sum + text.split('\n').length, 0),
    lost: lostLines(sources, [...texts.values()], isPackage ? [] : editsOf(target)),
    errors: countOf(findings, 'error'),
    warnings: countOf(findings, 'warning'),
    inherited: countInherited(findings),
    faults: isPackage
      ? 0
      : findings.filter(({ rule }) => /^CF00[345]$/.test(rule)).length +
        [...texts.values()].filter((text) => /contains 0 execution steps/.test(text)).length +
        repeated.length,
  };
}

async function run(args: readonly string[]): Promise<JsonValue> {
  let text = '';
  const out = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  await runProgram([...args], {
    stdin: Readable.from([]),
    stdout: Object.assign(out, { isTTY: false }),
    stderr: Object.assign(silent, { isTTY: false }),
    env: {},
  });
  return parseJson(text, args.join(' '));
}

function reportOf(target: string): z.infer<typeof reportSchema> {
  const file = path.join(target, 'conversion-report.json');
  return reportSchema.parse(parseJson(readFileSync(file, 'utf8'), file));
}

/** The command or skill, and the sub-commands that became phases with it. */
function sourceTexts(source: string, target: string, isCommand: boolean): string[] {
  const own = isCommand ? source : path.join(source, 'SKILL.md');
  const called = isCommand
    ? reportOf(target).phases.flatMap(({ sources }) => sources.map((part) => path.resolve(target, part.path)))
    : [];
  return [...new Set([own, ...called])].map((file) => readFileSync(file, 'utf8'));
}

function editsOf(target: string): string[] {
  const { phases, coordinator } = reportOf(target);
  return [...phases.flatMap(({ edits }) => edits), ...coordinator.edits].map(({ before }) => before);
}

/** Lines of the sources that neither the files of the package nor the recorded edits have as often: counted without the converter. */
function lostLines(sources: readonly string[], files: readonly string[], edits: readonly string[]): number {
  const left = new Map<string, number>();
  const linesOf = (texts: readonly string[]) =>
    texts.flatMap((text) => text.split('\n')).map((line) => line.trim());
  for (const line of linesOf([...files, ...edits])) left.set(line, (left.get(line) ?? 0) + 1);
  let lost = 0;
  for (const line of linesOf(sources)) {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    else if (line !== '') lost += 1;
  }
  return lost;
}
