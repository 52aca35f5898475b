import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeJsonAtomicSync } from '../base/files/atomic.ts';
import { hasCode } from '../base/files/bounded.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { tryLock } from '../engine/lock.ts';
import type { Driver } from './drivers/driver.ts';
import type { LaneResult } from './port.ts';
import type { AgentSettings, World } from './settings.ts';

/** What is known of an account whose limit was reached (Q-012). */
export type AccountMark = {
  agent: string;
  /** When the limit was met, and how often in a row without a known reset. */
  opened: number;
  tries: number;
  resetsAt?: number;
  window?: string;
  /** What the program said. */
  words: string;
  /** A call in progress checks whether the limit still applies. */
  probing?: number;
};

const jitterMs = 30_000;
/** Waits where the reset is unknown: 15, 30, 60 minutes, then each hour (Q-013). */
const unknownWaits = [15, 30, 60].map((minutes) => minutes * 60_000);
/** A call that was to find out may have been killed. */
const longestProbeMs = 15 * 60_000;
/** Clocks are set right in small steps all the time. */
const toleratedMs = 60_000;
/** When others look again whether that call has found out. */
const probeCheckMs = 60_000;

export type AccountState = {
  /** `isKnown`: the program named the reset; `isOver`: the next call checks whether it has come. */
  usedUp?: { until: string; isKnown: boolean; isOver: boolean; window?: string; words: string };
  reading?: { time: string; usedShare: number; window?: string };
};

function accountsFolder({ environment, home }: World): string {
  const state = environment['XDG_STATE_HOME'];
  const root = state !== undefined && path.isAbsolute(state) ? state : path.join(home, '.local', 'state');
  return path.join(root, 'charrette', 'accounts');
}

const slotPauseMs = 200;

/** Runs a call in one of the places that its agent has on this machine, over all processes (Q-043). */
export async function withinCallSlots<Result>(
  { id, variantOf, parallel, account, command, baseUrl }: AgentSettings,
  world: World,
  signal: AbortSignal,
  body: () => Promise<Result>,
): Promise<Result> {
  if (parallel === undefined) return body();
  mkdirSync(accountsFolder(world), { recursive: true, mode: 0o700 });
  const identity = JSON.stringify([variantOf ?? id, account, command, baseUrl]);
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 32);
  for (let slot = 0; ; slot = (slot + 1) % parallel) {
    signal.throwIfAborted();
    const attempt = await tryLock(path.join(accountsFolder(world), `${name}.slot-${slot}`));
    if (attempt.held) {
      try {
        return await body();
      } finally {
        attempt.lock.release();
      }
    }
    if (slot === parallel - 1) await sleep(slotPauseMs, undefined, { signal });
  }
}

/** `isBeingChecked`: another call is finding out whether the limit still applies. */
type Refusal = { message: string; resetsAt?: number; openUntil: number; isBeingChecked?: true };

/** Why an account must not be called. Waits a while for a call that is checking just that. */
export async function refusalOf(account: Account, signal: AbortSignal): Promise<Refusal | undefined> {
  const end = Date.now() + probeCheckMs;
  for (;;) {
    const refusal = account.refusal(Date.now());
    if (refusal?.isBeingChecked !== true || Date.now() >= end) return refusal;
    await sleep(slotPauseMs, undefined, { signal });
  }
}

/** Marks of used-up accounts, kept on the machine: every process and run sees them (Q-010, Q-012). */
export class Account {
  readonly #agent: string;
  readonly #file: string;
  /** The call of this object finds out whether the limit still applies. */
  #probes = false;

  constructor(driver: Driver, settings: AgentSettings, world: World) {
    this.#agent = settings.id;
    this.#file = path.join(accountsFolder(world), `${identityOf(driver, settings, world)}.json`);
  }

  /** Why the account must not be called now; nothing when it may. */
  refusal(now: number): Refusal | undefined {
    const mark = this.read();
    if (mark === undefined) return undefined;
    const until = endOf(mark);
    if (isOver(mark, now)) {
      // Only one call of all processes goes ahead; the others wait for what it finds.
      if (this.#claimProbe(now)) return undefined;
      return {
        message: `${this.#agent} is used up; another call checks whether its limit has reset.`,
        openUntil: now + probeCheckMs,
        isBeingChecked: true,
      };
    }
    const { resetsAt } = mark;
    return {
      message: `${describe(mark)} It was not called; \`charrette agents retry ${this.#agent}\` tries earlier.`,
      ...(resetsAt === undefined ? {} : { resetsAt }),
      openUntil: until,
    };
  }

  /** Takes note of how a call ended: a used-up account is marked, any success clears the mark. */
  note({ kind, message = kind, limit }: LaneResult, now: number): void {
    const before = this.read();
    // A call that began before the limit was met says nothing about the one that checks it now.
    if (this.#probes) rmSync(this.#probe, { force: true });
    this.#probes = false;
    if (limit?.usedShare !== undefined)
      this.#write({ ...limit, time: new Date(now).toISOString() }, this.#seen);
    if (kind === 'ok' && before !== undefined) this.clear();
    if (kind !== 'quota') return;
    // One that was met while the mark was written does not lengthen it.
    if (before !== undefined && !isOver(before, now)) return;
    const { window } = limit ?? {};
    // A reset that has passed already is none.
    const resetsAt = (limit?.resetsAt ?? 0) > now ? limit?.resetsAt : undefined;
    this.#write({
      agent: this.#agent,
      opened: now,
      tries: (before?.tries ?? 0) + 1,
      ...(resetsAt === undefined ? {} : { resetsAt }),
      ...(window === undefined ? {} : { window }),
      words: message.slice(0, 500),
    });
  }

  /** What is known without a call (Q-050): whether it is used up and until when, and the last figures that a call brought. */
  state(now: number): AccountState {
    const mark = this.read();
    const reading = existsSync(this.#seen) ? readJson(readFileSync(this.#seen, 'utf8')) : undefined;
    const seen = reading?.ok === true && isRecord(reading.value) ? reading.value : {};
    const { time, usedShare, window } = seen;
    return {
      ...(mark === undefined
        ? {}
        : {
            usedUp: {
              ...{ until: new Date(endOf(mark)).toISOString(), isKnown: mark.resetsAt !== undefined },
              ...(mark.window === undefined ? {} : { window: mark.window }),
              ...{ words: mark.words, isOver: isOver(mark, now) },
            },
          }),
      ...(typeof time === 'string' && typeof usedShare === 'number'
        ? { reading: { time, usedShare, ...(typeof window === 'string' ? { window } : {}) } }
        : {}),
    };
  }

  /** When the account may be called again; asking does not claim the call that finds out. */
  openUntil(now: number): number | undefined {
    const mark = this.read();
    return mark === undefined || isOver(mark, now) ? undefined : endOf(mark);
  }

  /** A damaged file counts as none. */
  read(): AccountMark | undefined {
    if (!existsSync(this.#file)) return undefined;
    const reading = readJson(readFileSync(this.#file, 'utf8'));
    if (!reading.ok || !isRecord(reading.value)) return undefined;
    const { opened, tries, words } = reading.value;
    const isWhole = typeof opened === 'number' && typeof tries === 'number' && typeof words === 'string';
    return isWhole ? (reading.value as unknown as AccountMark) : undefined;
  }

  clear(): void {
    for (const file of [this.#file, this.#probe]) rmSync(file, { force: true });
  }

  get #seen(): string {
    return `${this.#file}.seen`;
  }

  get #probe(): string {
    return `${this.#file}.probe`;
  }

  /** Making the file is the claim; that of a killed call counts no longer. */
  #claimProbe(now: number): boolean {
    const claimed = statSync(this.#probe, { throwIfNoEntry: false });
    if (claimed !== undefined && Math.abs(Date.now() - claimed.mtimeMs) >= longestProbeMs)
      rmSync(this.#probe, { force: true });
    try {
      writeFileSync(this.#probe, `${now}\n`, { flag: 'wx', mode: 0o600 });
      this.#probes = true;
      return true;
    } catch (error) {
      // A disk that cannot be written to must not keep every call from going ahead.
      return !hasCode(error, 'EEXIST');
    }
  }

  #write(content: object, file = this.#file): void {
    try {
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      writeJsonAtomicSync(file, { schemaVersion: 1, ...content });
      chmodSync(file, 0o600);
    } catch {
      // Best effort: without the mark each call finds out for itself.
    }
  }
}

/** A mark never outlives its reset (Q-013). */
function endOf({ opened, tries, resetsAt }: AccountMark): number {
  if (resetsAt !== undefined) return resetsAt + jitterMs;
  return opened + (unknownWaits[tries - 1] ?? 3_600_000);
}

/** A mark from the future was made by a clock that was wrong; only a reset that the provider named holds then. */
function isOver(mark: AccountMark, now: number): boolean {
  return now >= endOf(mark) || (mark.resetsAt === undefined && now < mark.opened - toleratedMs);
}

/** `claude is used up until 09:53 (five_hour).` */
function describe(mark: AccountMark): string {
  const until = new Date(endOf(mark)).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
  const known = mark.resetsAt === undefined ? `; the reset is unknown, next try ${until}` : ` until ${until}`;
  return `${mark.agent} is used up${known}${mark.window === undefined ? '' : ` (${mark.window})`}.`;
}

/** What identifies a login, as a digest: never the secret itself (Q-010). */
function identityOf({ title, login, quotaPerModel }: Driver, settings: AgentSettings, world: World): string {
  const { environment, home } = world;
  const variables = (login?.variables ?? []).map((name) => settings.env?.[name] ?? environment[name] ?? null);
  const moved = (login?.files ?? []).map(({ moved: place }) =>
    place === undefined ? null : (environment[place.variable] ?? null),
  );
  const parts = [
    ...[title, home, settings.baseUrl ?? null, settings.account ?? null],
    ...(settings.account === undefined ? [variables, moved, settings.command ?? null] : []),
    ...(quotaPerModel === true ? [settings.model ?? null] : []),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
