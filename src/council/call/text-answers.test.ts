import { expect, test } from 'vitest';
import { readJudgement } from '../../base/schema/judgements.ts';
import { readTextAnswer } from './judgement.ts';

function read<Name extends Parameters<typeof readJudgement>[0]>(
  name: Name,
  text: string,
  input: unknown = {},
) {
  return readJudgement(name, readTextAnswer(name, text, input));
}

test('L-207, L-379: a sketch in prose keeps its text and the files it cites', () => {
  const text = 'Here is my sketch.\n\nPut a bucket before the router (src/app.ts:12). It is small.';
  const reading = read('sketch', text);
  expect(reading).toMatchObject({
    ok: true,
    value: { summary: 'Here is my sketch.', files: [{ path: 'src/app.ts' }] },
  });
});

test('L-638, F-20, F-21: votes in lines, with narration, bold and no trailing newline', () => {
  const items = [{ id: 'FINDING_1' }, { id: 'FINDING_10' }, { id: 'OOS_1' }];
  const text =
    'I checked everything.\n**FINDING_10: NO — trivial**\nFINDING_1: YES - correct\n- OOS_1: EXONERATE — later';
  expect(read('vote', text, { items })).toEqual({
    ok: true,
    value: {
      votes: [
        { id: 'FINDING_10', vote: 'NO', reason: 'trivial' },
        { id: 'FINDING_1', vote: 'YES', reason: 'correct' },
        { id: 'OOS_1', vote: 'EXONERATE', reason: 'later' },
      ],
    },
  });
});

test('L-518: verdicts in lines; decisions that are not on the ballot are left out', () => {
  const text = 'DECISION_1: anti_thesis — weaker evidence\nDECISION_7: THESIS — not asked';
  expect(read('verdict', text, { debates: [{ number: 1 }] })).toEqual({
    ok: true,
    value: { verdicts: [{ decision: 1, vote: 'ANTI_THESIS', rationale: 'weaker evidence' }] },
  });
});

test('L-584, L-590: findings as a numbered list, and none at all', () => {
  const text = `1. **correctness** The lock is never released (src/a.ts:3). ${'Every later call waits for it. '.repeat(4)}\nSuggested revision: release it in a finally block.`;
  expect(read('review', text)).toMatchObject({
    ok: true,
    value: { findings: [{ focusArea: 'correctness', citations: [{ file: 'src/a.ts', line: 3 }] }] },
  });
  expect(read('review', 'NO_ISSUES_FOUND\n')).toEqual({ ok: true, value: { findings: [] } });
});

test('L-372, L-589: a text review must name evidence; a sketch or a vote need not', () => {
  const banner = '1. **correctness** Authentication required (src/a.ts:3). Please log in.';
  expect(read('review', banner)).toMatchObject({ ok: false });
  const groundless = `1. **correctness** ${'The lock is never released and every later call waits. '.repeat(5)}`;
  expect(read('review', groundless)).toMatchObject({ ok: false });
  expect(readTextAnswer('vote', 'FINDING_1: YES', { items: [{ id: 'FINDING_1' }] })).toBeDefined();
});

test('L-492, L-502: a defence in tags; two recommendations are none', () => {
  const tags = [
    'steelman',
    'claim',
    'evidence',
    'strongest_concession',
    'counter_to_opposition',
    'risk_if_wrong',
  ];
  const body = tags.map((tag) => `<${tag}>A whole sentence about ${tag}.</${tag}>`).join('\n');
  expect(read('defence', `Let me begin.\n${body}\n**RECOMMEND: THESIS**`)).toMatchObject({
    ok: true,
    value: { recommend: 'THESIS' },
  });
  expect(read('defence', `${body}\nRECOMMEND: THESIS\nRECOMMEND: ANTI_THESIS`).ok).toBe(false);
});

const decision = (heading: string, impact = 'High') => `${heading}
- **Chosen**: in memory
- **Alternative**: in a file
- **Tension**: restart against speed
- **Impact**: ${impact}
- **Affected files**: README.md
`;
const sections =
  '### Combined approach\n\nA bucket.\n\n### Agreements\n\n- **Point**: One each.\n  **Seats**: A\n\n';

test.each([
  ['a heading', `${sections}${decision('### DECISION_1: Where it lives')}`],
  ['a bold line', `${sections}**Contested decisions:**\n\n${decision('**DECISION_1: Where it lives**')}`],
])('L-453: a text synthesis keeps its decisions, each below %s', (_, text) => {
  expect(read('synthesis', text)).toMatchObject({
    ok: true,
    value: {
      summary: 'A bucket.',
      agreements: [{ point: 'One each.', seats: ['A'] }],
      contested: [{ title: 'Where it lives', chosen: 'in memory', alternative: 'in a file', impact: 'High' }],
    },
  });
});

test('L-454, L-455: ranks decisions of a text answer; the sentinel means none', () => {
  const two = `${decision('### DECISION_1: Small', 'Low')}\n${decision('### DECISION_2: Large')}`;
  expect(read('synthesis', sections + two)).toMatchObject({
    value: { contested: [{ title: 'Large' }, { title: 'Small' }] },
  });
  expect(read('synthesis', `${sections}**NO_CONTESTED_DECISIONS**\n`)).toMatchObject({
    ok: true,
    value: { contested: [] },
  });
});

test.each([
  ['a banner', 'Authentication required. Please visit https://example.com/login and try again.'],
  ['no word about decisions', sections],
  ['no section', `The sketches agree.\n\n${decision('### DECISION_1: Where it lives')}`],
  ['an unknown impact', sections + decision('### DECISION_1: Where it lives', 'Very high')],
  ['a gap in the numbers', sections + decision('### DECISION_2: Where it lives')],
  ['decisions outside blocks', `${sections}DECISION_1: in memory or in a file`],
  ['decisions and none', `${sections}NO_CONTESTED_DECISIONS\n${decision('### DECISION_1: Where')}`],
])('L-457, F-05: rejects as a synthesis: %s', (_, text) => {
  expect(readTextAnswer('synthesis', text, {})).toBeUndefined();
});

test('L-742: a diagram in its fence', () => {
  expect(read('diagram', 'Sure:\n```mermaid\nflowchart LR\n  a --> b\n```\n')).toMatchObject({
    ok: true,
    value: { mermaid: 'flowchart LR\n  a --> b' },
  });
});

test('a judgement without a text form is not guessed at', () => {
  expect(readTextAnswer('merge', 'FINDING_1 and FINDING_2 are the same', {})).toBeUndefined();
});

test.each([
  ['a broken object', '{"summary": "A bucket.", "approach": "Each request asks the buck'],
  ['a broken list', '[{"summary": "A bucket.", "appr'],
  ['a broken object in a fence', '```json\n{"summary": "A bucket.", "approach": "Each requ'],
  ['a broken fence after narration', 'Here is my sketch.\n\n```json\n{"summary": "A bucket.", "appr'],
  ['an object of another form', '{"text": "Each request asks the bucket of its client."}'],
])('rejects %s as a text answer', (_, text) => {
  expect(readTextAnswer('sketch', text, {})).toBeUndefined();
});

test('words with an example of JSON in them are words', () => {
  const text = 'Read the limit from a file:\n\n```json\n{ "limit": 5 }\n```\n\nThe router asks for it.';
  expect(read('sketch', text)).toMatchObject({ ok: true, value: { approach: text } });
  expect(read('sketch', '[1] says so. The router asks for it.')).toMatchObject({ ok: true });
});

test('panel/C-21: a vote that contradicts another is left out, and so is what the voter quotes', () => {
  const items = [{ id: 'FINDING_1' }, { id: 'FINDING_2' }];
  const text = 'It says:\n> FINDING_2: NO\nFINDING_1: YES\nFINDING_1: NO\nFINDING_2: YES — real';
  expect(read('vote', text, { items })).toEqual({
    ok: true,
    value: { votes: [{ id: 'FINDING_2', vote: 'YES', reason: 'real' }] },
  });
});

test('a choice that a judge quotes from a plan does not count as its own', () => {
  const quoted = 'Plan A holds this block:\n\n```\nBETTER: A — it is complete\n```\n\nI ignore it.\n\n';
  expect(readTextAnswer('comparison', `${quoted}BETTER: B — it names files\n`, {})).toBeUndefined();
  expect(readTextAnswer('comparison', `BETTER: B\n\n${quoted}**WINNER: TIE**\n`, {})).toBeUndefined();
  expect(readTextAnswer('comparison', '> BETTER: A\n\nBETTER: B — it names files\n', {})).toMatchObject({
    better: 'B',
  });
});

test('counts a choice that is repeated', () => {
  const text = 'BETTER: B — it names files\n\nSo, once more:\n\n**VERDICT: Plan b**\n';
  expect(readTextAnswer('comparison', text, {})).toMatchObject({ better: 'B', reason: 'it names files' });
  expect(readTextAnswer('comparison', 'Neither convinces me.', {})).toBeUndefined();
});
