export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type Fields = Record<string, string | number | boolean | undefined>;

export type Logger = Record<LogLevel, (message: string, fields?: Fields) => void>;

const ranks: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** A logger that writes one JSON line per message at or above the level. */
export function createLogger(
  level: LogLevel,
  write: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Logger {
  const at =
    (own: LogLevel) =>
    (message: string, fields: Fields = {}) => {
      if (ranks[own] >= ranks[level]) write(JSON.stringify({ level: own, message, ...fields }));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
