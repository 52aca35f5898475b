import { isRecord } from '../../base/safe-json.ts';
import { yamlValue } from '../../base/text/frontmatter.ts';
import { trimEndChars } from '../../base/text/strings.ts';
import {
  defaultSettings,
  directoryProblem,
  info,
  type LogLine,
  logLines,
  protectedToken,
  quote,
  readDocument,
  realPath,
  settingsFile,
  type UnreadableReason,
  warning,
} from './defaults.ts';

const tokenPattern = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** All candidates are read at once, so their number is bounded. */
const maximumTokens = 64;

/** The tokens to load, in order. A-55: unsafe ones are ignored, of duplicates the first counts. */
function readPriority(value: unknown, log: LogLine[]): readonly string[] {
  if (value === undefined || value === null) return defaultSettings.priority;
  if (!Array.isArray(value) || value.length === 0) {
    log.push(
      warning(`priority ${quote(value)} is not a list of names; using ${inWords(defaultSettings.priority)}`),
    );
    return defaultSettings.priority;
  }
  const tokens = new Set<string>();
  for (const entry of value.slice(0, maximumTokens)) {
    const token = readToken(entry, log);
    if (token !== undefined) tokens.add(token);
  }
  if (value.length > maximumTokens) {
    log.push(warning(`priority has ${value.length} names; only the first ${maximumTokens} count`));
  }
  if (tokens.size === 0) {
    log.push(warning(`priority has no usable name; using ${inWords(defaultSettings.priority)}`));
    return defaultSettings.priority;
  }
  const priority = [...tokens];
  warnAboutOrder(priority, log);
  return priority;
}

function readToken(entry: unknown, log: LogLine[]): string | undefined {
  const text = typeof entry === 'string' ? entry : typeof entry === 'number' ? String(entry) : '';
  const bare = text.endsWith('.md') ? text.slice(0, -3) : text;
  if (!tokenPattern.test(bare)) {
    log.push(warning(`priority entry ${quote(entry)} is not a document name; ignored`));
    return undefined;
  }
  if (bare !== text) log.push(warning(`priority entry ${quote(entry)} is written without .md: ${bare}`));
  return bare;
}

/** M-011 and A-19: another order is honoured, and said. */
function warnAboutOrder(priority: readonly string[], log: LogLine[]): void {
  if (inWords(priority) === inWords(defaultSettings.priority)) return;
  log.push(
    warning(`priority is ${inWords(priority)}; the usual order is ${inWords(defaultSettings.priority)}`),
  );
  const position = priority.indexOf(protectedToken);
  if (position > 0)
    log.push(warning(`${protectedToken} is not first; its share of the budget is reserved anyway`));
  if (position < 0) log.push(warning(`${protectedToken} is not in the priority list and is not read`));
}

const inWords = (tokens: readonly string[]): string => tokens.join(' > ');

const sizeLimit = 1024 * 1024;

/** The project's settings as a value. Whatever is wrong with the file becomes a message; the parser loads on demand. */
export async function readSettingsFile(root: string): Promise<SettingsSource> {
  const directory = await realPath(root).catch(() => root);
  const reading = await readDocument(directory, settingsFile, sizeLimit);
  if (reading.state === 'absent') return { kind: 'absent' };
  if (reading.state === 'unreadable') return { kind: 'broken', message: reasonOf(reading.reason) };
  if (reading.text.trim() === '') return { kind: 'absent' };
  const plain = readPlainSettings(reading.text);
  if (plain !== undefined) return { kind: 'value', value: plain };
  try {
    const { parseDocument } = await import('yaml');
    const document = parseDocument(reading.text, { logLevel: 'silent', prettyErrors: true });
    const [error] = document.errors;
    if (error !== undefined) return { kind: 'broken', message: oneLine(error.message) };
    return { kind: 'value', value: yamlValue(document) };
  } catch (error) {
    return { kind: 'broken', message: oneLine(error instanceof Error ? error.message : String(error)) };
  }
}

function reasonOf(reason: UnreadableReason): string {
  return reason === 'symlink leaves design dir' ? 'it is a link out of the project' : reason;
}

function oneLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '').slice(0, 200);
}

/**
 * Settings files are nearly always plain: nested keys, words, numbers, short lists, comments. This reads those without the
 * YAML parser, whose loading alone takes half as long as Node takes to start. Whatever else occurs in the text, the
 * result is `undefined` and the parser decides. A property test holds the two together.
 */
export function readPlainSettings(text: string): Record<string, unknown> | undefined {
  const root: Level = { indent: 0, map: {}, key: undefined };
  const levels = [root];
  for (const raw of text.split(/\r?\n/)) {
    const line = withoutComment(raw);
    if (line === '') continue;
    const taken = takeEntry(line, levels) || takeItem(line, levels);
    if (!taken) return undefined;
  }
  return Object.keys(root.map).length === 0 ? undefined : root.map;
}

/** A mapping that is being filled; `key` is its last key as long as that has no value yet. */
type Level = { indent: number; map: Record<string, unknown>; key: string | undefined };

const entryForm = /^( *)([A-Za-z_][A-Za-z0-9_]*):(?: +(\S.*))?$/;
const itemForm = /^( *)- +(\S.*)$/;

function takeEntry(line: string, levels: Level[]): boolean {
  const match = entryForm.exec(line);
  if (match === null) return false;
  const [, spaces = '', key = '', written] = match;
  const level = levelFor(spaces.length, levels);
  if (level === undefined || Object.hasOwn(level.map, key) || key === '__proto__') return false;
  const value = written === undefined ? null : readValue(written);
  if (value === undefined) return false;
  level.map[key] = value;
  level.key = written === undefined ? key : undefined;
  return true;
}

/** The mapping that a key with this indent belongs to: an open one, or a new one below the last key. */
function levelFor(indent: number, levels: Level[]): Level | undefined {
  while (levels.length > 1 && (levels.at(-1)?.indent ?? 0) > indent) levels.pop();
  const last = levels.at(-1);
  if (last === undefined || last.indent === indent) return last;
  if (indent < last.indent || last.key === undefined || last.map[last.key] !== null) return undefined;
  const below: Level = { indent, map: {}, key: undefined };
  last.map[last.key] = below.map;
  last.key = undefined;
  levels.push(below);
  return below;
}

/** `- spec` below a key, deeper than it; all items of a list have the same indent. */
function takeItem(line: string, levels: Level[]): boolean {
  const match = itemForm.exec(line);
  const [, spaces = '', written = ''] = match ?? [];
  const level = levels.at(-1);
  if (match === null || level?.key === undefined || spaces.length !== level.indent + 2) return false;
  const value = readScalar(written);
  if (value === undefined) return false;
  const list = level.map[level.key];
  if (Array.isArray(list)) list.push(value);
  else level.map[level.key] = [value];
  return true;
}

function readValue(written: string): unknown {
  if (!written.startsWith('[')) return readScalar(written);
  // Other blanks than these are none to YAML.
  if (!/^\[[^[\]{}"']*\]$/.test(written) || /[^\S ]/.test(written)) return undefined;
  const inner = written.slice(1, -1).trim();
  if (inner === '') return [];
  const items = inner.split(',').map((item) => readScalar(item.trim()));
  return items.includes(undefined) ? undefined : items;
}

const words: Readonly<Record<string, unknown>> = { true: true, false: false };

/** A word, a path, a whole number, true or false, or quoted text without escapes. */
function readScalar(written: string): string | number | boolean | undefined {
  if (/^(?:0|-?[1-9]\d{0,14})$/.test(written)) return Number(written);
  if (/^(?:"[\w ./-]*"|'[\w ./-]*')$/.test(written)) return written.slice(1, -1);
  if (!/^(?:\.\/|\.)?[A-Za-z][A-Za-z0-9_./-]*$/.test(written)) return undefined;
  if (Object.hasOwn(words, written)) return words[written] as boolean;
  return /^\.?(?:null|true|false|inf|nan)$/i.test(written) ? undefined : written;
}

/** Comments are whole lines or follow a blank; a tab, a quote or a flow character before one is left to the parser. */
function withoutComment(line: string): string {
  const comment = /(?:^| )#/.exec(line);
  return trimEndChars(comment === null ? line : line.slice(0, comment.index), ' ');
}

type DesignSettings = {
  dir: string;
  autoLoad: boolean;
  /** In tokens, a positive integer. */
  budget: number;
  priority: readonly string[];
};

type SettingsReading = { settings: DesignSettings; log: LogLine[] };

/** The content of the settings file: nothing, a value, or invalid YAML. */
export type SettingsSource =
  | { kind: 'absent' }
  | { kind: 'value'; value: unknown }
  | { kind: 'broken'; message: string };

/** Every key falls back on its own; whatever is wrong is named and survived. */
export function readSettings(source: SettingsSource): SettingsReading {
  const section = source.kind === 'value' ? findSection(source.value) : undefined;
  const log: LogLine[] = [];
  if (section === undefined) log.push(info(logLines.notConfigured));
  if (source.kind === 'broken') log.push(warning(`design.yaml cannot be read: ${source.message}`));
  if (section !== undefined && !isRecord(section)) {
    log.push(info(logLines.notConfigured));
    log.push(warning(`design_docs is ${quote(section)}, not a list of keys and values`));
  }
  const keys = isRecord(section) ? section : {};
  const settings = {
    dir: readDirectory(keys['dir'], log),
    autoLoad: readFlag(keys['auto_load_on_design_command'], log),
    budget: readBudget(keys['token_budget'], log),
    priority: readPriority(keys['priority'], log),
  };
  return { settings, log };
}

/** nested below `design`, or at the root. A-52: `null` is absent. */
function findSection(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  const nested = isRecord(value['design']) ? value['design']['design_docs'] : undefined;
  return nested ?? value['design_docs'] ?? undefined;
}

function readDirectory(value: unknown, log: LogLine[]): string {
  if (value === undefined || value === null) return defaultSettings.dir;
  const problem = typeof value === 'string' ? directoryProblem(value) : 'is not text';
  if (problem === undefined && typeof value === 'string') return value;
  log.push(warning(`dir ${quote(value)} ${problem}; using ${defaultSettings.dir}`));
  return defaultSettings.dir;
}

function readFlag(value: unknown, log: LogLine[]): boolean {
  if (value === undefined || value === null) return defaultSettings.autoLoad;
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  log.push(
    warning(
      `auto_load_on_design_command ${quote(value)} is neither true nor false; using ${defaultSettings.autoLoad}`,
    ),
  );
  return defaultSettings.autoLoad;
}

/** M-007, A-54: a positive integer, digits in quotes included. */
function readBudget(value: unknown, log: LogLine[]): number {
  if (value === undefined || value === null) return defaultSettings.budget;
  const budget = parseBudget(value);
  if (budget !== undefined) return budget;
  log.push(
    warning(`token_budget ${quote(value)} is not a positive integer; using ${defaultSettings.budget}`),
  );
  return defaultSettings.budget;
}

/** The budget of a value; `undefined` unless it is a positive integer. */
export function parseBudget(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  const number = /^\d{1,16}$/.test(text) ? Number(text) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
