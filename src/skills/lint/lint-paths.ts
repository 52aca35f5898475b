import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { isRecord, type JsonValue, readJson } from '../../base/safe-json.ts';
import { joinParts, reportFile } from '../convert/fidelity.ts';
import { partBody } from '../convert/source-part.ts';
import type { Profile } from '../model/identity.ts';
import { buildPackage } from '../model/package.ts';
import { findPackages, readPackageFiles } from '../package-files.ts';
import { conclude, examine, type LintResult, type PackageResult } from './engine.ts';
import { type ConversionSource, type Finding, gateOf, worstGate } from './rule.ts';

type LintPathsOptions = {
  /** Paths as the user gave them, relative to `cwd`. */
  paths: readonly string[];
  /** Roots whose packages are all linted, also against each other. */
  roots: readonly string[];
  cwd: string;
  profile?: Profile | undefined;
};

/** The package directories that paths and roots name, each once; an error when there is none. */
export function packageDirectories(
  paths: readonly string[],
  roots: readonly string[],
  cwd: string,
): string[] {
  const directories = new Set<string>();
  for (const given of paths)
    for (const found of packagesAt(path.resolve(cwd, given), given)) directories.add(found);
  for (const root of roots) {
    const absolute = path.resolve(cwd, root);
    if (statSync(absolute, { throwIfNoEntry: false })?.isDirectory() !== true) throw noSuch(root);
    for (const found of findPackages(absolute)) directories.add(found);
  }
  if (directories.size > 0) return [...directories];
  throw noPackage([...paths, ...roots].join(', '));
}

/** Finds, reads and lints packages; paths in the result are relative to `cwd`. */
export function lintPaths({ paths, roots, cwd, profile }: LintPathsOptions): LintResult {
  const directories = packageDirectories(paths, roots, cwd);
  const across = roots.length > 0;
  const installed = across ? installedNames(directories) : undefined;
  // One package at a time: its texts are gone before the next one is read.
  return conclude(
    directories.map((directory) => {
      const files = readPackageFiles(directory);
      const subject = buildPackage({ ...files, path: path.relative(cwd, directory) || '.' }, profile);
      const conversion = readConversion(directory, files.texts.get(reportFile));
      return examine(subject, { installed, conversion }, across);
    }),
  );
}

/** RF009 looks only when all packages of a root are known; their heads are enough for that. */
function installedNames(directories: readonly string[]): ReadonlySet<string> {
  return new Set(
    directories.flatMap((directory) => {
      const text = headOf(path.join(directory, 'SKILL.md'));
      const files = {
        path: directory,
        directory: path.basename(directory),
        texts: new Map([['SKILL.md', text]]),
        listing: new Set<string>(),
        unreadable: [],
      };
      return [...buildPackage(files).ownNames, path.basename(directory)];
    }),
  );
}

function headOf(file: string): string {
  const bytes = Buffer.alloc(8_192);
  try {
    const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return bytes.toString('utf8', 0, readSync(handle, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(handle);
    }
  } catch {
    return '';
  }
}

function packagesAt(absolute: string, given: string): string[] {
  const found = statSync(absolute, { throwIfNoEntry: false });
  if (found === undefined) throw noSuch(given);
  if (found.isFile()) return [packageOf(absolute, given)];
  const nested = findPackages(absolute);
  if (nested.length > 0) return nested;
  if (lacksSkillFile(absolute)) return [absolute];
  throw noPackage(given);
}

/** The package that a file belongs to: the nearest folder above with a SKILL.md, or one that only lacks it. */
function packageOf(file: string, given: string): string {
  const parent = path.dirname(file);
  const above = path.basename(parent) === 'phases' ? path.dirname(parent) : parent;
  for (let directory = above; ; directory = path.dirname(directory)) {
    if (existsSync(path.join(directory, 'SKILL.md'))) return directory;
    if (directory === path.dirname(directory)) break;
  }
  if (lacksSkillFile(above)) return above;
  throw noPackage(given);
}

/** S-091: whether a folder is a package without its SKILL.md (phases alone, another spelling, nothing yet), not a project of another kind. */
function lacksSkillFile(directory: string): boolean {
  const names = readdirSync(directory);
  return names.length === 0 || names.some((name) => /^(?:skill\.md|phases)$/i.test(name));
}

function noPackage(where: string): CharretteError {
  return new CharretteError({
    code: 'not-found',
    message: `No skill package in ${where}.`,
    fix: 'Name a directory with a SKILL.md, or a root with --all; `charrette skill new` makes a package.',
  });
}

function noSuch(given: string): CharretteError {
  return new CharretteError({
    code: 'not-found',
    message: `${given} does not exist.`,
    fix: 'Name a skill directory, a SKILL.md or a root.',
  });
}

/** What the report inside a package says of its sources, with the texts of those that are still there. */
function readConversion(directory: string, report: string | undefined): ConversionSource | undefined {
  const reading = report === undefined ? undefined : readJson(report);
  const phases = reading?.ok === true && isRecord(reading.value) ? reading.value['phases'] : undefined;
  if (!Array.isArray(phases)) return undefined;
  return {
    phases: records(phases).map((phase) => {
      const edits = records(phase['edits']);
      const sources = records(phase['sources']);
      const parts = sources.flatMap((source) => sourceBody(directory, source) ?? []);
      const measures = phase['phase'];
      const lines = isRecord(measures) ? measures['lines'] : undefined;
      return {
        file: String(phase['file'] ?? ''),
        from: sources.map((source) => String(source['path'] ?? '')),
        source: parts.length === 0 || parts.length < sources.length ? undefined : joinParts(parts),
        lines: typeof lines === 'number' ? lines : undefined,
        edits: edits.map((edit) => ({
          kind: String(edit['kind'] ?? ''),
          before: String(edit['before'] ?? ''),
          after: String(edit['after'] ?? ''),
        })),
      };
    }),
  };
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((item): item is Record<string, unknown> => isRecord(item)) : [];
}

function sourceBody(
  directory: string,
  { path: file, section, nth }: Record<string, unknown>,
): string | undefined {
  try {
    const text = readFileSync(path.resolve(directory, String(file ?? '')), 'utf8');
    return partBody(text, {
      ...(typeof section === 'string' ? { section } : {}),
      ...(typeof nth === 'number' ? { nth } : {}),
    });
  } catch {
    return undefined;
  }
}

/** Findings that were there when the baseline was made, counted by fingerprint. */
type Baseline = { version: 1; findings: Record<string, number> };

/** Stays the same when lines above move: package, file, rule and message without numbers. */
export function fingerprint(packageName: string, { rule, file, message }: Finding): string {
  const words = message.replace(/\d+/g, '#');
  return createHash('sha256').update(`${packageName}\n${file}\n${rule}\n${words}`).digest('hex').slice(0, 20);
}

export function makeBaseline(result: LintResult): Baseline {
  const findings: Record<string, number> = {};
  for (const { name, findings: found } of result.packages) {
    for (const finding of found) {
      const key = fingerprint(name, finding);
      findings[key] = (findings[key] ?? 0) + 1;
    }
  }
  return { version: 1, findings: Object.fromEntries(Object.entries(findings).sort()) };
}

export function readBaseline(value: JsonValue, source: string): Baseline {
  const findings = isRecord(value) ? value['findings'] : undefined;
  if (!isRecord(value) || value['version'] !== 1 || !isRecord(findings)) {
    throw new CharretteError({
      code: 'json-invalid',
      message: `${source} is not a lint baseline of version 1.`,
      fix: 'Write a new one with `charrette skill lint --write-baseline FILE`.',
    });
  }
  return {
    version: 1,
    findings: Object.fromEntries(
      Object.entries(findings).filter(([, count]) => typeof count === 'number'),
    ) as Record<string, number>,
  };
}

/** The result without the findings of the baseline; a finding that occurs more often than then stays. */
export function withoutBaseline(result: LintResult, baseline: Baseline): LintResult {
  const left = new Map(Object.entries(baseline.findings));
  const packages = result.packages.map((entry): PackageResult => {
    const findings = entry.findings.filter((finding) => {
      const key = fingerprint(entry.name, finding);
      const count = left.get(key) ?? 0;
      if (count > 0) left.set(key, count - 1);
      return count <= 0;
    });
    const suppressed = entry.suppressed + entry.findings.length - findings.length;
    return { ...entry, findings, gate: gateOf(findings), suppressed };
  });
  return { gate: worstGate(packages.map(({ gate }) => gate)), packages };
}
