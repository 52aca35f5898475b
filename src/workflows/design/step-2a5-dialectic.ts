import { dialecticPayload, payloads } from '../../council/breadcrumbs.ts';
import { type Debate, debate, planDebates } from '../../council/debate.ts';
import { debateAvailability } from '../../council/health.ts';
import { judge } from '../../council/judge.ts';
import { countDispositions, type Resolution, resolve } from '../../council/resolutions.ts';
import { renderResolutions } from '../../council/resolutions-text.ts';
import type { Approach } from '../../council/synthesis.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import type { Desk } from './desk.ts';
import type { SeatedTable } from './inputs.ts';
import { freshJury } from './table.ts';

/** Step 2a.5: contested decisions are debated, then judged; each gets a resolution (L-477…L-535). */
export async function settleDecisions(
  desk: Desk,
  table: SeatedTable,
  commission: Commission,
  { synthesis, decisions }: Approach,
): Promise<Resolution[]> {
  desk.begin('2a.5');
  if (decisions.length === 0) {
    await desk.artifact('dialectic-resolutions.md', '');
    desk.skip(payloads.noContestedDecisions);
    return [];
  }
  const { dialectic, debates: layout, feature } = desk.inputs;
  const bothOrders = dialectic === 'binding';
  const debates: Debate[] =
    dialectic === 'off'
      ? decisions.map((decision) => ({ kind: 'off', decision }))
      : await debate(
          desk,
          planDebates(decisions, debateAvailability(table.health), { buckets: table.buckets, layout }),
          { commission, synthesis },
        );
  const heard = debates.filter((each) => each.kind === 'heard');
  const ballots =
    heard.length === 0
      ? []
      : await judge(desk, heard, await freshJury(desk), { bothOrders, neutral: feature });
  const resolutions = resolve(debates, ballots, { bothOrders });
  const text = renderResolutions(resolutions);
  await desk.artifact('dialectic-resolutions.md', text);
  desk.show('Dialectic Resolutions', text);
  desk.end(dialecticPayload(countDispositions(resolutions)));
  return resolutions;
}
