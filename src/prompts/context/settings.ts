import { isRecord } from '../../base/safe-json.ts';
import { defaultSettings, logLines } from './defaults.ts';
import { directoryProblem } from './location.ts';
import { info, type LogLine, quote, warning } from './log.ts';
import { readPriority } from './priority.ts';

export type DesignSettings = {
  dir: string;
  autoLoad: boolean;
  /** In tokens, a positive integer. */
  budget: number;
  priority: readonly string[];
};

export type SettingsReading = { settings: DesignSettings; log: LogLine[] };

/** What the settings file held: nothing, a value, or text that is no YAML. */
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

/** The budget a value means, or nothing when it is no positive integer. */
export function parseBudget(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  const number = /^\d{1,16}$/.test(text) ? Number(text) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
