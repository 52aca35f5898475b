import { withoutLast } from '../../base/text/strings.ts';
import { dialecticPayload, payloads } from '../../council/breadcrumbs.ts';
import { type DebatePlan, planDebates, type QueuedDebate } from '../../council/debate.ts';
import { decisionId } from '../../council/decisions.ts';
import {
  bodies,
  checkEligibility,
  debateLaneWarning,
  defenceReading,
  quorumWarning,
  renderDefence,
} from '../../council/defence.ts';
import { debateAvailability, judgeAvailability } from '../../council/health.ts';
import {
  buildDialecticBallot,
  decide,
  type EligibleDebate,
  type JudgeBallots,
  type JudgeVotes,
  renderJudgeVotes,
  votesOfVerdict,
} from '../../council/judge.ts';
import { countDispositions, type DialecticOutcome, resolve } from '../../council/resolutions.ts';
import { renderResolutions } from '../../council/resolutions-text.ts';
import { agentLabel } from '../../council/seating.ts';
import { debatePrompt, judgePrompt } from '../../prompts/panel/debate.ts';
import type { Desk, Reply } from './desk.ts';
import { probeAgents } from './health.ts';
import { seatPanel, seatsOf } from './seating.ts';
import { type Design, known, type Place } from './state.ts';
import { checkTree } from './tree.ts';

/** Step 2a.5: only what is contested is argued, before judges who do not know the authors (L-477…L-535). */
export async function dialectic(desk: Desk, design: Design): Promise<Partial<Design>> {
  const decisions = design.decisions ?? [];
  desk.begin('2a.5');
  if (decisions.length === 0) {
    await desk.context.artifact('dialectic-resolutions.md', '');
    desk.skip(payloads.noContestedDecisions);
    return { resolutions: [], resolutionsText: '' };
  }
  const outcomes =
    desk.inputs.dialectic === 'off'
      ? decisions.map((decision): DialecticOutcome => ({ kind: 'off', decision }))
      : await argue(desk, design);
  const resolutions = resolve(outcomes);
  const text = renderResolutions(resolutions);
  await desk.context.artifact('dialectic-resolutions.md', text);
  desk.show('Dialectic Resolutions', text);
  desk.end(dialecticPayload(countDispositions(resolutions)));
  return { resolutions, resolutionsText: text };
}

async function argue(desk: Desk, design: Design): Promise<DialecticOutcome[]> {
  const decisions = known(design, 'decisions');
  const seats = seatsOf(desk, design);
  const plan = planDebates(decisions, debateAvailability(known(design, 'health')), {
    buckets: seats.buckets,
    layout: desk.inputs.debates,
  });
  for (const warning of plan.warnings) desk.warn(warning);
  const debated = await debate(desk, design, plan);
  const eligible = debated.filter((outcome) => outcome.kind === 'judged');
  const verdicts = eligible.length === 0 ? [] : await judge(desk, eligible);
  return [
    ...debated.map((outcome): DialecticOutcome => {
      if (outcome.kind !== 'judged') return outcome;
      const { decision, defences } = outcome;
      return {
        kind: 'judged',
        decision,
        defences,
        verdict: decide(decision.number, verdicts, { bothOrders: desk.inputs.dialectic === 'binding' }),
      };
    }),
    ...plan.skipped.map(({ decision, label }): DialecticOutcome => ({ kind: 'skipped', decision, label })),
    ...plan.overCap.map((decision): DialecticOutcome => ({ kind: 'over-cap', decision, cap: plan.cap })),
  ];
}

type Debated =
  | {
      kind: 'judged';
      decision: EligibleDebate['decision'];
      defences: Pick<EligibleDebate, 'thesis' | 'antithesis'>;
    }
  | Extract<DialecticOutcome, { kind: 'ineligible' }>;

/** L-493: all sides speak at the same time. */
async function debate(desk: Desk, design: Design, plan: DebatePlan): Promise<Debated[]> {
  if (plan.queued.length === 0) return [];
  const chairs = plan.queued.flatMap((queued) => [
    speaker(design, queued, 'thesis'),
    speaker(design, queued, 'antithesis'),
  ]);
  const replies = await desk.ask('debate', chairs);
  await checkTree(desk, 'dialectic-debate-collection');
  const outcomes: Debated[] = [];
  for (const [index, queued] of plan.queued.entries()) {
    const { decision } = queued;
    const [thesis, antithesis] = [replies[2 * index], replies[2 * index + 1]];
    for (const [side, reply] of [['thesis', thesis] as const, ['antithesis', antithesis] as const]) {
      const agent = queued[side];
      if (reply?.kind === 'ok' && reply.value !== undefined) {
        await desk.context.artifact(
          `debate-${decision.number}-${agent}-${side}.txt`,
          renderDefence(reply.value),
        );
      } else {
        desk.warn(debateLaneWarning(agentLabel(agent), decision.number, side, reply?.message ?? 'no answer'));
      }
    }
    const answers = { thesis: spoken(thesis), antithesis: spoken(antithesis) };
    const verdict = checkEligibility(answers);
    if (verdict.eligible) {
      outcomes.push({
        kind: 'judged',
        decision,
        defences: { thesis: verdict.thesis, antithesis: verdict.antithesis },
      });
    } else {
      desk.warn(quorumWarning(decision.number, verdict.reason));
      outcomes.push({ kind: 'ineligible', decision, reason: verdict.reason, defences: heard(answers) });
    }
  }
  return outcomes;
}

function speaker(
  design: Design,
  { decision, thesis, antithesis }: QueuedDebate,
  side: 'thesis' | 'antithesis',
) {
  const agent = side === 'thesis' ? thesis : antithesis;
  const id = `debate-${decision.number}-${side}`;
  const seat: Place = {
    id,
    label: `${decisionId(decision)} ${side}`,
    stance: 'generic',
    agents: [agent],
    owner: agent,
    outside: true,
  };
  return {
    seat,
    lane: id,
    task: `debate-${side}`,
    judgement: 'defence' as const,
    draft: (schema: Parameters<typeof judgePrompt>[0]['schema'], maximumEffort: boolean) =>
      debatePrompt({
        side,
        commission: design.commission,
        synthesis: design.synthesisText ?? '',
        decision,
        schema,
        maximumEffort,
      }),
    input: { decision, synthesis: design.synthesis },
  };
}

function spoken(reply: Reply<'defence'> | undefined) {
  return reply?.kind === 'ok' && reply.value !== undefined ? defenceReading(reply.value) : undefined;
}

/** L-531: what was said all the same is kept with the decision. */
function heard({ thesis, antithesis }: Record<'thesis' | 'antithesis', ReturnType<typeof spoken>>) {
  return {
    ...(thesis === undefined ? {} : { thesis: bodies(thesis) }),
    ...(antithesis === undefined ? {} : { antithesis: bodies(antithesis) }),
  };
}

/** L-512…L-519: three judges; in binding mode each sees both orders, and one that changes sides is a tie. */
async function judge(
  desk: Desk,
  debated: readonly Extract<Debated, { kind: 'judged' }>[],
): Promise<JudgeBallots[]> {
  const debates = debated.map(({ decision, defences }): EligibleDebate => ({ decision, ...defences }));
  const numbers = debates.map(({ decision }) => decision.number);
  const orders =
    desk.inputs.dialectic === 'binding' ? (['rotated', 'swapped'] as const) : (['rotated'] as const);
  const ballots = orders.map((order) => ({
    order,
    ...buildDialecticBallot(debates, { order, neutral: desk.inputs.feature }),
  }));
  await desk.context.artifact('dialectic-ballot.txt', ballots[0]?.text ?? '');
  const seats = await judges(desk);
  const replies = await desk.ask(
    'judge',
    seats.flatMap((seat) =>
      ballots.map(({ order, text }) => ({
        seat,
        lane: order === 'rotated' ? `judge-${seat.id}` : `judge-${seat.id}-swapped`,
        task: 'judge',
        judgement: 'verdict' as const,
        draft: (schema: Parameters<typeof judgePrompt>[0]['schema'], maximumEffort: boolean) =>
          judgePrompt({ ballot: text, schema, maximumEffort }),
        input: {
          debates: debates.map(({ decision, thesis, antithesis }) => ({
            number: decision.number,
            thesis: defenceText(thesis),
            antithesis: defenceText(antithesis),
          })),
        },
      })),
    ),
  );
  await checkTree(desk, 'dialectic-judge-collection');
  const judged: JudgeBallots[] = [];
  for (const [index, seat] of seats.entries()) {
    const own = replies.slice(index * orders.length, (index + 1) * orders.length);
    const readings = own.map((reply) => cast(seat, reply, numbers));
    // What is wrong in both orders is said once.
    for (const warning of new Set(readings.flatMap(({ warnings }) => warnings))) desk.warn(warning);
    const [rotated, swapped] = readings.map(({ votes }) => votes);
    for (const [order, votes] of [['', rotated] as const, ['swapped-', swapped] as const]) {
      if (votes !== undefined)
        await desk.context.artifact(`${seat.id}-judge-${order}output.txt`, renderJudgeVotes(votes));
    }
    judged.push({ judge: seat.label, rotated, swapped });
  }
  return judged;
}

/** L-510: a fresh sign of life, so that a slow debate bars nobody from judging; what it shows stays in this phase. */
async function judges(desk: Desk): Promise<Place[]> {
  const agents = [...desk.services.agents.values()];
  const availability = judgeAvailability(await probeAgents(desk, 'judges', agents));
  return seatPanel(agents, availability, desk.inputs).judges;
}

function cast(
  seat: Place,
  reply: Reply<'verdict'>,
  numbers: readonly number[],
): { votes: JudgeVotes | undefined; warnings: string[] } {
  if (reply.kind === 'ok' && reply.value !== undefined) {
    return votesOfVerdict(seat.label, reply.value, numbers);
  }
  const reason = withoutLast(reply.message ?? reply.kind, '.');
  return { votes: undefined, warnings: [`${seat.label} judge failed — ${reason}.`] };
}

/** The bodies of a defence as one text, for agents that weigh it by rule. */
function defenceText(bodies: EligibleDebate['thesis']): string {
  return Object.entries(bodies)
    .map(([tag, body]) => `<${tag}>${body}</${tag}>`)
    .join('\n');
}
