import type { LaneKind } from './port.ts';

/** What a program says about the limits of its account, as fields; `usedShare` is 0 to 1. */
export type LimitNote = {
  resetsAt?: number;
  /** When the account may be called again, also where its reset is unknown. */
  openUntil?: number;
  window?: string;
  usedShare?: number;
  billed?: boolean;
};

/** A pause that the provider names up to this long is a rate limit; a longer one is a used-up window (Q-001). */
const longestPauseMs = 5 * 60_000;

/** An epoch below this is in seconds (Q-002). */
const leastMilliseconds = 100_000_000_000;
/** In the year 2286: what is more counts something smaller than milliseconds. */
const mostMilliseconds = 10_000_000_000_000;

const usedUp =
  /usage limit|hit your [\w'’ -]{0,40}limit|(?:hour|session|daily|weekly|monthly) limit reached|daily quota|weekly usage|quota (?:is )?(?:exhausted|exceeded|reached)|exhausted your [\w ]{0,20}quota|no quota|quota_exhausted|freeusagelimiterror|gousagelimiterror/i;
const moneyOnly = /out of (?:usage )?credits|spend (?:cap|limit)|insufficient_quota|usage_not_included/i;

/** Kinds that a used-up account can look like. */
const candidates: readonly LaneKind[] = ['rate_limit', 'limit', 'crash'];

/**
 * Tells a pause from a used-up window and from money. Only texts that a program marked as its error come here (Q-005); fields win
 * over words (Q-002).
 */
export function refineLimit(
  kind: LaneKind,
  message: string,
  note: LimitNote | undefined,
  now: number,
): { kind: LaneKind; resetsAt?: number } {
  if (!candidates.includes(kind)) return { kind };
  const isUsedUp = usedUp.test(message) || note?.resetsAt !== undefined;
  const resetsAt = note?.resetsAt ?? (isUsedUp || kind === 'rate_limit' ? resetIn(message, now) : undefined);
  if (resetsAt === undefined && moneyOnly.test(message)) return { kind: 'limit' };
  if (resetsAt !== undefined && resetsAt - now > longestPauseMs) return { kind: 'quota', resetsAt };
  if (isUsedUp && (resetsAt === undefined || kind !== 'rate_limit'))
    return { kind: 'quota', ...(resetsAt === undefined ? {} : { resetsAt }) };
  return { kind };
}

/** An epoch in seconds or milliseconds; nothing for what is neither (Q-002). */
export function epochMs(value: number | undefined): number | undefined {
  if (value === undefined || !(value > 0 && value < mostMilliseconds)) return undefined;
  return value < leastMilliseconds ? value * 1000 : value;
}

/** When a text says that the limit resets; nothing when it does not say so exactly enough (Q-004). */
export function resetIn(text: string, now: number): number | undefined {
  const epoch = /\|\s*(\d{10,13})\b/.exec(text)?.[1];
  if (epoch !== undefined) return epochMs(Number(epoch));
  return dateIn(text, now) ?? durationIn(text, now) ?? clockIn(text, now);
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `Nov 22nd, 2026 6:53 AM` and `10/2/2026`. */
function dateIn(text: string, now: number): number | undefined {
  const named =
    /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?(?:,? (?:at )?(\d{1,2})(?::(\d{2}))? ?([ap]m)?)?/i.exec(
      text,
    );
  if (named !== null) {
    const [, month = '', day, year, hour, minute, half] = named;
    const thisYear = new Date(now).getUTCFullYear();
    const at = (chosen: number) =>
      inZone(
        {
          year: chosen,
          month: months.indexOf(month.toLowerCase()) + 1,
          day: Number(day),
          ...clock(hour, minute, half),
        },
        zoneIn(text),
      );
    const found = at(year === undefined ? thisYear : Number(year));
    // A day that has just passed is this year's: its reset is over.
    return year === undefined && found < now - 86_400_000 ? at(thisYear + 1) : found;
  }
  const numbers = /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/.exec(text);
  if (numbers === null) return undefined;
  const [, month, day, year] = numbers.map(Number);
  if (month === undefined || month > 12 || day === undefined || day > 31 || year === undefined)
    return undefined;
  return inZone({ year, month, day, hour: 0, minute: 0 }, zoneIn(text));
}

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };

/** `in 7h12m5s`, `after 2 days 3 hours`, `Resets in 156h13m`. */
function durationIn(text: string, now: number): number | undefined {
  const found =
    /(?:resets?|retry|try again|available)\w* (?:in|after) ((?:\d+(?:\.\d+)? ?(?:days?|hours?|minutes?|seconds?|d|h|m|s)\b[ ,]*(?:and )?|\d+(?:\.\d+)?[dhms](?=\d|\b))+)/i.exec(
      text,
    )?.[1];
  if (found === undefined) return undefined;
  const parts = [...found.matchAll(/(\d+(?:\.\d+)?) ?([dhms])/gi)];
  const total = parts.reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (units[unit.toLowerCase()] ?? 0),
    0,
  );
  return total > 0 ? now + total : undefined;
}

/** `resets 9:53am (UTC)`, `try again at 15:30`: the next such time in its zone. */
function clockIn(text: string, now: number): number | undefined {
  const found =
    /(?:resets?(?: at)?|try again at|available at) (\d{1,2})(?::(\d{2}))? ?([ap]m)?(?![\d/])/i.exec(text);
  if (found === null) return undefined;
  const [, hour, minute, half] = found;
  if (minute === undefined && half === undefined) return undefined;
  const { hour: hours, minute: minutes } = clock(hour, minute, half);
  if (hours > 23 || minutes > 59) return undefined;
  const zone = zoneIn(text);
  const today = dayIn(now, zone);
  for (const days of [0, 1]) {
    const at = inZone({ ...today, day: today.day + days, hour: hours, minute: minutes }, zone);
    if (at > now) return at;
  }
  return undefined;
}

function clock(hour = '0', minute = '0', half: string | undefined = undefined) {
  const hours = Number(hour);
  const shifted = half === undefined ? hours : (hours % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  return { hour: shifted, minute: Number(minute) };
}

/** The zone in brackets; default: that of this process, in which the program wrote the time. */
function zoneIn(text: string): string | undefined {
  const name = /\((UTC|GMT|[A-Z][A-Za-z]+\/[A-Za-z_/+-]+)\)/.exec(text)?.[1];
  if (name === undefined) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

type Wall = { year: number; month: number; day: number; hour: number; minute: number };

function dayIn(time: number, timeZone: string | undefined): Wall {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...(timeZone === undefined ? {} : { timeZone }),
    ...{
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      hourCycle: 'h23',
    },
  } as Intl.DateTimeFormatOptions).formatToParts(time);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
  };
}

/**
 * The moment at which the clocks of a zone show this; daylight saving is that of the day itself. A time that they skip counts from
 * before the change: a call that comes too early would be refused.
 */
function inZone({ year, month, day, hour, minute }: Wall, zone: string | undefined): number {
  const wanted = Date.UTC(year, month - 1, day, hour, minute);
  const missing = (time: number) => {
    const shown = dayIn(time, zone);
    return wanted - Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute);
  };
  const first = wanted + missing(wanted);
  const second = first + missing(first);
  return second + Math.max(0, missing(second));
}
