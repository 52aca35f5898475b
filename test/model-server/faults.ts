import type { Wire, WireError } from './view.ts';

/** What can go wrong between an agent and its model, besides a status code. */
export const behaviours = [
  'toolong',
  'hang',
  'hangmid',
  'malformed',
  'truncated',
  'reset',
  'html',
  'empty',
] as const;

export type Behaviour = (typeof behaviours)[number];

/**
 * What a subscription says: its five hours are used up for some seconds, its week for days; served with a warning; served with extra
 * usage, which costs money.
 */
const quotaModes = ['quota-5h', 'quota-7d', 'warning', 'overage'] as const;

export type QuotaMode = (typeof quotaModes)[number];
export type Fault = { status: number } | { behaviour: Behaviour } | { quota: QuotaMode };

/** The fault and the run that a base URL names: `/fault/NAME[xCOUNT][@FIRST]/RUN/…` or `/run/RUN/…`. */
export type Place = { run: string; fault?: Fault; key?: string; count: number; first: number };

const faultPath = /^\/fault\/([a-z][a-z0-9-]*?|\d{3})(?:x(\d+))?(?:@(\d+))?\/([^/]+)/;
const runPath = /^\/run\/([^/]+)/;

export function placeOf(path: string): Place {
  const match = faultPath.exec(path);
  if (match === null) return { run: runPath.exec(path)?.[1] ?? '', count: 0, first: 1 };
  const [key, name = '', count, first, run = ''] = match;
  const fault = faultNamed(name);
  const numbers = { count: count === undefined ? Infinity : Number(count), first: Number(first ?? 1) };
  return fault === undefined ? { run, ...numbers } : { run, fault, key, ...numbers };
}

/** Counts the model requests of each base URL and says which of them fail. */
export function faultCounter(): (place: Place) => Fault | undefined {
  const seen = new Map<string, number>();
  return ({ key, fault, count, first }) => {
    if (key === undefined) return undefined;
    const number = (seen.get(key) ?? 0) + 1;
    seen.set(key, number);
    return number >= first && number < first + count ? fault : undefined;
  };
}

type StatusRow = { anthropic: string; openai: string; code: string; gemini: string; message: string };

const statusRows: Record<number, StatusRow> = {
  400: row(
    'invalid_request_error',
    'invalid_request_error',
    'bad_request',
    'INVALID_ARGUMENT',
    'bad request',
  ),
  401: row(
    'authentication_error',
    'invalid_request_error',
    'invalid_api_key',
    'UNAUTHENTICATED',
    'invalid api key',
  ),
  402: row('billing_error', 'insufficient_quota', 'insufficient_quota', 'FAILED_PRECONDITION', 'no quota'),
  403: row('permission_error', 'invalid_request_error', 'forbidden', 'PERMISSION_DENIED', 'forbidden'),
  404: row('not_found_error', 'invalid_request_error', 'model_not_found', 'NOT_FOUND', 'model not found'),
  429: row(
    'rate_limit_error',
    'rate_limit_exceeded',
    'rate_limit_exceeded',
    'RESOURCE_EXHAUSTED',
    'rate limited, retry in 1s',
  ),
  500: row('api_error', 'server_error', 'server_error', 'INTERNAL', 'internal server error'),
  502: row('api_error', 'server_error', 'server_error', 'INTERNAL', 'bad gateway'),
  503: row('api_error', 'server_error', 'server_error', 'UNAVAILABLE', 'unavailable'),
  529: row('overloaded_error', 'server_error', 'server_error', 'UNAVAILABLE', 'Overloaded'),
};

/** These come with `retry-after: 1`. */
export const retryLater: readonly number[] = [429, 503, 529];

/** A status in the vendor's own words. */
export function statusError(status: number, wire: Wire['name']): WireError {
  const { anthropic, openai, code, gemini, message } =
    statusRows[status] ?? statusRows[500] ?? row('', '', '', '', '');
  const type = wire === 'anthropic' ? anthropic : wire === 'gemini' ? gemini : openai;
  return { status, type, code, message: `scripted: ${message}` };
}

function faultNamed(name: string): Fault | undefined {
  const behaviour = behaviours.find((candidate) => candidate === name);
  if (behaviour !== undefined) return { behaviour };
  const quota = quotaModes.find((candidate) => candidate === name);
  if (quota !== undefined) return { quota };
  const status = Number(name);
  return status in statusRows ? { status } : undefined;
}

function row(anthropic: string, openai: string, code: string, gemini: string, message: string): StatusRow {
  return { anthropic, openai, code, gemini, message };
}
