import { type DispatchRecord, dispatchRates, type Rate } from '../rates.ts';

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

/** T-138, T-139: what the calls on record cost, by role, and how often something went wrong. */
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
