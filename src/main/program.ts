import { CharretteError, exitCodeOf, isCharretteError, toCharretteError } from '../base/errors.ts';
import { suggestion } from '../base/text/format.ts';
import { terminalText, visibleJson } from '../base/text/untrusted.ts';
import { version } from '../base/version.ts';
import type { CommandResult, CommandSpec, GlobalFlags, LazyCommand, Terminal } from '../service/command.ts';
import { indexOfCommand, stopExit } from '../service/command.ts';
import { pageWidth, renderRootHelp } from '../surfaces/cli/help.ts';
import { parseInvocation } from '../surfaces/cli/parse.ts';
import { giveSize, renderError, watchOutput } from '../surfaces/cli/terminal.ts';
import { commands, openObserver } from './commands.ts';

/** Runs one command line from words to exit code; never throws. */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  const controller = new AbortController();
  const stopListening = abortOnSignals(controller);
  const output = watchOutput(terminal);
  giveSize(terminal.stdout, terminal.stderr);
  try {
    const found = await findCommand(words);
    if (found === undefined) return answerWithoutCommand(words, terminal);
    const parsed = parseInvocation(found.spec, found.path, found.words, terminal);
    if (parsed.kind === 'help') return printHelp(parsed.text, words, terminal);
    if (parsed.kind === 'version') return printVersion(words, terminal);
    if (found.spec.run === undefined) throw missingSubcommand(found.spec, found.path);
    if (parsed.global.dryRun && found.spec.dryRun === undefined) throw noRehearsal(found.path);
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
      const flags = withoutText(words);
      terminal.stderr.write(renderError(error, flags.includes('--verbose') || flags.includes('-v')));
    }
    return exitCodeOf(error);
  } finally {
    stopListening();
  }
}

/** `charrette`, `charrette --help`, `charrette --version` and flags that belong to no command. */
function answerWithoutCommand(words: readonly string[], terminal: Terminal): number {
  const parsed = parseInvocation(rootSpec, 'charrette', words, terminal);
  if (parsed.kind === 'version') return printVersion(words, terminal);
  return printHelp(renderRootHelp(commands, pageWidth(terminal.stdout)), words, terminal);
}

const rootSpec: CommandSpec = { name: 'charrette', summary: '', examples: [] };

function printVersion(words: readonly string[], terminal: Terminal): number {
  terminal.stdout.write(wantsJson(words) ? `${JSON.stringify({ version })}\n` : `${version}\n`);
  return 0;
}

function printHelp(text: string, words: readonly string[], terminal: Terminal): number {
  terminal.stdout.write(wantsJson(words) ? `${JSON.stringify({ help: text })}\n` : text);
  return 0;
}

type Found = { spec: CommandSpec; path: string; words: readonly string[] };

async function findCommand(words: readonly string[]): Promise<Found | undefined> {
  const start = indexOfCommand(words);
  const name = start === undefined ? undefined : words[start];
  if (start === undefined || name === undefined || name === 'help') {
    const topic = name === 'help' ? words[(start ?? 0) + 1] : undefined;
    if (topic === undefined || topic.startsWith('-')) return undefined;
    return findCommand([topic, '--help', ...(wantsJson(words) ? ['--json'] : [])]);
  }
  let spec = await loadCommand(commands, name, 'charrette');
  let path = `charrette ${name}`;
  let rest = [...words.slice(0, start), ...words.slice(start + 1)];
  while (spec.subcommands !== undefined) {
    const at = indexOfCommand(rest);
    const next = at === undefined ? undefined : rest[at];
    if (at === undefined || next === undefined) break;
    if (spec.run !== undefined && !Object.hasOwn(spec.subcommands, next)) break;
    spec = await loadCommand(spec.subcommands, next, path);
    path = `${path} ${next}`;
    rest = [...rest.slice(0, at), ...rest.slice(at + 1)];
  }
  return { spec, path, words: rest };
}

async function loadCommand(
  table: Readonly<Record<string, LazyCommand>>,
  name: string,
  path: string,
): Promise<CommandSpec> {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry !== undefined) return entry.load();
  throw new CharretteError({
    code: 'unknown-command',
    message: `\`${path} ${name}\` is not a command.${suggestion(name, Object.keys(table))}`,
    fix: `Run \`${path} --help\` for the list.`,
  });
}

function missingSubcommand(spec: CommandSpec, path: string): CharretteError {
  const names = Object.keys(spec.subcommands ?? {}).join(', ');
  return new CharretteError({
    code: 'usage',
    message: `\`${path}\` needs one of: ${names}.`,
    fix: `Run \`${path} --help\`.`,
  });
}

/** What cannot be rehearsed is not begun. */
function noRehearsal(path: string): CharretteError {
  return new CharretteError({
    code: 'usage',
    message: `\`${path}\` cannot say beforehand what it would do, so it does not take --dry-run.`,
    fix: `Leave --dry-run out; \`${path} --help\` says what the command does.`,
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

/** Known before parsing too, so that a wrong command line still answers in the asked form. */
function wantsJson(all: readonly string[]): boolean {
  const words = withoutText(all);
  const forms = ['json', 'stream-json'];
  const output = words.indexOf('--output');
  return (
    words.includes('--json') ||
    forms.some((form) => words.includes(`--output=${form}`)) ||
    (output >= 0 && forms.includes(words[output + 1] ?? ''))
  );
}

/** The words before `--`. */
function withoutText(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
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
