import type { Grade } from './confirmation.ts';

/** T-139: tokens of one call by where they come from. */
export type DispatchCost = {
  /** Artifacts the prompt orders to read. */
  readTokens: number;
  /** The part of the prompt that says what changed. */
  deltaTokens: number;
  /** The session so far, which a continued call sends again. */
  replayedTokens: number;
  /** Of the session, as the time since its last use tells. */
  cache: 'none' | 'warm' | 'cold';
  /** The same call with every document in the prompt. */
  fullTokens: number;
  basis: 'counted prompt, estimated reads';
};

/** One call as the log keeps it, beyond the life of the feature. */
export type DispatchRecord = {
  v: 1;
  time: string;
  feature: string;
  command: string;
  role: string;
  iteration: number;
  /** How the call was made. */
  kind: 'fresh' | 'resumed';
  promptCharacters: number;
  promptTokens?: number;
  /** T-139: what the call made the agent read besides its prompt. Missing in records of earlier versions. */
  cost?: DispatchCost;
  /** Only for fresh calls (T-078). */
  confirmation?: Grade;
  /** A continuation was tried and a fresh call replaced it. */
  resumeFallback?: string;
  /** A continuation would have cost too much. */
  guardTripped?: boolean;
};

export type Rate = { name: string; count: number; of: number; share: number; limit: number; alarm: boolean };

/** T-079, T-138. */
const limits = { lazyLoad: 0.2, resumeFallback: 0.2, guard: 0.5 } as const;

/** How often reads were not confirmed, continuations failed and the guard tripped, each with its alarm. */
export function dispatchRates(records: readonly DispatchRecord[]): Rate[] {
  const graded = records.filter((record) => record.kind === 'fresh' && record.confirmation !== undefined);
  const attempts = records.filter(
    (record) => record.kind === 'resumed' || record.resumeFallback !== undefined,
  );
  const later = records.filter((record) => record.iteration > 1);
  const count = (list: readonly DispatchRecord[], test: (record: DispatchRecord) => boolean) =>
    list.filter(test).length;
  return [
    rate(
      'lazy-load-warning',
      count(graded, ({ confirmation }) => confirmation === 'missing'),
      graded.length,
      limits.lazyLoad,
    ),
    rate(
      'resume-fallback',
      count(attempts, ({ resumeFallback }) => resumeFallback !== undefined),
      attempts.length,
      limits.resumeFallback,
    ),
    rate(
      'guard-trip',
      count(later, ({ guardTripped }) => guardTripped === true),
      later.length,
      limits.guard,
    ),
  ];
}

function rate(name: string, count: number, of: number, limit: number): Rate {
  const share = of === 0 ? 0 : count / of;
  return { name, count, of, share, limit, alarm: share > limit };
}

export type RoleFigures = {
  command: string;
  role: string;
  calls: number;
  resumed: number;
  promptTokens: number;
  readTokens: number;
  deltaTokens: number;
  replayedTokens: number;
};

export type CallReport = {
  calls: number;
  features: number;
  roles: readonly RoleFigures[];
  /** Against every document in every prompt; prompt alone and with reads, always both. */
  saving: { fullTokens: number; promptShare: number; effectiveShare: number; calls: number };
  rates: readonly Rate[];
  basis: string;
};

const basis =
  'prompts counted with o200k; reads and the full counterpart estimated from the files as they were; replayed tokens are those of the session so far';

/** T-138, T-139: the cost of the recorded calls by role, and how often they failed. */
export function callReport(records: readonly DispatchRecord[]): CallReport {
  const roles = new Map<string, RoleFigures>();
  let [full, prompts, effective, priced] = [0, 0, 0, 0];
  for (const { command, role, kind, promptTokens = 0, cost } of records) {
    const key = `${command}/${role}`;
    const row = roles.get(key) ?? emptyRow(command, role);
    roles.set(key, {
      ...row,
      calls: row.calls + 1,
      resumed: row.resumed + (kind === 'resumed' ? 1 : 0),
      promptTokens: row.promptTokens + promptTokens,
      readTokens: row.readTokens + (cost?.readTokens ?? 0),
      deltaTokens: row.deltaTokens + (cost?.deltaTokens ?? 0),
      replayedTokens: row.replayedTokens + (cost?.replayedTokens ?? 0),
    });
    if (cost === undefined) continue;
    priced += 1;
    full += cost.fullTokens;
    prompts += promptTokens;
    effective += promptTokens + cost.readTokens;
  }
  const share = (tokens: number) => (full === 0 ? 0 : tokens / full);
  return {
    calls: records.length,
    features: new Set(records.map(({ feature }) => feature)).size,
    roles: [...roles.values()],
    saving: {
      fullTokens: full,
      promptShare: share(prompts),
      effectiveShare: share(effective),
      calls: priced,
    },
    rates: dispatchRates(records),
    basis,
  };
}

function emptyRow(command: string, role: string): RoleFigures {
  return {
    command,
    role,
    calls: 0,
    resumed: 0,
    promptTokens: 0,
    readTokens: 0,
    deltaTokens: 0,
    replayedTokens: 0,
  };
}
