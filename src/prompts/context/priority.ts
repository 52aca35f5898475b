import { defaultSettings, protectedToken } from './defaults.ts';
import { type LogLine, quote, warning } from './log.ts';

const tokenPattern = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** All candidates are read at once, so their number is bounded. */
const maximumTokens = 64;

/** The tokens to load, in order. A-55: unsafe ones are ignored, of duplicates the first counts. */
export function readPriority(value: unknown, log: LogLine[]): readonly string[] {
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
