import { expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../../../engine/event.ts';
import { anchorIn } from './findings.ts';
import type { RunFiles } from './run-files.ts';
import { runViewOf } from './run-view.ts';

const usage = { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 } as const;

function filesOf(artifacts: Record<string, string>, bodies: EventBody[] = [], answers = {}): RunFiles {
  const events = bodies.map(
    (body, index): RunEvent => ({
      v: 1,
      id: `run:${index}`,
      run: 'r',
      seq: index + 1,
      time: new Date(index).toISOString(),
      ...body,
    }),
  );
  return { artifacts, events, answers };
}

const queue = (lane: string, task: string, label = lane): EventBody => ({
  type: 'lane-queue',
  lane,
  task,
  seat: lane,
  label,
  phase: '2a.5',
});
const end = (lane: string, agent: string): EventBody => ({
  type: 'lane-end',
  lane,
  agent,
  kind: 'ok',
  elapsedMs: 1,
  usage,
});

const decisions = `### DECISION_1: Where it lives
- **Chosen**: in memory
- **Alternative**: in a file
- **Tension**: Speed against restarts.
- **Impact**: High
- **Affected files**: a.ts
`;
const defence = (text: string) =>
  `<claim>\n${text}\n</claim>\n\n<evidence>\na.ts:1\n</evidence>\n\nRECOMMEND: THESIS\n`;
const ballot = '### DECISION_1: Where it lives\n\nDefense A (defends in a file [ANTI_THESIS]):\n';
const resolutions = `### DECISION_1: Where it lives
**Resolution**: in memory
**Disposition**: voted
**Vote tally**: THESIS=2, ANTI_THESIS=1
**Thesis summary**: x
**Antithesis summary**: y
**Why thesis prevails**: It is faster.
`;
const arguing: EventBody[] = [
  queue('debate-1-thesis', 'debate-thesis'),
  end('debate-1-thesis', 'one'),
  end('debate-1-antithesis', 'two'),
  queue('judge-a', 'judge', 'Ada'),
  queue('judge-a-swapped', 'judge', 'Ada'),
];
const said = (vote: string) => ({ verdicts: [{ decision: 1, vote, rationale: 'because' }] });
const debated = {
  'contested-decisions.md': decisions,
  'debate-1-one-thesis.txt': defence('Memory is fast.'),
  'debate-1-one-antithesis.txt': defence('Files last.'),
  'dialectic-ballot.txt': ballot,
};
const synthesis = {
  contested: [{ title: 'Where it lives', chosenSeats: ['arch'], alternativeSeats: ['edge', 3] }],
};

test('a debate hides its authors until there is a verdict', () => {
  const answers = { synthesis, 'judge-a': said('THESIS'), 'judge-a-swapped': said('ANTI_THESIS') };
  const [open] = runViewOf(filesOf(debated, arguing, answers)).debates;
  expect(open?.sides.map(({ side }) => side)).toEqual(['ANTI_THESIS', 'THESIS']);
  expect(open?.sides.map(({ agent, seats }) => [agent, seats])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
  expect(open?.judges).toEqual([
    {
      judge: 'Ada',
      votes: [
        { order: 'first', vote: 'THESIS', rationale: 'because' },
        { order: 'swapped', vote: 'ANTI_THESIS', rationale: 'because' },
      ],
    },
  ]);
  const files = filesOf({ ...debated, 'dialectic-resolutions.md': resolutions }, arguing, answers);
  const [settled] = runViewOf(files).debates;
  expect(settled?.sides.map(({ agent, seats }) => [agent, seats])).toEqual([
    ['two', ['edge']],
    ['one', ['arch']],
  ]);
  expect(settled?.resolution).toMatchObject({ winner: 'THESIS', tally: { thesis: 2, antithesis: 1 } });
});

const reviewBallot = `# Plan review ballot

### FINDING_1: The limit is fixed
- **Reviewer**: Reviewer A
- **Focus area**: architecture
- **Severity**: Important
- **Evidence**: cited lines were found in the repository (src/limit.ts:3)
- **Concern**: Operators cannot change the limit.
- **Suggested revision**: Read it from the configuration.

### OOS_1: [OUT_OF_SCOPE] Old logger
- **Reviewer**: Reviewer B
- **Focus area**: code-quality
- **Severity**: Nit
- **Evidence**: nothing is cited; weigh accordingly
- **Concern**: It is old.
- **Suggested revision**: Replace it.
`;
const tally = `## Voting Tally

- **Plan**: sha256:0
- **Rule**: 2 voters answered: 2 YES accept
- **Absent**: Cy (timeout)

| Item | Title | Ada | Bo | YES | NO | EXONERATE | Outcome |
|---|---|---|---|---|---|---|---|
| FINDING_1 | The limit is fixed | YES | YES | 2 | 0 | 0 | accepted |
| OOS_1 | Old logger | NO | EXONERATE | 0 | 1 | 1 | exonerated |

### FINDING_1
- Ada: YES — right
- Bo: YES — seen: it is

### OOS_1
- Ada: NO
- Bo: EXONERATE — later
`;

test('reviewers are named once the votes are in, and every vote has its reason', () => {
  const artifacts = { 'ballot.txt': reviewBallot, 'ballot-proposers.json': '{"Reviewer A":"Ada-Arch"}' };
  expect(
    runViewOf(filesOf(artifacts)).findings.map(({ reviewers, outcome }) => [reviewers, outcome]),
  ).toEqual([
    [[], undefined],
    [[], undefined],
  ]);
  const { findings, votes } = runViewOf(filesOf({ ...artifacts, 'voting-tally.md': tally }));
  expect(findings[0]).toMatchObject({
    reviewers: ['Ada-Arch'],
    outcome: 'accepted',
    votes: [
      { voter: 'Ada', vote: 'YES', reason: 'right' },
      { voter: 'Bo', vote: 'YES', reason: 'seen: it is' },
    ],
  });
  expect(findings[1]).toMatchObject({ outOfScope: true, reviewers: ['Reviewer B'], outcome: 'exonerated' });
  expect(votes).toMatchObject({ voters: ['Ada', 'Bo'], missing: 'Cy (timeout)' });
});

test('L-694: of an observation about security the view says that there is one, before and after the votes', () => {
  const ballot = reviewBallot.replaceAll(/^- \*\*Focus area\*\*: .*$/gm, '- **Focus area**: security');
  for (const more of [{}, { 'voting-tally.md': tally }] as Record<string, string>[]) {
    const { findings } = runViewOf(filesOf({ 'ballot.txt': ballot, ...more }));
    expect(findings[0]?.concern).not.toContain('Kept in');
    expect(findings[1]).toMatchObject({
      concern: 'Kept in oos-security-local.md of this run.',
      suggestion: '',
    });
  }
});

test('findings of a second round follow those of the first, each with the names of its ballot', () => {
  const second = reviewBallot.replaceAll('FINDING_1', 'FINDING_2').replaceAll('OOS_1', 'OOS_2');
  const { findings } = runViewOf(
    filesOf({
      'ballot.txt': reviewBallot,
      'ballot-proposers.json': '{"Reviewer A":"Ada-Arch"}',
      'ballot-2.txt': second,
      'ballot-proposers-2.json': '{"Reviewer A":"Bo-Edge"}',
      'voting-tally.md': tally.replace(/^(\| )FINDING_1( .*)$/m, '$&\n$1FINDING_2$2'),
    }),
  );
  expect(findings.map(({ id }) => id)).toEqual(['FINDING_1', 'OOS_1', 'FINDING_2', 'OOS_2']);
  expect(findings.map(({ reviewers }) => reviewers[0])).toEqual([
    'Ada-Arch',
    'Reviewer B',
    'Bo-Edge',
    undefined,
  ]);
});

test('the change of a plan is from the first one shown to the last, without the dissent', () => {
  const show = (heading: string, text: string): EventBody => ({ type: 'body', heading, text });
  const files = filesOf({ 'plan.txt': '# Plan: x\n\nTwo.\n\n## Dissent\n\nNo.\n' }, [
    show('Implementation Plan', '# Plan: x\n\nOne.\n'),
    show('Voting Tally', 'other'),
    show('Revised Implementation Plan', '# Plan: x\n\nOne and a half.\n'),
  ]);
  const { change } = runViewOf(files);
  expect(change).toMatchObject({ added: 1, removed: 1 });
  expect(change?.diff).toMatch(/-One\.\n\+Two\./);
  expect(runViewOf(filesOf({ 'plan.txt': '# Plan: x\n\nTwo.\n' })).change).toBeUndefined();
});

test('a diagram whose fence never closes takes one pass', () => {
  const artifacts = { 'architecture-diagram.md': `\`\`\`mermaid\n${'\n'.repeat(1_000_000)}x` };
  expect(runViewOf(filesOf(artifacts)).diagram).toBeUndefined();
});

test('a finding is anchored to the line it shares most with, and to none when it shares nothing', () => {
  const plan =
    '# Plan: x\n\n## Files\n\n- modify `src/limit.ts`: Read the limit from the configuration.\n\n## Testing\n\nUnit tests.\n';
  const finding = {
    title: 'The limit is fixed',
    concern: 'Operators cannot change the limit.',
    suggestion: 'Read it from the configuration.',
    evidence: 'src/limit.ts:3',
  };
  expect(anchorIn(plan, '', finding)).toEqual({ line: 5, section: 'Files' });
  const endless = { ...finding, evidence: `${'a-'.repeat(500_000)} src/limit.ts:3` };
  expect(anchorIn(plan, '', endless)).toEqual({ line: 5, section: 'Files' });
  const unrelated = { title: 'Zebra', concern: 'stripes', suggestion: 'none', evidence: '' };
  expect(anchorIn(plan, '', unrelated)).toBeUndefined();
});

test('a run without artifacts, or with broken ones, has an empty view and no error', () => {
  expect(runViewOf(filesOf({}))).toEqual({ sketches: [], debates: [], findings: [] });
  const broken = {
    'contested-decisions.md': 'nonsense',
    'voting-tally.md': '|||',
    'ballot.txt': '### FINDING_1:',
    'ballot-proposers.json': '[',
    'approach-synthesis.txt': '\u0000',
    'architecture-diagram.md': 'no fence',
  };
  expect(runViewOf(filesOf(broken))).toMatchObject({ debates: [], sketches: [] });
});
