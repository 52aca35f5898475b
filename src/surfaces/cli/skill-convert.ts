import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type ExitCode, exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import { hasCode, isMissing, readTextFile } from '../../base/files/bounded.ts';
import { parseJson } from '../../base/safe-json.ts';
import { type CommandResult, type CommandSpec, type Invocation, printNotice } from '../../service/command.ts';
import { writeNamedFile } from '../../service/named-file.ts';
import { titleOf } from '../../skills/config/complete-config.ts';
import { type SourceType, sourceTypes } from '../../skills/config/workflow-config.ts';
import { readCommandSet } from '../../skills/convert/command-set.ts';
import { type Conversion, convertByExtraction, convertByGeneration } from '../../skills/convert/convert.ts';
import { reportFile } from '../../skills/convert/fidelity.ts';
import { configFromText, detectSource, draftConfig, expandHome } from '../../skills/convert/from-text.ts';
import { readRequirementsJson, readRequirementsMarkdown } from '../../skills/convert/requirements-doc.ts';
import { readFlatSkill } from '../../skills/convert/restructure.ts';
import { setName } from '../../skills/fix/fix-frontmatter.ts';
import { fixPackage } from '../../skills/fix/fix-package.ts';
import { type PackageFile, readTree } from '../../skills/install/package-tree.ts';
import { lintPackage, type PackageResult } from '../../skills/lint/engine.ts';
import { countOf } from '../../skills/lint/rule.ts';
import { buildPackage, type PackageFiles, unreadTexts } from '../../skills/model/package.ts';
import { readPackageFiles, writePackage } from '../../skills/package-files.ts';
import { renderOutcome } from '../../skills/show.ts';
import { memoryFiles, outputOptions, outputRoot, toolsOf, validName } from './skill-common.ts';

export const skillConvert: CommandSpec = {
  examples: [
    [
      'charrette skill convert .claude/commands/workflow/plan.md',
      'a command and the sub-commands it calls, text unchanged',
    ],
    ['charrette skill convert requirements.md --out .claude/skills', 'one ## section a phase'],
    [
      'charrette skill convert .claude/skills/flat-skill --out new-skills',
      'split a flat skill, migrate an older one',
    ],
    [
      'charrette skill convert "First collect, then review, finally report" --name review-run',
      'a description',
    ],
  ],
  arguments: [['<source>', 'a path, or a description in quotes']],
  options: [
    {
      flags: '--from <type>',
      description: 'what the source is, instead of detecting it',
      choices: sourceTypes,
    },
    { flags: '--name <name>', description: 'name of the new skill' },
    {
      flags: '--agents <list>',
      description: 'let the first of these agents draft the phases of a description',
    },
    ...outputOptions,
  ],
  dryRun: 'says',
  run: async (invocation) => {
    const { options, global, terminal } = invocation;
    const given = String(invocation.arguments[0]);
    if (given.trim() === '') throw missing('A source without a name or words');
    const source = path.resolve(global.cwd, expandHome(given, terminal.env['HOME']));
    const found = await stat(source).catch((error: unknown) => {
      // A description can be too long for a name, and a link can lead to itself.
      if (isMissing(error) || hasCode(error, 'ENAMETOOLONG', 'ELOOP')) return undefined;
      throw error;
    });
    const kind = found === undefined ? 'none' : found.isDirectory() ? 'directory' : 'file';
    const type = (options['from'] as SourceType | undefined) ?? detectSource(given, kind);
    if (kind === 'none' && type !== 'text_description') throw missing(given);
    const root = outputRoot(options, global);
    const directory = kind === 'directory' ? source : path.dirname(source);
    if (type === 'existing_skill') {
      const files = readPackageFiles(directory);
      if ([...files.texts.keys()].some((file) => file.startsWith('phases/')))
        return migrate(invocation, directory, root);
    }
    if (global.dryRun && type === 'text_description' && typeof options['agents'] === 'string')
      return rehearseDraft(options['agents'], root, global.cwd);
    const conversion = await convert(type, given, source, root, invocation);
    const isPackage = kind === 'directory' || path.basename(source) === 'SKILL.md';
    const neighbours =
      type === 'existing_skill' && isPackage
        ? await readNeighbours(directory, path.join(root, conversion.config.skillName))
        : noNeighbours;
    return finish(invocation, conversion, root, neighbours);
  },
};

async function convert(
  type: SourceType,
  given: string,
  source: string,
  root: string,
  invocation: Invocation,
): Promise<Conversion> {
  const { options, global } = invocation;
  const tools = toolsOf(options);
  const name = typeof options['name'] === 'string' ? options['name'] : undefined;
  const named = <T extends { skillName: string }>(rough: T): T =>
    name === undefined ? rough : { ...rough, skillName: name };
  if (type === 'text_description') {
    const { agents } = options;
    if (typeof agents !== 'string') return convertByGeneration(named(configFromText(given, name)), tools);
    const { draftAgent } = await import('./skill-draft-agent.ts');
    return convertByGeneration(
      named(await draftConfig(given, name, await draftAgent(agents, invocation))),
      tools,
    );
  }
  const directory = statSync(source).isDirectory();
  const file = directory ? path.join(source, 'SKILL.md') : source;
  const text = await readTextFile(file);
  if (text === undefined) throw missing(path.relative(global.cwd, file));
  if (!isUtf8(readFileSync(file))) throw notKept(path.relative(global.cwd, file), 'it is not UTF-8');
  if (type === 'requirements_doc') {
    const base =
      path
        .basename(file)
        .replace(/\.[^.]+$/, '')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-') || 'skill';
    const rough = file.endsWith('.json')
      ? readRequirementsJson(parseJson(text, given), base)
      : readRequirementsMarkdown(text, base);
    return convertByGeneration(named(rough), tools);
  }
  if (type === 'existing_skill') {
    const flat = readFlatSkill(text, path.basename(path.dirname(file)));
    const rough = named(flat.config);
    return convertByExtraction({
      ...flat,
      rough,
      strategy: 'restructure',
      phaseOf: new Map(),
      tools,
      reportPath: () => path.relative(path.join(root, rough.skillName), file),
    });
  }
  const commands = commandsRoot(file);
  const set = readCommandSet(
    path.relative(commands, file).replaceAll('\\', '/').replace(/\.md$/, ''),
    text,
    (command) => readCommand(commands, command),
  );
  const rough = named(set.config);
  return convertByExtraction({
    ...set,
    rough,
    strategy: 'extract',
    tools,
    reportPath: (command) => path.relative(path.join(root, rough.skillName), path.join(commands, command)),
  });
}

/** What an agent would draft is known only once it was called. */
function rehearseDraft(agents: string, root: string, cwd: string): CommandResult {
  const agent = agents.split(',')[0]?.trim();
  const where = path.relative(cwd, root) || '.';
  return {
    exit: exitCodes.done,
    text: `Would have ${agent} draft the phases and write the package below ${where}.\n`,
    json: { dryRun: true, agent, root: where },
  };
}

/** The nearest folder above that is called `commands`, else the folder of the file. */
function commandsRoot(file: string): string {
  let directory = path.dirname(file);
  while (path.basename(directory) !== 'commands') {
    const parent = path.dirname(directory);
    if (parent === directory) return path.dirname(file);
    directory = parent;
  }
  return directory;
}

function readCommand(commands: string, command: string): string | undefined {
  if (!/^[\w-]+(?:\/[\w-]+)*$/.test(command)) return undefined;
  const file = path.join(commands, `${command}.md`);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  if (!isUtf8(bytes)) throw notKept(file, 'it is not UTF-8');
  return bytes.toString('utf8');
}

async function finish(
  { options, global, terminal }: Invocation,
  { config, files, report, warnings }: Conversion,
  root: string,
  neighbours: Neighbours,
): Promise<CommandResult> {
  const outcome = await writePackage(
    root,
    config.skillName,
    new Map<string, string | PackageFile>([...neighbours.files, ...files]),
    {
      force: options['force'] === true,
      dryRun: global.dryRun,
      now: new Date(),
    },
  );
  if (!global.dryRun) {
    if (typeof options['emitConfig'] === 'string')
      await writeNamedFile(
        path.resolve(global.cwd, options['emitConfig']),
        `${JSON.stringify(config, null, 2)}\n`,
      );
  }
  for (const warning of [...warnings, ...neighbours.warnings]) printNotice(terminal, `warning: ${warning}`);
  const where = path.relative(global.cwd, outcome.directory) || '.';
  const lint = lintResult(outcome.directory, where, global.dryRun, files, neighbours);
  const edits = [...(report?.phases ?? []), ...(report === undefined ? [] : [report.coordinator])].reduce(
    (sum, part) => sum + part.edits.length,
    0,
  );
  const reportPath = report === undefined ? undefined : path.join(where, reportFile);
  const kept =
    report === undefined
      ? ''
      : `  Fidelity   kept every fence, table and line of the source, ${edits} recorded edits (${reportPath})\n`;
  return {
    exit: exitOf(lint),
    text: `${outcome.changes.map(({ diff }) => diff).join('')}${renderOutcome(config, outcome, lint, where)}${kept}`,
    json: {
      skill: config.skillName,
      title: titleOf(config.skillName),
      path: where,
      written: outcome.written,
      files: outcome.changes.map(({ path: file, kind }) => ({ path: file, kind })),
      backup: outcome.backup,
      gate: lint.gate,
      findings: lint.findings,
      report: reportPath,
      warnings: [...warnings, ...neighbours.warnings],
      config,
    },
  };
}

/** Errors in text that the conversion wrote itself are not accepted; inherited ones are the source's. */
function exitOf({ findings }: PackageResult): ExitCode {
  return countOf(findings, 'error') > 0 ? exitCodes.notAccepted : exitCodes.done;
}

/** Files of a skill that a conversion does not touch: they go along when the package is made elsewhere. */
type Neighbours = {
  files: ReadonlyMap<string, PackageFile>;
  listing: ReadonlySet<string>;
  warnings: string[];
};

const noNeighbours: Neighbours = { files: new Map(), listing: new Set(), warnings: [] };

async function readNeighbours(directory: string, target: string): Promise<Neighbours> {
  const place = realpathSync(directory);
  if (existsSync(target) && realpathSync(target) === place)
    return { ...noNeighbours, listing: readPackageFiles(directory).listing };
  const { files, leftOut } = await readTree(place);
  return {
    files,
    listing: new Set(files.keys()),
    warnings: leftOut.length === 0 ? [] : [`Left out: ${leftOut.join(', ')}.`],
  };
}

/** The lint of what was written; in a dry run of what would be. */
function lintResult(
  directory: string,
  where: string,
  dryRun: boolean,
  texts: ReadonlyMap<string, string>,
  { listing }: Neighbours,
): PackageResult {
  const name = path.basename(directory);
  const planned = memoryFiles(where, name, texts);
  return lintPackage(
    buildPackage(
      dryRun
        ? { ...planned, listing: new Set([...planned.listing, ...listing]) }
        : { ...readPackageFiles(directory), path: where },
    ),
  );
}

/** S-028, S-089: a package that has phases already is brought up to date; its text stays. */
async function migrate(
  { options, global, terminal }: Invocation,
  directory: string,
  root: string,
): Promise<CommandResult> {
  const files = readPackageFiles(directory);
  const [unread] = unreadTexts(files);
  if (unread !== undefined) throw notKept(path.join(files.directory, unread.path), unread.message);
  const name = typeof options['name'] === 'string' ? validName(options['name']) : files.directory;
  const fixed = fixPackage(files, true);
  const { before } = fixed;
  const texts = name === files.directory ? fixed.texts : renamed(files, fixed.texts, name);
  const neighbours = await readNeighbours(directory, path.join(root, name));
  const all = new Map(
    [...files.texts, ...texts].filter(([file]) => file === 'SKILL.md' || file.startsWith('phases/')),
  );
  const outcome = await writePackage(
    root,
    name,
    new Map<string, string | PackageFile>([...neighbours.files, ...all]),
    {
      force: options['force'] === true,
      dryRun: global.dryRun,
      now: new Date(),
    },
  );
  for (const warning of neighbours.warnings) printNotice(terminal, `warning: ${warning}`);
  const where = path.relative(global.cwd, outcome.directory) || '.';
  const after = lintResult(outcome.directory, where, global.dryRun, all, neighbours);
  return {
    exit: exitOf(after),
    text: `${outcome.changes.map(({ diff }) => diff).join('')}${where}: ${texts.size} files brought up to date, ${before.gate} → ${after.gate}\n`,
    json: {
      skill: name,
      path: where,
      written: outcome.written,
      files: outcome.changes.map(({ path: file, kind }) => ({ path: file, kind })),
      before: before.gate,
      gate: after.gate,
      findings: after.findings,
      warnings: neighbours.warnings,
    },
  };
}

/** FM003: a package that moves to a folder of another name is called like it. */
function renamed(
  files: PackageFiles,
  texts: ReadonlyMap<string, string>,
  name: string,
): ReadonlyMap<string, string> {
  const { skill } = buildPackage({ ...files, texts: new Map([...files.texts, ...texts]) });
  const text = skill === undefined ? undefined : setName(skill, name);
  return text === undefined ? texts : new Map([...texts, ['SKILL.md', text]]);
}

function notKept(file: string, reason: string): CharretteError {
  return new CharretteError({
    code: 'conversion-lossy',
    message: `The text of ${file} would not be kept: ${reason}.`,
    fix: 'Nothing was written. Save the file as UTF-8 text that can be read, and convert again.',
  });
}

function missing(given: string): CharretteError {
  return new CharretteError({
    code: 'not-found',
    message: `${given} does not exist.`,
    fix: 'Name a file or directory, or put a description in quotes.',
  });
}
