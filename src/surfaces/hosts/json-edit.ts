import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { CharretteError } from '../../base/errors.ts';
import { isRecord } from '../../base/safe-json.ts';
import { hookEvents } from './events.ts';

/** What of an entry of a host's configuration is ours: nothing, the entry, or the entry without the hooks of others. */
function ownPart(entry: unknown): unknown {
  const hooks = hooksIn(entry);
  if (hooks === undefined) return isOwnHook(entry) ? entry : undefined;
  const own = hooks.filter(isOwnHook);
  return own.length === 0 ? undefined : { ...(entry as object), hooks: own };
}

/** Position of our last thing in a list of entries: an entry, or one hook of an entry that has others too. */
function lastOwnPlace(entries: readonly unknown[]): (string | number)[] | undefined {
  const index = entries.findLastIndex((entry) => ownPart(entry) !== undefined);
  if (index < 0) return undefined;
  const hooks = hooksIn(entries[index]) ?? [];
  return hooks.every(isOwnHook) ? [index] : [index, 'hooks', hooks.findLastIndex(isOwnHook)];
}

/** Hosts list hooks one by one, or several of one matcher in an entry. */
function hooksIn(entry: unknown): unknown[] | undefined {
  const hooks = isRecord(entry) ? entry['hooks'] : undefined;
  return Array.isArray(hooks) ? hooks : undefined;
}

/** Hooks of version 0.1.0 that an update takes out. */
const formerEvents = ['pre-tool-use'];

/** `charrette hook EVENT`, whatever path the program has. */
const call = new RegExp(`charrette["']?\\s+hook\\s+(?:${[...hookEvents, ...formerEvents].join('|')})\\b`);

function isOwnHook(hook: unknown): boolean {
  const command = isRecord(hook) ? hook['command'] : undefined;
  return typeof command === 'string' && call.test(command);
}

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
  const { hooks = {} } = settings;
  for (const event of eventsIn(before))
    if (hooks[event] === undefined) result = dropOurs(result, event, source);
  for (const [event, wanted] of Object.entries(hooks)) {
    const present = listAt(read(result, source), event);
    const ours = present.map(ownPart).filter((part) => part !== undefined);
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
  for (const event of eventsIn(read(text, source))) result = dropOurs(result, event, source);
  if (isBlank(result, 'hooks')) result = set(result, ['hooks'], undefined);
  const known = serverOf(read(result, source));
  if (settings.server !== undefined && JSON.stringify(known) === JSON.stringify(settings.server)) {
    result = set(result, server, undefined);
    if (isBlank(result, 'mcpServers')) result = set(result, ['mcpServers'], undefined);
  }
  return result;
}

/** Whether an object has nothing in it, not even a comment. */
function isBlank(text: string, key: string): boolean {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, [key]);
  return node !== undefined && /^\{\s*\}$/.test(text.slice(node.offset, node.offset + node.length));
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
    const place = lastOwnPlace(list);
    if (place === undefined) return result;
    const isAll = list.length === 1 && place.length === 1;
    result = isAll
      ? set(result, ['hooks', event], undefined)
      : dropItem(result, ['hooks', event, ...place], source);
  }
}

/** Takes one of several items out of a list. The editor's own way leaves a bracket behind where no space is before `]`. */
function dropItem(text: string, path: (string | number)[], source: string): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const item = tree === undefined ? undefined : findNodeAtLocation(tree, path);
  if (item === undefined) throw unsafe(source, `it has nothing at ${path.join('.')}`);
  const items = item.parent?.children ?? [];
  const before = items[items.indexOf(item) - 1];
  const next = items[items.indexOf(item) + 1];
  if (next !== undefined) return text.slice(0, item.offset) + text.slice(next.offset);
  const from = before === undefined ? item.offset : before.offset + before.length;
  return text.slice(0, from) + text.slice(item.offset + item.length);
}

function eventsIn({ hooks }: Record<string, unknown>): string[] {
  return isRecord(hooks) ? Object.keys(hooks) : [];
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

/** Settings of hosts may have comments and trailing commas; anything worse is not edited. */
function read(text: string, source: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  if (text.startsWith('\uFEFF')) throw unsafe(source, 'it begins with a byte order mark');
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
  throw unsafe(source, reason);
}

function unsafe(source: string, reason: string): CharretteError {
  return new CharretteError({
    code: 'json-invalid',
    message: `${source} cannot be changed safely: ${reason}.`,
    fix: 'Correct the file; it was not changed.',
  });
}

/** Readers take the last of two equal keys, the editor changes the first: what is written would never count. */
function repeatedKey(tree: Node | undefined, isBelowHooks = false): string | undefined {
  if (tree?.type === 'array' && isBelowHooks)
    return firstOf(tree.children, (item) => repeatedKey(item, true));
  if (tree?.type !== 'object') return undefined;
  const seen = new Set<string>();
  return firstOf(tree.children, ({ children: [key, value] = [] }) => {
    const name = String(key?.value);
    if (seen.has(name)) return name;
    seen.add(name);
    const inHooks = isBelowHooks || name === 'hooks';
    return inHooks || name === 'mcpServers' ? repeatedKey(value, inHooks) : undefined;
  });
}

function firstOf(nodes: readonly Node[] = [], find: (node: Node) => string | undefined): string | undefined {
  for (const node of nodes) {
    const found = find(node);
    if (found !== undefined) return found;
  }
  return undefined;
}
