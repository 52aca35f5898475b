import { dialecticPayload, payloads } from '../../council/breadcrumbs.ts';
import { type Debate, debate, type HeardDebate, planDebates } from '../../council/debate.ts';
import { debateAvailability } from '../../council/health.ts';
import { type JudgeBallots, judge } from '../../council/judge.ts';
import { countDispositions, type Resolution, resolve } from '../../council/resolutions.ts';
import { renderResolutions } from '../../council/resolutions-text.ts';
import type { Approach } from '../../council/synthesis.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import { addLoss } from './degraded.ts';
import type { Desk } from './desk.ts';
import type { SeatedTable } from './inputs.ts';
import { freshJury, noteAbsent } from './table.ts';

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
  const { dialectic, debates: layout } = desk.inputs;
  const bothOrders = dialectic === 'binding';
  const debates: Debate[] =
    dialectic === 'off'
      ? decisions.map((decision) => ({ kind: 'off', decision }))
      : await debate(
          desk,
          planDebates(decisions, debateAvailability(table.health), { buckets: table.buckets, layout }),
          { commission, synthesis },
        );
  for (const { label, planned } of table.buckets.filter(({ agent, planned }) => agent === '' && planned)) {
    const isSkipped = debates.some((each) => each.kind === 'skipped' && each.label === label);
    if (planned !== undefined && isSkipped)
      addLoss(desk.degraded, {
        ...{ role: 'debate', seat: label, planned: planned.agent, actual: null },
        reason: planned.down ?? 'unavailable',
      });
  }
  const heard = debates.filter((each) => each.kind === 'heard');
  const ballots = heard.length === 0 ? [] : await hearJudges(desk, table, heard);
  const resolutions = resolve(debates, ballots, { bothOrders });
  const text = renderResolutions(resolutions);
  await desk.artifact('dialectic-resolutions.md', text);
  desk.show('Dialectic Resolutions', text);
  desk.end(dialecticPayload(countDispositions(resolutions)));
  return resolutions;
}

async function hearJudges(
  desk: Desk,
  { announced }: SeatedTable,
  debates: readonly HeardDebate[],
): Promise<JudgeBallots[]> {
  const { dialectic, feature: neutral } = desk.inputs;
  const jury = await freshJury(desk, announced);
  noteAbsent(desk, jury, 'judge');
  return judge(desk, debates, jury.judges, { bothOrders: dialectic === 'binding', neutral });
}
