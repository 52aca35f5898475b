import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type ExitCode, exitCodes } from '../../base/error-table.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { containedPath } from '../../base/files/bounded.ts';
import { unifiedDiff } from '../../base/text/diff.ts';
import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import { fixPackage, syncAll } from '../../skills/fix/fix-package.ts';
import { type Renumbering, renumber } from '../../skills/fix/renumber.ts';
import { lintPackage, type PackageResult } from '../../skills/lint/engine.ts';
import { packageDirectories } from '../../skills/lint/lint-paths.ts';
import { countOf, worstGate } from '../../skills/lint/rule.ts';
import { buildPackage, type PackageFiles, unreadTexts } from '../../skills/model/package.ts';
import { readPackageFiles } from '../../skills/package-files.ts';

type Change = {
  directory: string;
  files: PackageFiles;
  texts: ReadonlyMap<string, string>;
  moved: ReadonlyMap<string, string>;
  byHand: Renumbering['byHand'];
  before: PackageResult;
  after: PackageResult;
};

const paths: CommandSpec['arguments'] = [['[path...]', 'package directories or roots']];

export const skillFix: CommandSpec = {
  examples: [
    ['charrette skill fix my-skill --dry-run', 'show the changes as a diff'],
    ['charrette skill fix --unsafe', 'also add triggers and move command keys'],
  ],
  arguments: paths,
  options: [{ flags: '--unsafe', description: 'also fixes that change more than markup (FM005, FM009)' }],
  dryRun: 'says',
  run: async (invocation) =>
    apply(invocation, (directory, files) => {
      const { texts, before, after } = fixPackage(files, invocation.options['unsafe'] === true);
      return { directory, files, texts, moved: new Map(), byHand: [], before, after };
    }),
};

export const skillSync: CommandSpec = {
  examples: [
    ['charrette skill sync my-skill', 'counts, ranges, paths, checkpoints'],
    ['charrette skill sync my-skill --renumber', 'also 01, 02, … without gaps, references rewritten'],
  ],
  arguments: paths,
  options: [
    {
      flags: '--renumber',
      description:
        'number phases from 01 without gaps and rewrite every reference; lists lines that leave open which phase they mean',
    },
  ],
  dryRun: 'says',
  run: async (invocation) =>
    apply(invocation, (directory, files) => {
      const start = buildPackage(files);
      const numbered = invocation.options['renumber'] === true ? renumber(start) : undefined;
      const renamed = numbered === undefined ? files : withTexts(files, numbered.texts, numbered.moved);
      // A mark in the table asks for a sentinel and the other way round, so a second pass may see more than the first.
      let current = renamed;
      for (let pass = 0; pass < 3; pass += 1) {
        const next = syncAll(buildPackage(current)).filter(
          ([file, text]) => text !== undefined && text !== current.texts.get(file),
        );
        if (next.length === 0) break;
        current = withTexts(current, new Map(next.map(([file, text]) => [file, text ?? ''])), new Map());
      }
      const texts = new Map([...current.texts].filter(([file, text]) => files.texts.get(file) !== text));
      return {
        directory,
        files,
        texts,
        moved: numbered?.moved ?? new Map(),
        byHand: numbered?.byHand ?? [],
        before: lintPackage(start),
        after: lintPackage(buildPackage(current)),
      };
    }),
};

function leftAlone(directory: string, files: PackageFiles): Change {
  const lint = lintPackage(buildPackage(files));
  return { directory, files, texts: new Map(), moved: new Map(), byHand: [], before: lint, after: lint };
}

function withTexts(
  files: PackageFiles,
  texts: ReadonlyMap<string, string>,
  moved: ReadonlyMap<string, string>,
): PackageFiles {
  const gone = new Set([...moved.keys()].filter((file) => !texts.has(file)));
  const all = new Map([...files.texts, ...texts].filter(([file]) => !gone.has(file)));
  return {
    ...files,
    texts: all,
    listing: new Set([...files.listing, ...texts.keys()].filter((file) => !gone.has(file))),
  };
}

async function apply(
  { arguments: [given], global }: Invocation,
  change: (directory: string, files: PackageFiles) => Change,
): Promise<CommandResult> {
  const named = Array.isArray(given) && given.length > 0 ? given : ['.'];
  const changes = packageDirectories(named, [], global.cwd).map((directory) => {
    const files = readPackageFiles(directory);
    return unreadTexts(files).length === 0 ? change(directory, files) : leftAlone(directory, files);
  });
  const lines: string[] = [];
  for (const { directory, files, texts, moved, byHand, before, after } of changes) {
    const where = path.relative(global.cwd, directory) || '.';
    for (const [file, text] of texts) {
      const old = [...moved].find(([, to]) => to === file)?.[0] ?? file;
      const diff = unifiedDiff(files.texts.get(old) ?? '', text, { before: `a/${old}`, after: `b/${file}` });
      if (diff.kind === 'diff') lines.push(diff.text);
    }
    if (!global.dryRun) await write(directory, texts, moved);
    const unread = unreadTexts(files).map(({ path: file, message }) => `${file}: ${message}`);
    if (unread.length > 0) {
      lines.push(`${where}: not changed, because parts cannot be read: ${unread.join('; ')}\n`);
      continue;
    }
    const word = global.dryRun ? 'would change' : 'changed';
    lines.push(
      `${where}: ${word} ${texts.size} files; ${countOf(before.findings, 'error')} → ${countOf(after.findings, 'error')} errors, ${countOf(before.findings, 'warning')} → ${countOf(after.findings, 'warning')} warnings, ${before.gate} → ${after.gate}\n`,
      ...byHand.map(
        ({ path: file, line, number, files: meant }) =>
          `  fix by hand: ${file}: "${line.slice(0, 120)}" names phase ${number}, which is now ${meant.join(' or ')}\n`,
      ),
    );
  }
  return {
    exit: exitOf(changes),
    text: lines.join(''),
    json: {
      packages: changes.map(({ directory, files, texts, moved, byHand, before, after }) => ({
        path: path.relative(global.cwd, directory) || '.',
        changed: [...texts.keys()],
        moved: Object.fromEntries(moved),
        byHand,
        // What kept the package from being changed at all.
        unread: unreadTexts(files),
        before: before.gate,
        gate: after.gate,
        findings: after.findings,
      })),
    },
  };
}

/** An unreadable package exits as lint does for it; findings in the others do not count here. */
function exitOf(changes: readonly Change[]): ExitCode {
  const left = changes.filter(({ files }) => unreadTexts(files).length > 0);
  if (left.length === 0) return exitCodes.done;
  return worstGate(left.map(({ after }) => after.gate)) === 'FAIL' ? exitCodes.failed : exitCodes.notAccepted;
}

async function write(
  directory: string,
  texts: ReadonlyMap<string, string>,
  moved: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [file, text] of texts) await writeFileAtomic(await containedPath(directory, file), text);
  for (const from of moved.keys())
    if (!texts.has(from)) await rm(await containedPath(directory, from), { force: true });
}
