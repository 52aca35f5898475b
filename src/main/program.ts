import { existsSync } from 'node:fs';
import path from 'node:path';
import { CharretteError, exitCodeOf, isCharretteError, toCharretteError } from '../base/errors.ts';
import { suggestion, terminalText, visibleJson, visibleText } from '../base/text/strings.ts';
import { version } from '../base/version.ts';
import {
  type CommandResult,
  type CommandSpec,
  type CommandTable,
  type GlobalFlags,
  indexOfCommand,
  stopExit,
  type Terminal,
} from '../service/command.ts';
import { pageWidth, renderRootHelp } from '../surfaces/cli/help.ts';
import { asksForAll, type FoundCommand, parseInvocation, wordsBeforeText } from '../surfaces/cli/parse.ts';
import { commandGroups, commands, openObserver, overview } from './commands.ts';

/** Runs one command line from words to exit code; never throws. */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  const controller = new AbortController();
  const stopListening = abortOnSignals(controller);
  const output = watchOutput(terminal);
  giveSize(terminal.stdout, terminal.stderr);
  try {
    const found = (await findCommand(words)) ?? bare(words);
    const parsed = parseInvocation(found, terminal);
    if (parsed.kind === 'help')
      return printHelp(found.name === 'charrette' ? rootHelp(words, terminal) : parsed.text, words, terminal);
    if (parsed.kind === 'version') return printVersion(words, terminal);
    if (found.spec.run === undefined) throw missingSubcommand(found);
    if (parsed.global.dryRun && found.spec.dryRun === undefined) throw noRehearsal(found.name);
    const deadline = startDeadline(parsed.global, controller);
    try {
      const { signal } = controller;
      const result = await found.spec
        .run({ ...parsed, terminal, signal, openObserver })
        .catch((error: unknown) => {
          // A command that only passes on the signal it was stopped by did not fail.
          if (!signal.aborted || error !== signal.reason || isCharretteError(error)) throw error;
          return { exit: stopExit(signal) };
        });
      printResult(result, parsed.global, terminal);
      await output.settled();
      return result.exit;
    } finally {
      clearTimeout(deadline);
    }
  } catch (thrown) {
    const error = toCharretteError(thrown);
    if (wantsJson(words)) {
      const { code, message, fix, retryable } = error;
      terminal.stdout.write(`${visibleJson({ error: { code, message, fix, retryable } })}\n`);
    } else {
      const flags = wordsBeforeText(words);
      terminal.stderr.write(renderError(error, flags.includes('--verbose') || flags.includes('-v')));
    }
    return exitCodeOf(error);
  } finally {
    stopListening();
  }
}

/** `charrette`, `charrette --help`, `charrette --version` and flags that belong to no command. */
function bare(words: readonly string[]): FoundCommand {
  const flags = words.map((word) => (word === 'help' ? '--help' : word));
  const run: CommandSpec['run'] = async (invocation) => {
    const { run: show } = isInRepository(invocation.global.cwd) ? await overview.load() : {};
    if (show !== undefined) return show(invocation);
    const help = rootHelp(words, invocation.terminal);
    return { exit: 0, json: { help }, text: help };
  };
  return { spec: { examples: [], dryRun: 'reads', run }, name: 'charrette', summary: '', words: flags };
}

function isInRepository(cwd: string): boolean {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.git'))) return true;
    if (path.dirname(folder) === folder) return false;
  }
}

function rootHelp(words: readonly string[], { stdout }: Terminal): string {
  return renderRootHelp(commandGroups, { width: pageWidth(stdout), all: asksForAll(words) });
}

function printVersion(words: readonly string[], terminal: Terminal): number {
  terminal.stdout.write(wantsJson(words) ? `${JSON.stringify({ version })}\n` : `${version}\n`);
  return 0;
}

function printHelp(text: string, words: readonly string[], terminal: Terminal): number {
  terminal.stdout.write(wantsJson(words) ? `${JSON.stringify({ help: text })}\n` : text);
  return 0;
}

async function findCommand(words: readonly string[]): Promise<FoundCommand | undefined> {
  const start = indexOfCommand(words);
  const first = start === undefined ? undefined : words[start];
  if (start === undefined || first === undefined) return undefined;
  const others = [...words.slice(0, start), ...words.slice(start + 1)];
  if (first === 'help') {
    const topic = indexOfCommand(others);
    return topic === undefined ? undefined : findCommand([...others, '--help']);
  }
  let found = await loadCommand(commands, first, 'charrette', others);
  for (;;) {
    const { spec, name, words: rest } = found;
    const at = indexOfCommand(rest);
    const next = at === undefined ? undefined : rest[at];
    if (spec.subcommands === undefined || at === undefined || next === undefined) return found;
    if (spec.run !== undefined && !Object.hasOwn(spec.subcommands, next)) return found;
    found = await loadCommand(spec.subcommands, next, name, [...rest.slice(0, at), ...rest.slice(at + 1)]);
  }
}

async function loadCommand(
  table: CommandTable,
  name: string,
  parent: string,
  words: readonly string[],
): Promise<FoundCommand> {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry !== undefined)
    return { spec: await entry.load(), name: `${parent} ${name}`, summary: entry.summary, words };
  throw new CharretteError({
    code: 'unknown-command',
    message: `Unknown command \`${parent} ${name}\`.${suggestion(name, Object.keys(table))}`,
    fix: `Run \`${parent} --help${parent === 'charrette' ? ' --all' : ''}\` for the list.`,
  });
}

function missingSubcommand({ spec, name }: FoundCommand): CharretteError {
  const names = Object.keys(spec.subcommands ?? {}).join(', ');
  return new CharretteError({
    code: 'usage',
    message: `\`${name}\` requires one of: ${names}.`,
    fix: `Run \`${name} --help\`.`,
  });
}

/** A command that cannot say what it would do is not started. */
function noRehearsal(name: string): CharretteError {
  return new CharretteError({
    code: 'usage',
    message: `\`${name}\` does not support --dry-run.`,
    fix: `Omit --dry-run; \`${name} --help\` describes the command.`,
  });
}

function printResult(result: CommandResult, global: GlobalFlags, terminal: Terminal): void {
  if (global.output === 'json') {
    terminal.stdout.write(`${visibleJson(result.json ?? {}, 2)}\n`);
  } else if (global.output === 'stream-json' && result.streamed !== true && result.json !== undefined) {
    terminal.stdout.write(`${visibleJson(result.json)}\n`);
  } else if (global.output === 'text' && result.text !== undefined) {
    // A file keeps every byte; a terminal would obey some.
    terminal.stdout.write(terminal.stdout.isTTY === true ? terminalText(result.text) : result.text);
  }
}

/** Read before parsing, so that a wrong command line is answered in the requested form too. */
function wantsJson(all: readonly string[]): boolean {
  const words = wordsBeforeText(all);
  const forms = ['json', 'stream-json'];
  const output = words.indexOf('--output');
  return (
    words.includes('--json') ||
    forms.some((form) => words.includes(`--output=${form}`)) ||
    (output >= 0 && forms.includes(words[output + 1] ?? ''))
  );
}

function startDeadline(global: GlobalFlags, controller: AbortController): NodeJS.Timeout | undefined {
  if (global.timeoutMs === undefined) return undefined;
  const reason = new CharretteError({
    code: 'timed-out',
    message: `The time limit of ${global.timeoutMs / 1000}s passed.`,
    fix: 'Raise --timeout, or resume the run.',
  });
  // A longer wait than a timer can hold would end at once.
  return setTimeout(() => controller.abort(reason), Math.min(global.timeoutMs, 2 ** 31 - 1)).unref();
}

/** A terminal that goes away is one more way to be told to stop. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** First signal: stop gracefully. Second: stop now. */
function abortOnSignals(controller: AbortController): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
    controller.abort(signal);
  };
  for (const name of stopSignals) process.on(name, onSignal);
  return () => {
    for (const name of stopSignals) process.off(name, onSignal);
  };
}

type Output = Terminal['stderr'];

/**
 * A terminal without a size (in a container, or below a program that records one) gets the usual one: it reports none, and
 * every library would fit its lines into no column at all. A size that it is given later replaces this one.
 */
function giveSize(...outputs: readonly Output[]): void {
  for (const output of outputs) {
    if (output.isTTY !== true) continue;
    if (!output.columns) output.columns = 80;
    if (!output.rows) output.rows = 24;
  }
}

/**
 * Keeps the program alive when the reader of its output exits (`charrette show | head -1`): a run continues and its
 * record is complete. Any other failure to write, such as a full disk behind `> file`, is an error of the command.
 */
function watchOutput(terminal: Terminal): { settled(): Promise<void> } {
  let failure: unknown;
  for (const stream of [terminal.stdout, terminal.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') failure ??= error;
    });
  }
  return {
    async settled() {
      await new Promise<void>((resolve) => terminal.stdout.write('', () => resolve()));
      if (failure === undefined) return;
      const { code, message } = toCharretteError(failure);
      throw new CharretteError({
        code,
        message: `The result could not be written: ${message}.`,
        cause: failure,
      });
    },
  };
}

/** The one place where an error becomes text for people. */
function renderError(error: CharretteError, verbose: boolean): string {
  // The code must not look like a part of the last of several lines.
  const after = error.message.includes('\n') ? '\n  ' : ' ';
  const lines = [`charrette: ${error.message}${after}[${error.code}]`, `  fix: ${error.fix}`];
  if (verbose && error.cause instanceof Error && error.cause.stack !== undefined)
    lines.push(error.cause.stack);
  else if (error.code === 'internal' && error.stack !== undefined && verbose) lines.push(error.stack);
  // A message may quote a file or an agent.
  return visibleText(`${lines.join('\n')}\n`);
}
