import { isRecord, readJson } from '../../base/safe-json.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { factsOn, type GroundingFact } from './report.ts';

/** What a machine offers besides the repository; the edge answers it. */
export type CommandLookup = { onPath: (program: string) => boolean };

/** Every command the plan names can be run: a script of the package, a target, a file of the repository, a program. */
export function groundCommands(
  index: RepositoryIndex,
  commands: readonly string[],
  lookup: CommandLookup,
): GroundingFact[] {
  const scripts = packageScripts(index);
  return commands.flatMap((command) =>
    splitCommand(command).map((words) => groundCommand(index, words, scripts, lookup)),
  );
}

/** The simple commands of a line, as words; variables set in front and redirections are left out. Nothing is run. */
export function splitCommand(command: string): string[][] {
  return command
    .split(/&&|\|\||[;|]/)
    .map((part) =>
      (part.match(/"[^"]*"|'[^']*'|\S+/g) ?? [])
        .map((word) => word.replace(/^(["'])(.*)\1$/s, '$2'))
        .filter((word) => !/^\w+=/.test(word) && !/^\d?[<>]/.test(word)),
    )
    .filter((words) => words.length > 0 && words[0] !== 'cd');
}

const runners = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const builtIn = new Set(
  'add audit build cache ci config create dedupe dlx exec i info init install link login ls outdated pack prune publish remove search update version view x why'.split(
    ' ',
  ),
);

function groundCommand(
  index: RepositoryIndex,
  words: readonly string[],
  scripts: ReadonlyMap<string, string>,
  { onPath }: CommandLookup,
): GroundingFact {
  const [program = '', ...rest] = words;
  const fact = factsOn('command', words.join(' '));
  if (runners.has(program)) {
    const script = scriptName(rest);
    if (script === undefined) return fact('found', 'none', `${program} itself`);
    const home = scripts.get(script);
    if (home !== undefined) return fact('found', 'none', `script of ${home}`);
    if (elsewhere(rest)) return fact('unchecked', 'warning', 'runs in another folder or workspace');
    const names = [...new Set(scripts.keys())].slice(0, 12).join(', ');
    const reason = `no package.json has the script "${script}"; there are: ${names || 'none'}`;
    return fact('missing', 'error', reason);
  }
  if (program === 'make' || program === 'just') return groundTarget(index, program, rest, fact);
  if (program.includes('/')) {
    const path = program.replace(/^\.\//, '');
    return index.byPath.has(path)
      ? fact('found', 'none', 'a file of the repository')
      : fact('missing', 'error', `${path} is not in the repository`);
  }
  if (onPath(program)) return fact('found', 'none', 'a program of this machine');
  const reason = `${program} is neither a script of the repository nor on PATH here`;
  return fact('missing', 'warning', reason);
}

function scriptName(words: readonly string[]): string | undefined {
  const plain = words.filter((word) => !word.startsWith('-'));
  const [first, second] = plain;
  if (first === 'run' || first === 'run-script') return second;
  if (first === undefined || (builtIn.has(first) && first !== 'build')) return undefined;
  return first === 't' ? 'test' : first;
}

const elsewhere = (words: readonly string[]): boolean =>
  words.some((word) => /^(?:-w|--workspace|--filter|-F|--prefix|-C|--cwd|-r|--recursive)/.test(word));

function packageScripts(index: RepositoryIndex): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const manifests = index.files.filter(({ path }) => /(?:^|\/)package\.json$/.test(path));
  for (const { path, file } of manifests.sort((a, b) => a.path.length - b.path.length)) {
    const reading = readJson(file.text);
    const scripts = reading.ok && isRecord(reading.value) ? reading.value.scripts : undefined;
    for (const name of isRecord(scripts) ? Object.keys(scripts) : [])
      if (!found.has(name)) found.set(name, path);
  }
  return found;
}

function groundTarget(
  index: RepositoryIndex,
  program: 'make' | 'just',
  words: readonly string[],
  fact: ReturnType<typeof factsOn>,
): GroundingFact {
  const held = (reason: string) => fact('found', 'none', reason);
  const failed = (reason: string) => fact('missing', 'error', reason);
  const pattern = program === 'make' ? /(?:^|\/)(?:GNU)?[Mm]akefile$/ : /(?:^|\/)\.?[Jj]ustfile$/;
  const files = index.files.filter(({ path }) => pattern.test(path));
  const target = words.find((word) => !word.startsWith('-') && !word.includes('='));
  if (files.length === 0) return failed(`there is no ${program === 'make' ? 'Makefile' : 'justfile'}`);
  if (target === undefined) return held(`default target of ${files[0]?.path ?? ''}`);
  const targets = files.flatMap(({ file }) =>
    [...file.text.matchAll(/^@?([\w./-]+)(?:[ \t][^:=\n]*)?:(?!=)/gm)].map((match) => match[1] ?? ''),
  );
  if (targets.includes(target)) return held(`target of ${files[0]?.path ?? ''}`);
  return failed(`no target "${target}"; there are: ${[...new Set(targets)].slice(0, 12).join(', ')}`);
}
