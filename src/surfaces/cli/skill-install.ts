import { existsSync } from 'node:fs';
import path from 'node:path';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import { counted, suggestion } from '../../base/text/strings.ts';
import type { CommandResult, CommandSpec, Invocation, OptionSpec } from '../../service/command.ts';
import { writeNamedFile } from '../../service/named-file.ts';
import { type InstallOutcome, installSkill, uninstallSkill } from '../../skills/install/install.ts';
import {
  type Host,
  hosts,
  packFiles,
  readTree,
  type Scope,
  shippedRoot,
  shippedSkills,
  skillFolders,
} from '../../skills/install/package-tree.ts';
import { lintPackage } from '../../skills/lint/engine.ts';
import { buildPackage } from '../../skills/model/package.ts';
import { readPackageFiles } from '../../skills/package-files.ts';
import { several } from './options.ts';

const where: readonly OptionSpec[] = [
  {
    flags: '--host <host>',
    description: `where skills live: ${hosts.join(', ')} (repeat) [default: claude]`,
    parse: several,
  },
  {
    flags: '--scope <scope>',
    description: 'the project or the home directory',
    choices: ['project', 'user'],
    default: 'project',
  },
  { flags: '--root <dir>', description: 'another root instead of a host’s' },
];

export const skillInstall: CommandSpec = {
  examples: [
    ['charrette skill install', 'list the packages that come with Charrette'],
    ['charrette skill install lite-plan --host claude --host codex', 'a shipped package for two hosts'],
    ['charrette skill install ./my-skill --scope user', 'your own, for all projects'],
  ],
  arguments: [['[skill...]', 'names of shipped packages, or directories']],
  options: [
    ...where,
    { flags: '--force', description: 'also when lint finds errors; replaces files that were changed' },
  ],
  dryRun: 'says',
  run: async (invocation) => {
    const { options, global } = invocation;
    const named = words(invocation);
    if (named.length === 0) {
      const names = shippedSkills();
      return { exit: exitCodes.done, text: `${names.join('\n')}\n`, json: { shipped: names } };
    }
    const force = options['force'] === true;
    // Checks all before copying the first.
    const sources: string[] = [];
    for (const name of named) {
      const source = sourceOf(name, global.cwd);
      lintFor('installed', name, source, (await readTree(source)).leftOut, force);
      sources.push(source);
    }
    const outcomes: InstallOutcome[] = [];
    for (const { root, host } of rootsOf(invocation)) {
      for (const source of sources) {
        const { dryRun } = global;
        outcomes.push(await installSkill(source, path.basename(source), root, host, { force, dryRun }));
      }
    }
    return report(outcomes, global.cwd, global.dryRun);
  },
};

export const skillUninstall: CommandSpec = {
  examples: [['charrette skill uninstall lite-plan', 'from this project']],
  arguments: [['<skill...>', 'names of installed skills']],
  options: where,
  dryRun: 'says',
  run: async (invocation) => {
    const { global } = invocation;
    const installed = rootsOf(invocation).flatMap(({ root }) =>
      words(invocation).map((name) => ({ name, root })),
    );
    // All are looked for before the first is removed.
    const outcomes: InstallOutcome[] = [];
    for (const dryRun of global.dryRun ? [true] : [true, false]) {
      outcomes.length = 0;
      for (const { name, root } of installed)
        outcomes.push(await uninstallSkill(name, root, { force: false, dryRun }));
    }
    return report(outcomes, global.cwd, global.dryRun);
  },
};

export const skillPack: CommandSpec = {
  examples: [['charrette skill pack my-skill --to my-skill.tar.gz', 'a gzipped tar']],
  arguments: [['<path>', 'package directory']],
  options: [
    { flags: '--to <file>', description: 'name of the archive' },
    { flags: '--force', description: 'also when lint finds errors' },
  ],
  dryRun: 'says',
  run: async ({ arguments: [given], options, global }) => {
    const directory = path.resolve(global.cwd, String(given));
    const { files, leftOut } = await readTree(directory);
    const lint = lintFor('packed', String(given), directory, leftOut, options['force'] === true);
    const name = path.basename(directory);
    const target = typeof options['to'] === 'string' ? options['to'] : `${name}.tar.gz`;
    const archive = packFiles(name, files);
    if (!global.dryRun) await writeNamedFile(path.resolve(global.cwd, target), archive);
    return {
      exit: exitCodes.done,
      text: `${global.dryRun ? 'would write ' : ''}${target}: ${files.size} files, ${archive.length} bytes${leftOutText(leftOut)}\n`,
      json: { file: target, files: [...files.keys()], leftOut, bytes: archive.length, gate: lint.gate },
    };
  },
};

const mostListed = 10;

function leftOutText(leftOut: readonly string[]): string {
  if (leftOut.length === 0) return '';
  const more = leftOut.length > mostListed ? ` and ${leftOut.length - mostListed} more` : '';
  return `; left out: ${leftOut.slice(0, mostListed).join(', ')}${more}`;
}

/**
 * Lints a package as installed, without omitted files. One with errors is rejected with the list of them, unless --force is
 * given.
 */
function lintFor(
  verb: 'installed' | 'packed',
  given: string,
  directory: string,
  leftOut: readonly string[],
  force: boolean,
) {
  const files = readPackageFiles(directory);
  const delivered = [...files.listing].filter(
    (file) => !leftOut.some((out) => file === out || file.startsWith(`${out}/`)),
  );
  const lint = lintPackage(buildPackage({ ...files, listing: new Set(delivered) }));
  const errors = lint.findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0 || force) return lint;
  const listed = errors
    .slice(0, mostListed)
    .map(({ file, line, rule, message }) => `\n  ${file}:${line} ${rule} ${message}`);
  const more = errors.length > mostListed ? `\n  and ${errors.length - mostListed} more` : '';
  throw new CharretteError({
    code: 'lint-errors',
    message: `${given} has ${counted(errors.length, 'lint error')}, so it was not ${verb}:${listed.join('')}${more}${leftOutText(leftOut)}`,
    fix: `Run \`charrette skill fix ${given}\` and fix the rest by hand, or use --force.`,
  });
}

function words({ arguments: [given] }: Invocation): string[] {
  return Array.isArray(given) ? [...new Set(given)] : [];
}

/** A directory as given, else a shipped package of that name. */
function sourceOf(name: string, cwd: string): string {
  const own = path.resolve(cwd, name);
  if (existsSync(path.join(own, 'SKILL.md'))) return own;
  const shipped = shippedSkills();
  if (shipped.includes(name)) return path.join(shippedRoot(), name);
  throw new CharretteError({
    code: 'not-found',
    message: `${name} is neither a skill directory nor a shipped package (${shipped.join(', ')}).${suggestion(name, shipped)}`,
    fix: 'Run `charrette skill install` for the list.',
  });
}

function rootsOf({ options, global, terminal }: Invocation): { root: string; host: Host }[] {
  const chosen = Array.isArray(options['host']) ? options['host'].map(String) : ['claude'];
  const strange = chosen.find((host) => !(hosts as string[]).includes(host));
  if (strange !== undefined) {
    throw new CharretteError({
      code: 'usage',
      message: `${JSON.stringify(strange)} is not a host; hosts are ${hosts.join(', ')}.`,
    });
  }
  const scope = options['scope'] as Scope;
  const home = terminal.env['HOME'] ?? terminal.env['USERPROFILE'];
  if (scope === 'user' && home === undefined)
    throw new CharretteError({ code: 'usage', message: 'HOME is not set, so the user scope is unknown.' });
  const roots = (chosen as Host[]).map((host) => {
    if (typeof options['root'] === 'string') return { root: path.resolve(global.cwd, options['root']), host };
    return { root: path.join(scope === 'user' ? (home ?? '') : global.cwd, skillFolders[host]), host };
  });
  // Several hosts may look into one folder.
  return roots.filter(({ root }, index) => roots.findIndex((other) => other.root === root) === index);
}

function report(outcomes: readonly InstallOutcome[], cwd: string, dryRun: boolean): CommandResult {
  const lines = outcomes.map(({ directory, written, removed, kept, leftOut }) => {
    const parts = [
      ...(written.length > 0 ? [`${written.length} written`] : []),
      ...(removed.length > 0 ? [`${removed.length} removed`] : []),
      ...(kept.length > 0 ? [`${kept.length} changed files kept`] : []),
    ];
    return `${path.relative(cwd, directory)}: ${parts.length === 0 ? 'up to date' : parts.join(', ')}${leftOutText(leftOut)}${dryRun ? ' (dry run)' : ''}\n`;
  });
  return {
    exit: exitCodes.done,
    text: lines.join(''),
    json: {
      skills: outcomes.map((outcome) => ({ ...outcome, directory: path.relative(cwd, outcome.directory) })),
    },
  };
}
