import type { LogLevel } from './logger.ts';

export type Config = {
  host: string;
  port: number;
  logLevel: LogLevel;
  /** Signs customer tokens. */
  tokenSecret: string;
  tokenLifetimeSeconds: number;
  /** In euros, as people write it. */
  shippingFee: number;
  /** Where records are kept; absent means in memory. */
  dataDirectory: string | undefined;
};

const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Reads the configuration from environment variables; a wrong value stops the program with a clear message. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  return {
    host: env.SHOP_HOST ?? '127.0.0.1',
    port: readNumber(env, 'SHOP_PORT', 8080),
    logLevel: readLogLevel(env.SHOP_LOG_LEVEL),
    tokenSecret: env.SHOP_TOKEN_SECRET ?? 'for development only',
    tokenLifetimeSeconds: readNumber(env, 'SHOP_TOKEN_LIFETIME', 3600),
    shippingFee: readNumber(env, 'SHOP_SHIPPING_FEE', 4.9),
    dataDirectory: env.SHOP_DATA,
  };
}

function readNumber(env: Record<string, string | undefined>, name: string, fallback: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0)
    throw new Error(`${name} must be a number of at least 0, not "${text}"`);
  return value;
}

function readLogLevel(text: string | undefined): LogLevel {
  if (text === undefined) return 'info';
  const level = logLevels.find((candidate) => candidate === text);
  if (level === undefined)
    throw new Error(`SHOP_LOG_LEVEL must be one of ${logLevels.join(', ')}, not "${text}"`);
  return level;
}
