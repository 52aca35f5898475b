import {
  applyEdits,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { CharretteError } from '../errors.ts';
import { isRecord } from '../safe-json.ts';
import { isOurs } from './hook-config.ts';

/** What of ours belongs into a settings file of a host. */
export type SharedSettings = {
  /** Hook entries by event, below `hooks`. */
  hooks?: Readonly<Record<string, readonly Record<string, unknown>[]>>;
  /** The MCP server, below `mcpServers.charrette`. */
  server?: Record<string, unknown>;
  /** Fields that a new file must have, such as a version. */
  base?: Record<string, unknown>;
};

const server = ['mcpServers', 'charrette'];

/** Puts our entries into a text, which keeps its comments, its order and its layout; doing it again changes nothing. */
export function addSettings(text: string | undefined, settings: SharedSettings, source: string): string {
  let result = text === undefined || text.trim() === '' ? '{}\n' : text;
  const before = read(result, source);
  refuseOtherShapes(before, settings, source);
  for (const [key, value] of Object.entries(settings.base ?? {}))
    if (before[key] === undefined) result = set(result, [key], value);
  for (const [event, wanted] of Object.entries(settings.hooks ?? {})) {
    const present = listAt(read(result, source), event);
    const ours = present.filter(isOurs);
    if (JSON.stringify(ours) === JSON.stringify(wanted)) continue;
    result = dropOurs(result, event, source);
    for (const entry of wanted) {
      const list = listAt(read(result, source), event);
      result =
        list.length === 0
          ? set(result, ['hooks', event], [entry])
          : set(result, ['hooks', event, list.length], entry, true);
    }
  }
  if (settings.server !== undefined && serverOf(read(result, source)) === undefined)
    result = set(result, server, settings.server);
  return result;
}

/** Where our entries belong there must be nothing, or what can take them. */
function refuseOtherShapes(
  before: Record<string, unknown>,
  { hooks = {} }: SharedSettings,
  source: string,
): void {
  const present = before['hooks'];
  const lists = isRecord(present)
    ? Object.keys(hooks).map((event) => [`hooks.${event}`, present[event]] as const)
    : [];
  const objects = [
    ['hooks', present],
    ['mcpServers', before['mcpServers']],
  ] as const;
  const [wrong] = [
    ...objects
      .filter(([, value]) => value !== undefined && !isRecord(value))
      .map(([place]) => [place, 'an object']),
    ...lists
      .filter(([, value]) => value !== undefined && !Array.isArray(value))
      .map(([place]) => [place, 'a list']),
  ];
  if (wrong === undefined) return;
  throw new CharretteError({
    code: 'config-invalid',
    message: `\`${wrong[0]}\` in ${source} is not ${wrong[1]}; nothing was changed.`,
    fix: 'Correct the file, then install again.',
  });
}

/** Takes our entries out again, and what would be left empty; everything else stays byte for byte. */
export function removeSettings(text: string, settings: SharedSettings, source: string): string {
  let result = text;
  for (const event of Object.keys(settings.hooks ?? {})) result = dropOurs(result, event, source);
  const hooks = read(result, source)['hooks'];
  if (isRecord(hooks) && Object.keys(hooks).length === 0) result = set(result, ['hooks'], undefined);
  const known = serverOf(read(result, source));
  if (settings.server !== undefined && JSON.stringify(known) === JSON.stringify(settings.server)) {
    result = set(result, server, undefined);
    const servers = read(result, source)['mcpServers'];
    if (isRecord(servers) && Object.keys(servers).length === 0)
      result = set(result, ['mcpServers'], undefined);
  }
  return result;
}

/** Nothing but what we would write into a new file. */
export function isBare(text: string, { base }: SharedSettings, source: string): boolean {
  const value = read(text, source);
  return Object.keys(value).every((key) => JSON.stringify(value[key]) === JSON.stringify(base?.[key]));
}

/** A server of that name that is not ours is the user's. */
export function hasForeignServer(
  text: string | undefined,
  settings: SharedSettings,
  source: string,
): boolean {
  if (text === undefined || settings.server === undefined) return false;
  const known = serverOf(read(text, source));
  return known !== undefined && JSON.stringify(known) !== JSON.stringify(settings.server);
}

function dropOurs(text: string, event: string, source: string): string {
  let result = text;
  for (;;) {
    const list = listAt(read(result, source), event);
    const index = list.findLastIndex(isOurs);
    if (index < 0) return result;
    result = set(result, list.length === 1 ? ['hooks', event] : ['hooks', event, index], undefined);
  }
}

function listAt(value: Record<string, unknown>, event: string): unknown[] {
  const hooks = value['hooks'];
  const list = isRecord(hooks) ? hooks[event] : undefined;
  return Array.isArray(list) ? list : [];
}

function serverOf(value: Record<string, unknown>): unknown {
  const servers = value['mcpServers'];
  return isRecord(servers) ? servers['charrette'] : undefined;
}

function set(text: string, path: (string | number)[], value: unknown, insert = false): string {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion: insert }));
}

/** Settings of hosts may have comments and trailing commas; anything worse is left alone. */
function read(text: string, source: string): Record<string, unknown> {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  const twice =
    error === undefined ? repeatedKey(parseTree(text, [], { allowTrailingComma: true })) : undefined;
  if (error === undefined && twice === undefined && isRecord(value)) return value;
  const reason =
    error !== undefined
      ? `${printParseErrorCode(error.error)} at character ${error.offset}`
      : twice !== undefined
        ? `it has the key ${JSON.stringify(twice)} twice`
        : 'it is not an object';
  throw new CharretteError({
    code: 'json-invalid',
    message: `${source} cannot be changed safely: ${reason}.`,
    fix: 'Correct the file; it was left as it is.',
  });
}

/** Readers take the last of two equal keys, the editor changes the first: what is written would never count. */
function repeatedKey(tree: Node | undefined): string | undefined {
  if (tree?.type !== 'object') return undefined;
  const seen = new Set<string>();
  for (const { children: [key, value] = [] } of tree.children ?? []) {
    const name = String(key?.value);
    if (seen.has(name)) return name;
    seen.add(name);
    const inner = name === 'hooks' || name === 'mcpServers' ? repeatedKey(value) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}
