import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentSettings } from '../agents/settings.ts';
import { countCodePoints } from '../base/text/strings.ts';
import { quarterTokens } from '../base/text/tokens.ts';
import type { Price } from '../engine/costs.ts';
import { type Spent, spentOf } from '../engine/costs.ts';
import type { LedgerEntry } from '../engine/ledger.ts';

export type CountedRun = { lanes: string; entries: Iterable<LedgerEntry> };

export type TotalUsage = Spent & {
  /** Some of the tokens were estimated: their agents say nothing about them. */
  estimated: boolean;
};

/**
 * What a limit is held against. A call whose agent reports no usage counts with what was sent and answered, at the price of
 * the model that the configuration names: a limit that counted it as nothing would never hold.
 */
export function totalUsage(
  runs: readonly CountedRun[],
  {
    prices,
    roster,
  }: { prices?: Readonly<Record<string, Price>> | undefined; roster: readonly AgentSettings[] },
): TotalUsage {
  let estimated = false;
  const entries = runs.flatMap(({ lanes, entries }) =>
    [...entries].map((entry): LedgerEntry => {
      if (entry.usage.basis !== 'unknown') return entry;
      estimated = true;
      const model = entry.model ?? roster.find(({ id }) => id === entry.agent)?.model;
      const usage = {
        ...entry.usage,
        basis: 'estimated' as const,
        inputTokens: tokensIn(path.join(lanes, entry.id, 'prompt.md')),
        outputTokens: tokensIn(path.join(lanes, entry.id, 'answer.txt')),
      };
      return { ...entry, ...(model === undefined ? {} : { model }), usage };
    }),
  );
  return { ...spentOf(entries, prices), estimated };
}

/** `12345 tokens, $0.04`, and whether that is only about so; `$?` where nobody knows a price, `$0.04+?` where some calls have none. */
export function describeSpent({ tokens, usd, callsWithoutPrice, estimated }: TotalUsage): string {
  const known = usd > 0 || callsWithoutPrice === 0 ? usd.toFixed(2) : '';
  const unknown = callsWithoutPrice > 0 ? '?' : '';
  const money = [known, unknown].filter((part) => part !== '').join('+');
  return `${estimated ? 'about ' : ''}${tokens} tokens, $${money}`;
}

function tokensIn(file: string): number {
  try {
    return quarterTokens(countCodePoints(readFileSync(file, 'utf8')));
  } catch {
    return 0;
  }
}
