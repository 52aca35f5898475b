import { isRecord } from '../../base/safe-json.ts';
import { hookEvents } from './events.ts';

/** What of an entry of a host's configuration is ours: nothing, the entry, or the entry without the hooks of others. */
export function ownPart(entry: unknown): unknown {
  const hooks = hooksIn(entry);
  if (hooks === undefined) return isOwnHook(entry) ? entry : undefined;
  const own = hooks.filter(isOwnHook);
  return own.length === 0 ? undefined : { ...(entry as object), hooks: own };
}

/** Where in a list of entries the last thing of ours stands: an entry, or one hook of an entry that has others too. */
export function lastOwnPlace(entries: readonly unknown[]): (string | number)[] | undefined {
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

/** `charrette hook EVENT`, whatever path the program has. */
const call = new RegExp(`charrette["']?\\s+hook\\s+(?:${hookEvents.join('|')})\\b`);

function isOwnHook(hook: unknown): boolean {
  const command = isRecord(hook) ? hook['command'] : undefined;
  return typeof command === 'string' && call.test(command);
}
