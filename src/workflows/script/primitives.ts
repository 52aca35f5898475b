import { attributionWords, stripAttribution } from '../../council/ballots.ts';
import { decide, type JudgeVotes } from '../../council/judge.ts';
import { quorumOf, votesOf } from '../../council/vote.ts';
import type { Answerer } from './messages.ts';

// Charrette's own primitives, made of agent calls and of the council's rules (W-163): blind ballots in both orders, an
// inconsistent judge counts for neither side, two judges must agree and more need a majority.

export type SeatReply = { value: unknown; by?: Answerer; reason?: string };

type Means = {
  seats: readonly Answerer[];
  callSeat(prompt: string, options: Record<string, unknown>): Promise<unknown>;
  parallel(thunks: (() => unknown)[]): Promise<unknown[]>;
  quote(value: unknown, title?: string): string;
};

type Options = Record<string, unknown>;

const maxSeats = 50;
const defaultJudges = 3;

const textSchema = { type: 'string' };
const objectOf = (properties: Record<string, unknown>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

export function councilPrimitives({ seats, callSeat, parallel, quote }: Means) {
  const agentAt = (index: number) => seats[index % Math.max(1, seats.length)]?.agent ?? '';

  /** Asks several seats at once, each of another agent where there are enough. */
  async function askSeats(
    count: number,
    question: (index: number) => [prompt: string, options: Options],
  ): Promise<SeatReply[]> {
    const replies = await parallel(
      Array.from({ length: count }, (_, seat) => () => {
        const [prompt, options] = question(seat);
        return callSeat(prompt, { seat, ...options });
      }),
    );
    return replies.map((reply) => (reply ?? { value: null, reason: 'the call failed' }) as SeatReply);
  }

  async function panel(prompt: unknown, given: unknown = {}) {
    const { seats: wanted, agents, quorum, label, ...options } = given as Options;
    const stances = Array.isArray(wanted) ? wanted.map(String) : undefined;
    const names = Array.isArray(agents) ? agents.map(String) : undefined;
    const count = stances?.length ?? (typeof wanted === 'number' ? wanted : (names?.length ?? seats.length));
    if (!Number.isInteger(count) || count < 1 || count > maxSeats)
      throw new TypeError(`panel() takes 1 to ${maxSeats} seats.`);
    const nameOf = (index: number) => stances?.[index] ?? `seat ${index + 1}`;
    const replies = await askSeats(count, (index) => [
      stances === undefined ? String(prompt) : `${String(prompt)}\n\nYour point of view: ${nameOf(index)}`,
      {
        ...options,
        label: label === undefined ? nameOf(index) : `${String(label)}: ${nameOf(index)}`,
        ...(names === undefined ? {} : { agent: names[index % names.length] }),
      },
    ]);
    const answers = replies.flatMap(({ value, by }, index) =>
      value === null || value === undefined ? [] : [{ seat: nameOf(index), ...by, value }],
    );
    const missing = replies.flatMap(({ value, by, reason = 'no answer' }, index) =>
      value === null || value === undefined
        ? [
            {
              seat: nameOf(index),
              agent: by?.agent ?? names?.[index % names.length] ?? agentAt(index),
              reason,
            },
          ]
        : [],
    );
    const needed = typeof quorum === 'number' ? quorum : 1;
    if (answers.length < needed) {
      const error = new Error(
        `quorum: ${answers.length} of ${count} seats answered, ${needed} are needed (${missing.map(({ seat, reason }) => `${seat}: ${reason}`).join('; ')})`,
      );
      throw Object.assign(error, { code: 'quorum' });
    }
    return { answers, missing };
  }

  /** Each judge sees the texts in both orders, without names of agents. */
  async function blindVerdict(texts: readonly string[], criteria: string, judges: number, phase: unknown) {
    const blind = texts.map((text) => stripAttribution(text, { words: attributionWords, loose: true }));
    const order = texts.map((_, index) => index);
    const orders = [order, order.toReversed()];
    const replies = await askSeats(judges * 2, (index) => {
      const shownOrder = orders[index % 2] ?? order;
      const options = shownOrder.map(
        (each, place) => `Option ${place + 1}:\n${quote(blind[each], 'option')}`,
      );
      return [
        `Choose the better option by this criterion: ${criteria}\n\n${options.join('\n\n')}\n\nAnswer with the number of the option and your reason.`,
        {
          seat: Math.floor(index / 2),
          label: `judge ${Math.floor(index / 2) + 1}${index % 2 === 0 ? '' : ', other order'}`,
          ...(phase === undefined ? {} : { phase }),
          schema: objectOf({
            option: { type: 'integer', minimum: 1, maximum: texts.length },
            reason: textSchema,
          }),
        },
      ];
    });
    return Array.from({ length: judges }, (_, judge) => {
      const [forward, backward] = orders.map((shownOrder, side) => {
        const value = replies[judge * 2 + side]?.value as { option: number; reason: string } | null;
        const choice = value === null || value === undefined ? undefined : shownOrder[value.option - 1];
        return choice === undefined ? undefined : { choice, reason: String(value?.reason ?? '') };
      });
      return { judge: `judge ${judge + 1}`, forward, backward };
    });
  }

  const judgesOf = (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= maxSeats
      ? value
      : defaultJudges;

  /** W-164: without a decision `winner` is `null`. */
  async function judge(candidates: unknown, given: unknown = {}) {
    const { criteria = 'overall quality', judges, phase } = given as Options;
    if (!Array.isArray(candidates) || candidates.length === 0)
      throw new TypeError('judge() takes a list of candidates.');
    if (candidates.length === 1) return { winner: 0, reason: 'There is one candidate.', votes: [] };
    const texts = candidates.map((candidate) =>
      textOf((candidate as { value?: unknown })?.value ?? candidate),
    );
    const sheets = await blindVerdict(texts, String(criteria), judgesOf(judges), phase);
    const votes = sheets.flatMap(({ judge: name, forward, backward }) => {
      if (forward === undefined || backward === undefined) return [];
      const isSteady = forward.choice === backward.choice;
      return [{ judge: name, choice: isSteady ? forward.choice : null, reason: forward.reason }];
    });
    const counted = votes.filter(({ choice }) => choice !== null);
    const needed = Math.max(2, Math.floor(counted.length / 2) + 1);
    const winner = texts.findIndex(
      (_, index) => counted.filter(({ choice }) => choice === index).length >= needed,
    );
    if (winner < 0) return { winner: null, reason: `No candidate has the ${needed} votes it needs.`, votes };
    return { winner, reason: counted.find(({ choice }) => choice === winner)?.reason ?? '', votes };
  }

  async function debate(decision: unknown, given: unknown = {}) {
    const { for: one, against: other, rounds = 1, judges, phase } = given as Options;
    const sides = [String(one ?? 'yes'), String(other ?? 'no')];
    const common = phase === undefined ? {} : { phase };
    let defences: [string, string] = ['', ''];
    for (let round = 1; round <= (rounds === 2 ? 2 : 1); round += 1) {
      const before = defences;
      const replies = await askSeats(2, (side) => [
        [
          `A decision: ${quote(decision, 'decision')}`,
          `Defend this side: ${quote(sides[side], 'side')}`,
          `The other side: ${quote(sides[1 - side], 'other_side')}`,
          ...(before[1 - side] === ''
            ? []
            : [`What the other side said: ${quote(before[1 - side], 'defence')}`]),
          'Look at the repository where that helps. Name evidence, and concede what is true of the other side.',
        ].join('\n\n'),
        { label: `${side === 0 ? 'for' : 'against'}${rounds === 2 ? `, round ${round}` : ''}`, ...common },
      ]);
      const [thesis, antithesis] = replies.map(({ value }) => (typeof value === 'string' ? value : ''));
      defences = [thesis || defences[0], antithesis || defences[1]];
    }
    if (defences.includes('')) return { winner: null, reason: 'A side has no defence.', votes: [], defences };
    const texts = sides.map((side, index) => `Position: ${side}\n\n${defences[index]}`);
    const sheets = await blindVerdict(
      texts,
      `which side of this decision has the better case: ${textOf(decision)}`,
      judgesOf(judges),
      phase,
    );
    const ballot = (sheet?: { choice: number; reason: string }): JudgeVotes | undefined =>
      sheet && { 1: { vote: sheet.choice === 0 ? 'THESIS' : 'ANTI_THESIS', rationale: sheet.reason } };
    const verdict = decide(
      1,
      sheets.map(({ judge: name, forward, backward }) => ({
        judge: name,
        rotated: ballot(forward),
        swapped: ballot(backward),
      })),
      { bothOrders: true },
    );
    const votes = verdict.votes.map(({ judge: name, position, rationale }) => ({
      judge: name,
      choice: position === 'tie' ? null : position === 'THESIS' ? 0 : 1,
      reason: rationale,
    }));
    if (verdict.outcome === 'fallback') return { winner: null, reason: verdict.reason, votes, defences };
    const winner = verdict.winner === 'THESIS' ? 0 : 1;
    return { winner, reason: votes.find(({ choice }) => choice === winner)?.reason ?? '', votes, defences };
  }

  async function vote(items: unknown, given: unknown = {}) {
    const { question = 'Do you accept this item?', voters, need = 'majority', phase } = given as Options;
    if (!Array.isArray(items)) throw new TypeError('vote() takes a list of items.');
    const count = judgesOf(voters);
    const ids = items.map((_, index) => `ITEM_${index + 1}`);
    if (items.length === 0) return { accepted: [], rejected: [], undecided: [], tally: [] };
    const ballot = items.map(
      (item, index) => `### ${ids[index]}\n${quote(stripAttribution(textOf(item)), 'item')}`,
    );
    const replies = await askSeats(count, (index) => [
      `Vote on every item: ${String(question)}\nAnswer YES or NO for each, with a reason.\n\n${ballot.join('\n\n')}`,
      {
        label: `voter ${index + 1}`,
        ...(phase === undefined ? {} : { phase }),
        schema: objectOf({
          votes: {
            type: 'array',
            items: objectOf({
              id: { type: 'string', enum: ids },
              vote: { type: 'string', enum: ['YES', 'NO'] },
              reason: textSchema,
            }),
          },
        }),
      },
    ]);
    const quorum = quorumOf(
      replies.map(({ value, reason }, index) => ({
        label: `voter ${index + 1}`,
        votes:
          value === null || value === undefined
            ? undefined
            : votesOf(value as Parameters<typeof votesOf>[0], ids).votes,
        ...(reason === undefined ? {} : { failure: reason }),
      })),
    );
    const eligible = quorum.eligible.length;
    const needed =
      need === 'all'
        ? eligible
        : need === 'two-thirds'
          ? Math.ceil((eligible * 2) / 3)
          : (quorum.needed ?? 0);
    const tally = ids.map((id, index) => {
      const cast = quorum.eligible.flatMap(({ votes }) => votes?.[id] ?? []);
      const yes = cast.filter((each) => each.vote === 'YES').length;
      return { item: index, yes, no: cast.length - yes, needed };
    });
    const outcome = ({ yes, no }: { yes: number; no: number }) =>
      eligible > 0 && yes >= needed
        ? 'accepted'
        : no > 0 && eligible - no < needed
          ? 'rejected'
          : 'undecided';
    const those = (wanted: string) =>
      items.filter((_, index) => outcome(tally[index] ?? { yes: 0, no: 0 }) === wanted);
    return { accepted: those('accepted'), rejected: those('rejected'), undecided: those('undecided'), tally };
  }

  return { panel, judge, debate, vote };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null');
}
