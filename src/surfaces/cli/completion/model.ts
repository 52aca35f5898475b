import {
  answeringOptions,
  type CommandSpec,
  type CommandTable,
  globalOptions,
  type OptionSpec,
} from '../../../service/command.ts';
import { rehearses } from '../help.ts';

/** A word that POSIX shells, zsh and fish read literally. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", `'\\''`)}'`;
}

/** Of the runs that begin with what was typed, so many of the newest are offered. */
export const runsOffered = 100;

/** What may follow a flag: nothing, one of some words, a file, a folder, or anything. */
export type FlagValue =
  | { kind: 'none' }
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'file' | 'directory' | 'anything' };

export type FlagWord = { names: readonly string[]; summary: string; value: FlagValue };

/** A command as a shell needs to know it. The path of the program itself is empty. */
type CompletionNode = {
  path: readonly string[];
  subcommands: readonly { name: string; summary: string }[];
  flags: readonly FlagWord[];
  /** Its first argument names a run. */
  takesRun: boolean;
};

/** `everywhere` are the flags that every command takes, the program itself included. */
export type CompletionModel = { everywhere: readonly FlagWord[]; nodes: readonly CompletionNode[] };

/** Every command of the table with what can be written after it; commands without a summary are not for people. */
export async function completionModel(table: CommandTable): Promise<CompletionModel> {
  const everywhere = [...globalOptions, ...answeringOptions]
    .filter(({ flags }) => flags !== '--dry-run')
    .map(flagWord);
  const root = { path: [], subcommands: named(table), flags: [], takesRun: false };
  return { everywhere, nodes: [root, ...(await nodesBelow([], table))] };
}

const dryRun = globalOptions.filter(({ flags }) => flags === '--dry-run').map(flagWord);

async function nodesBelow(path: readonly string[], table: CommandTable): Promise<CompletionNode[]> {
  const nodes = named(table).map(async ({ name }) => {
    const spec = await table[name]?.load();
    return spec === undefined ? [] : nodesOf([...path, name], spec);
  });
  return (await Promise.all(nodes)).flat();
}

async function nodesOf(path: readonly string[], spec: CommandSpec): Promise<CompletionNode[]> {
  const { subcommands = {}, options = [], arguments: positional = [] } = spec;
  const [notation = ''] = positional[0] ?? [];
  const node = {
    path,
    subcommands: named(subcommands),
    flags: [...options.map(flagWord), ...(rehearses(spec) ? dryRun : [])],
    takesRun: /\brun\b/.test(notation),
  };
  return [node, ...(await nodesBelow(path, subcommands))];
}

function named(entries: CommandTable): { name: string; summary: string }[] {
  return Object.entries(entries)
    .filter(([, { summary }]) => summary !== '')
    .map(([name, { summary }]) => ({ name, summary }));
}

/** Flags in commander's notation: `-q, --quiet`, `--cwd <dir>`, `--no-branch`. */
export function flagWord({
  flags,
  description,
  choices,
}: Pick<OptionSpec, 'flags' | 'description' | 'choices'>): FlagWord {
  const names = flags.match(/(?<![\w<])--?[a-zA-Z][\w-]*/g) ?? [];
  return { names, summary: description, value: valueAfter(flags, description, choices) };
}

function valueAfter(flags: string, description: string, choices: readonly string[] | undefined): FlagValue {
  const name = /[<[]([\w-]+)/.exec(flags)?.[1];
  if (name === undefined) return { kind: 'none' };
  if (choices !== undefined) return { kind: 'words', words: choices };
  if (name === 'form') return { kind: 'words', words: ['text', 'json', 'stream-json'] };
  if (/^(?:dir|directory|root|folder)$/.test(name)) return { kind: 'directory' };
  return { kind: /^(?:file|path)$/.test(name) || / file\b/.test(description) ? 'file' : 'anything' };
}
