import { withoutLast } from '../../base/text/strings.ts';

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
  return withoutLast(comment === null ? line : line.slice(0, comment.index), ' ');
}
