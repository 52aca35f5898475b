import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../test/arbitrary-of.ts';
import { debateAvailability, runAvailability } from '../panel/health.ts';
import { type Defence, defenceSchema } from '../schema/judgements/defence.ts';
import type { ContestedDecision } from '../schema/judgements/synthesis.ts';
import { buildDialecticBallot, stripAttribution } from './ballot.ts';
import { planDebates } from './buckets.ts';
import { type NumberedDecision, rankDecisions } from './decisions.ts';
import { defenceReading, escapeTags, readDefence, renderDefence, unescapeTags } from './defence-text.ts';
import { checkEligibility, checkSide, debateLaneWarning, quorumWarning } from './eligibility.ts';
import { type JudgeVotes, readJudgeVotes, votesOfVerdict } from './judge-votes.ts';
import { countDispositions, resolve } from './resolutions.ts';
import { discussionCandidates, isStillContested } from './still-contested.ts';
import { decide, type JudgeBallots } from './verdicts.ts';

const contested = (title: string, more: Partial<ContestedDecision> = {}): ContestedDecision => ({
  title,
  chosen: `${title} chosen`,
  alternative: `${title} alternative`,
  tension: 'they differ',
  impact: 'Medium',
  affectedFiles: [],
  chosenSeats: ['a'],
  alternativeSeats: ['b'],
  ...more,
});

const decisions = (count: number): NumberedDecision[] =>
  rankDecisions(Array.from({ length: count }, (_, index) => contested(`d${index + 1}`)));

const up = (...agents: string[]) =>
  debateAvailability(
    runAvailability(Object.fromEntries(agents.map((agent) => [agent, { available: true, healthy: true }]))),
  );

const buckets = [
  { label: 'Cursor', agent: 'cursor' },
  { label: 'Codex', agent: 'codex' },
];

test('L-454 impact first, then the evenest split, then order of appearance', () => {
  const ranked = rankDecisions([
    contested('low', { impact: 'Low', chosenSeats: ['a', 'b'], alternativeSeats: ['c', 'd'] }),
    contested('three-one', { chosenSeats: ['a', 'b', 'c'], alternativeSeats: ['d'] }),
    contested('two-two', { chosenSeats: ['a', 'b'], alternativeSeats: ['c', 'd'] }),
    contested('high', { impact: 'High' }),
    contested('one-one'),
    contested('one-one again'),
  ]);
  expect(ranked.map(({ title }) => title)).toEqual([
    'high',
    'two-two',
    'three-one',
    'one-one',
    'one-one again',
    'low',
  ]);
  expect(ranked.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('L-477 L-479 panel/C-23 five at most; odd ones to the first bucket, even ones to the second, both sides alike', () => {
  const plan = planDebates(decisions(7), up('cursor', 'codex'), { buckets });
  expect(plan.queued.map(({ thesis, antithesis }) => [thesis, antithesis])).toEqual([
    ['cursor', 'cursor'],
    ['codex', 'codex'],
    ['cursor', 'cursor'],
    ['codex', 'codex'],
    ['cursor', 'cursor'],
  ]);
  expect(plan.overCap.map(({ number }) => number)).toEqual([6, 7]);
});

test('L-024 L-480 panel/C-24 an absent bucket is skipped with one warning, never reassigned', () => {
  const plan = planDebates(decisions(5), up('codex', 'claude'), { buckets });
  expect(plan.queued.map(({ decision }) => decision.number)).toEqual([2, 4]);
  expect(plan.warnings).toEqual([
    '**⚠ Cursor unavailable — dialectic skipped for bucket Cursor decisions (indices: 1, 3, 5). Step 2a.4 synthesis decisions stand.**',
  ]);
});

test('L-481 F-14 with nobody there nothing is queued and every decision still gets its entry', () => {
  const plan = planDebates(decisions(6), up(), { buckets });
  expect(plan.queued).toEqual([]);
  const resolutions = resolve([
    ...plan.skipped.map((each) => ({ kind: 'skipped' as const, ...each })),
    ...plan.overCap.map((decision) => ({ kind: 'over-cap' as const, decision, cap: plan.cap })),
  ]);
  expect(countDispositions(resolutions)).toEqual({
    voted: 0,
    'fallback-to-synthesis': 0,
    'bucket-skipped': 5,
    'over-cap': 1,
  });
  expect(resolutions[0]?.why).toEqual({
    label: 'Why skipped',
    text: 'Cursor unavailable — bucket Cursor decisions 1, 3, 5 skipped at Step 2a.5 step 4',
  });
  expect(resolutions[5]?.why.text).toBe('decision ranked 6, outside top-5 dialectic selection cap');
  expect(resolutions[5]?.thesisSummary).toBe('(no debate — ranked outside cap)');
});

test('panel/C-22 diagonal layout puts the sides on different agents; one alone takes both', () => {
  const both = planDebates(decisions(2), up('cursor', 'codex'), { buckets, layout: 'diagonal' });
  expect(both.queued.map(({ thesis, antithesis }) => [thesis, antithesis])).toEqual([
    ['cursor', 'codex'],
    ['codex', 'cursor'],
  ]);
  const alone = planDebates(decisions(1), up('codex'), { buckets, layout: 'diagonal' });
  expect(alone.queued[0]).toMatchObject({ thesis: 'codex', antithesis: 'codex' });
});

const defence: Defence = {
  steelman: 'The other side keeps the file small and simple.',
  claim: 'The store must own the lock. It is the only writer. A third sentence.',
  evidence: 'src/store.ts:12 already holds the only write path.',
  strongestConcession: 'A file would be easier to look at by hand.',
  counterToOpposition: 'Looking by hand is rare and can be scripted.',
  riskIfWrong: 'We would move one function later.',
  recommend: 'THESIS',
};
const other: Defence = {
  ...defence,
  claim: 'A file is simpler for everybody here.',
  recommend: 'ANTI_THESIS',
};

test('L-492 panel/C-25 a defence is read back from its text, whatever its bodies hold', () => {
  fc.assert(
    fc.property(arbitraryOf(defenceSchema), (value) => {
      expect(readDefence(renderDefence(value))).toEqual(defenceReading(value));
    }),
  );
});

test('L-941 text cannot close the tags around it, and escaping is undone exactly', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom('<claim>', '</defense_content>', '&lt;/claim>', '&amp;lt;evidence'),
      (text, tag) => {
        const whole = `${text}${tag}${text}`;
        expect(escapeTags(whole)).not.toMatch(/<\/?(?:claim|defense_content)\b/);
        expect(unescapeTags(escapeTags(whole))).toBe(whole);
      },
    ),
  );
});

const reading = (change: Partial<Defence> = {}) => defenceReading({ ...defence, ...change });
const antithesis = defenceReading(other);

test('L-501 two complete defences are eligible', () => {
  expect(checkEligibility({ thesis: reading(), antithesis })).toMatchObject({ eligible: true, warnings: [] });
});

test('F-15 L-500 a one-sided debate never goes to the judges', () => {
  expect(checkEligibility({ thesis: reading(), antithesis: undefined })).toMatchObject({
    eligible: false,
    reason: 'no_output',
    side: 'ANTI_THESIS',
  });
});

const text = renderDefence(defence);
test.each([
  ['substantive_empty', ''],
  [
    'substantive_empty',
    text.replace('The store must own the lock. It is the only writer. A third sentence.', 'Yes.'),
  ],
  ['missing_tag', text.replace(/<\/?risk_if_wrong>/g, '')],
  ['missing_tag', 'I think the store is better, really.'],
  ['missing_tag', text.replace(/<claim>[\s\S]*/, '')],
  ['bad_recommend', text.replace(/RECOMMEND.*/, '')],
  ['bad_recommend', `${text}RECOMMEND: ANTI_THESIS`],
  ['bad_recommend', text.replace('RECOMMEND: THESIS', 'RECOMMEND: ANTITHESIS')],
  ['role_mismatch', text.replace('RECOMMEND: THESIS', 'RECOMMEND: ANTI_THESIS')],
  ['missing_citation', text.replace('src/store.ts:12', 'the store')],
])('L-501 F-17 %s', (reason, answer) => {
  expect(checkSide(readDefence(answer), 'THESIS')?.reason).toBe(reason);
});

test('L-495 L-503 failed sides and debates are named', () => {
  expect(debateLaneWarning('Codex', 2, 'antithesis', 'timed out after 30m')).toBe(
    '**⚠ Codex dialectic debate (decision 2, antithesis) failed: timed out after 30m. Bucket truncated; synthesis decision stands.**',
  );
  expect(quorumWarning(3, 'missing_tag')).toBe(
    '**⚠ Debate for DECISION_3 failed quorum (reason: missing_tag). Fallback to synthesis.**',
  );
});

test('L-521 a vote on findings is no vote of a judge', () => {
  expect(readJudgeVotes('Codex', 'DECISION_1: YES — good\nFINDING_1: THESIS', [1]).votes).toEqual({});
});

test('L-502 a bold RECOMMEND line in any case, narration and no trailing newline are fine', () => {
  const answer = `Sure, here it is:\n${text.replace('RECOMMEND: THESIS\n', '**recommend: thesis**')}`;
  expect(checkSide(readDefence(answer), 'THESIS')).toBeUndefined();
});

test('panel/C-25 five tags are accepted only when asked for, with a warning', () => {
  const five = readDefence(text.replace(/<steelman>[\s\S]*<\/steelman>/, ''));
  expect(checkSide(five, 'THESIS')?.reason).toBe('missing_tag');
  const lenient = checkEligibility({ thesis: five, antithesis }, { acceptFiveTags: true });
  expect(lenient).toMatchObject({ eligible: true, warnings: [expect.stringContaining('five tags')] });
});

const eligible = (numbers: number) =>
  decisions(numbers).map((decision) => {
    const check = checkEligibility({ thesis: reading(), antithesis });
    if (!check.eligible) throw new Error(check.detail);
    return { decision, thesis: check.thesis, antithesis: check.antithesis };
  });

test('L-513 L-515 odd decisions show the choice first, even ones the alternative, and swapping turns both', () => {
  const rotated = buildDialecticBallot(eligible(2));
  expect(rotated.first).toEqual([
    { number: 1, side: 'THESIS' },
    { number: 2, side: 'ANTI_THESIS' },
  ]);
  expect(rotated.text).toMatch(/### DECISION_1: d1\n\nDefense A \(defends d1 chosen/);
  expect(rotated.text).toMatch(/### DECISION_2: d2\n\nDefense A \(defends d2 alternative/);
  expect(buildDialecticBallot(eligible(2), { order: 'swapped' }).first.map(({ side }) => side)).toEqual([
    'ANTI_THESIS',
    'THESIS',
  ]);
});

test('L-514 no RECOMMEND line and every defence inside its tags', () => {
  const { text: ballot } = buildDialecticBallot(eligible(3));
  expect(ballot).not.toMatch(/^RECOMMEND/m);
  expect(ballot.match(/<defense_content>/g)).toHaveLength(6);
  expect(ballot.match(/<\/defense_content>/g)).toHaveLength(6);
});

test('F-18 L-516 the ballot names no agent, in whatever case', () => {
  const leaky = eligible(1).map((debate) => ({
    ...debate,
    thesis: {
      ...debate.thesis,
      claim: 'As Claude I say: CURSOR and codex-cli agree, claude_sub too. The corpus is fine.',
    },
  }));
  const { text: ballot } = buildDialecticBallot(leaky);
  expect(ballot).not.toMatch(/claude|cursor|codex/i);
  expect(ballot).toContain('The corpus is fine.');
});

test('L-516 a word everybody wrote from stays', () => {
  expect(stripAttribution('cursor paging by Codex', { neutral: 'Add cursor paging' })).toBe(
    'cursor paging by [agent]',
  );
});

test('L-517 L-518 L-521 L-971 F-20 judge lines: bold, case, duplicates, strangers, bad tokens', () => {
  const answer =
    'My votes:\n**DECISION_1: thesis — solid**\nDECISION_2: ANTITHESIS — no\nDECISION_1: ANTI_THESIS\ndecision_3: Anti_Thesis - ok\nDECISION_10: THESIS';
  const { votes, warnings } = readJudgeVotes('Codex', answer, [1, 2, 3]);
  expect(votes).toEqual({
    1: { vote: 'THESIS', rationale: 'solid' },
    3: { vote: 'ANTI_THESIS', rationale: 'ok' },
  });
  expect(warnings).toEqual(['**⚠ Codex judge voted more than once on DECISION_1; the first vote counts.**']);
});

test('L-518 an answer without votes abstains everywhere, aloud', () => {
  expect(readJudgeVotes('Cursor', 'Both sides make good points.', [1])).toEqual({
    votes: {},
    warnings: [
      '**⚠ Cursor judge output unparseable — treated as abstention for all decisions on this ballot.**',
    ],
  });
  expect(
    votesOfVerdict('Cursor', { verdicts: [{ decision: 1, vote: 'THESIS', rationale: 'r' }] }, [1]).votes,
  ).toEqual({
    1: { vote: 'THESIS', rationale: 'r' },
  });
});

const judge = (name: string, vote?: 'T' | 'A', swapped?: 'T' | 'A'): JudgeBallots => {
  const votes = (token?: 'T' | 'A'): JudgeVotes =>
    token
      ? {
          1: {
            vote: token === 'T' ? ('THESIS' as const) : ('ANTI_THESIS' as const),
            rationale: `${name} says`,
          },
        }
      : {};
  return { judge: name, family: name, rotated: votes(vote), swapped: votes(swapped) };
};

test.each([
  ['three of three', [judge('a', 'T'), judge('b', 'T'), judge('c', 'T')], 'THESIS'],
  ['two of three', [judge('a', 'A'), judge('b', 'T'), judge('c', 'A')], 'ANTI_THESIS'],
  ['both of two', [judge('a', 'T'), judge('b', 'T'), judge('c')], 'THESIS'],
  ['a split of two', [judge('a', 'T'), judge('b', 'A'), judge('c')], '1-1 tie with 2 voters'],
  ['one', [judge('a', 'T'), judge('b'), judge('c')], '1 judges eligible'],
  ['none', [judge('a'), judge('b'), judge('c')], '0 judges eligible'],
])('L-520 %s', (_, judges, expected) => {
  const verdict = decide(1, judges);
  expect(verdict.outcome === 'voted' ? verdict.winner : verdict.reason).toBe(expected);
});

test('L-519 a failed judge lane is ineligible', () => {
  const verdict = decide(1, [
    { judge: 'a', family: 'a', rotated: undefined },
    judge('b', 'T'),
    judge('c', 'T'),
  ]);
  expect(verdict).toMatchObject({ outcome: 'voted', thesis: 2 });
});

test('in binding mode a judge that follows the order instead of the argument is a tie', () => {
  const rules = { bothOrders: true };
  expect(decide(1, [judge('a', 'T', 'A'), judge('b', 'T', 'T'), judge('c', 'T', 'T')], rules)).toMatchObject({
    outcome: 'voted',
    thesis: 2,
    antithesis: 0,
  });
  expect(decide(1, [judge('a', 'T', 'A'), judge('b', 'T', 'T'), judge('c', 'A', 'A')], rules)).toMatchObject({
    outcome: 'fallback',
    reason: '1-1 tie with 3 voters (1 inconsistent)',
  });
  expect(decide(1, [judge('a', 'T'), judge('b', 'T', 'T')], rules)).toMatchObject({
    reason: '1 judges eligible',
  });
});

test('in binding mode judges of the author’s family count only when no other voted', () => {
  const judges = [judge('x', 'A', 'A'), judge('y', 'A', 'A'), judge('z', 'T', 'T'), judge('w', 'T', 'T')];
  const rules = { bothOrders: true, authorFamilies: ['x', 'y'] };
  expect(decide(1, judges, rules)).toMatchObject({ outcome: 'voted', winner: 'THESIS' });
  expect(decide(1, judges.slice(0, 2), rules)).toMatchObject({ outcome: 'voted', winner: 'ANTI_THESIS' });
});

test('swapping every vote swaps every outcome', () => {
  const cast = fc.constantFrom<'T' | 'A' | undefined>('T', 'A', undefined);
  fc.assert(
    fc.property(fc.array(cast, { maxLength: 7 }), (votes) => {
      const flip = { T: 'A', A: 'T' } as const;
      const straight = decide(
        1,
        votes.map((vote, index) => judge(`${index}`, vote)),
      );
      const flipped = decide(
        1,
        votes.map((vote, index) => judge(`${index}`, vote && flip[vote])),
      );
      expect(straight.outcome).toBe(flipped.outcome);
      if (straight.outcome === 'voted' && flipped.outcome === 'voted')
        expect(straight.winner).not.toBe(flipped.winner);
    }),
  );
});

test('L-531 voted: the winner’s text, the tally, summaries, and an answer to the loser', () => {
  const [debate] = eligible(1);
  if (!debate) throw new Error('no debate');
  const verdict = decide(1, [judge('a', 'A'), judge('b', 'A'), judge('c', 'T')]);
  const [resolution] = resolve([{ kind: 'judged', decision: debate.decision, defences: debate, verdict }]);
  expect(resolution).toMatchObject({
    resolution: 'd1 alternative',
    disposition: 'voted',
    tally: { thesis: 1, antithesis: 2 },
    thesisSummary: 'The store must own the lock. It is the only writer.',
    why: { label: 'Why antithesis prevails' },
  });
  expect(resolution?.why.text).toContain('a says. b says.');
  expect(resolution?.why.text).toContain('Looking by hand is rare');
  expect(resolution?.why.text).not.toContain('c says');
});

test('L-531 fallback keeps the choice, has no tally and says why', () => {
  const [debate] = eligible(1);
  if (!debate) throw new Error('no debate');
  const [tie] = resolve([
    {
      kind: 'judged',
      decision: debate.decision,
      defences: debate,
      verdict: decide(1, [judge('a', 'A'), judge('b', 'T')]),
    },
  ]);
  expect(tie).toMatchObject({
    resolution: 'd1 chosen',
    disposition: 'fallback-to-synthesis',
    why: { label: 'Why fallback', text: '1-1 tie with 2 voters' },
  });
  expect(tie?.tally).toBeUndefined();
  const [barred] = resolve([{ kind: 'ineligible', decision: debate.decision, reason: 'missing_tag' }]);
  expect(barred).toMatchObject({ thesisSummary: '', why: { label: 'Why fallback', text: 'missing_tag' } });
  const attempts = [
    { agent: 'cursor', result: 'missing_tag' as const },
    { agent: 'cursor', result: 'no_output' as const },
  ];
  const [retried] = resolve([
    { kind: 'ineligible', decision: debate.decision, reason: 'missing_tag', attempts },
  ]);
  expect(retried?.why.text).toBe('missing_tag [waterfall exhausted: retry1=cursor/no_output]');
});

test('L-722 unanimous votes are settled, everything else may be asked about', () => {
  const [debate] = eligible(1);
  if (!debate) throw new Error('no debate');
  const outcome = (...votes: ('T' | 'A')[]) =>
    resolve([
      {
        kind: 'judged',
        decision: debate.decision,
        defences: debate,
        verdict: decide(
          1,
          votes.map((vote, index) => judge(`${index}`, vote)),
        ),
      },
    ])[0];
  const settled = outcome('T', 'T', 'T');
  const close = outcome('T', 'T', 'A');
  if (!settled || !close) throw new Error('no resolution');
  expect([settled, close].map(isStillContested)).toEqual([false, true]);
  const candidates = (resolution: typeof settled, challenged: number[] = [], coveredTitles: string[] = []) =>
    discussionCandidates({
      decisions: [debate.decision],
      resolutions: [resolution],
      coveredTitles,
      challenged,
    }).flatMap(({ reasons }) => reasons);
  expect(candidates(settled)).toEqual([]);
  expect(candidates(settled, [1])).toEqual(['challenged']);
  expect(candidates(close)).toEqual(['not-covered', 'still-contested']);
  expect(candidates(close, [], ['D1'])).toEqual(['still-contested']);
});
