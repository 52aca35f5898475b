import { expect, test } from 'vitest';
import { compose, type PromptDraft, seededNonce } from '../part.ts';
import * as panel from './index.ts';

const schema = { type: 'object', title: 'the-schema' };
const commission = {
  description: 'Limit the rate of requests',
  clarifications: 'per user',
  discussion: 'no new service',
  brief: 'PROJECT BRIEF',
};
const decision = {
  number: 2,
  title: 'Where to count',
  chosen: 'in memory',
  alternative: 'in the database',
  tension: 'speed against truth',
  affectedFiles: ['src/a.ts', 'src/b.ts'],
};
const text = (draft: PromptDraft) => compose(draft, { nonce: seededNonce('run') }).text;
const sketches = [
  { label: 'Lane one', text: 'SKETCH A' },
  { label: 'Lane two', text: 'SKETCH B' },
];

const drafts = {
  sketch: panel.sketchPrompt({ commission, stance: 'edge', schema }),
  synthesis: panel.synthesisPrompt({ commission, sketches, highlights: true, schema }),
  thesis: panel.debatePrompt({ side: 'thesis', commission, synthesis: 'SYNTHESIS', decision, schema }),
  antithesis: panel.debatePrompt({
    side: 'antithesis',
    commission,
    synthesis: 'SYNTHESIS',
    decision,
    schema,
  }),
  judge: panel.judgePrompt({ ballot: 'BALLOT', schema }),
  plan: panel.planPrompt({ commission, synthesis: 'SYNTHESIS', resolutions: 'RESOLUTIONS', schema }),
  planReview: panel.planReviewPrompt({
    commission,
    stance: 'arch',
    plan: 'PLAN',
    planPath: '/run/plan.txt',
    competition: true,
    schema,
  }),
  merge: panel.mergeFindingsPrompt({ findings: 'FINDINGS', schema }),
  vote: panel.votePrompt({ voter: 'reviewer', commission, plan: 'PLAN', ballot: 'BALLOT', schema }),
  revise: panel.revisePlanPrompt({ commission, plan: 'PLAN', accepted: 'ACCEPTED', schema }),
  diagram: panel.diagramPrompt({ plan: 'PLAN', schema }),
  questions: panel.questionsPrompt({ commission, schema }),
  discussion1: panel.discussionPrompt({ commission, schema }),
  discussion2: panel.discussionPrompt({
    commission,
    schema,
    second: { plan: 'PLAN', resolutions: 'RESOLUTIONS' },
  }),
  repair: panel.repairPrompt({ task: 'vote', problems: ['no JSON'], answer: 'YES to all', schema }),
} satisfies Record<string, PromptDraft>;

test.each(Object.entries(drafts))(
  '%s states its schema once, before everything that changes',
  (_name, draft) => {
    const prompt = compose(draft, { nonce: seededNonce('run') });
    expect(prompt.text.split('"the-schema"')).toHaveLength(2);
    expect(prompt.prefix).toContain('"the-schema"');
    expect(prompt.prefix).not.toContain('Limit the rate');
  },
);

test.each(Object.entries(drafts))('%s delimits every text by others', (_name, draft) => {
  const all = text(draft);
  for (const block of draft.changing.flatMap((part) => part.untrusted ?? [])) {
    expect(all).toMatch(new RegExp(`<${block.tag} nonce="[0-9a-f]{16}">`));
  }
  expect(draft.changing.flatMap((part) => part.untrusted ?? []).length).toBeGreaterThan(0);
});

test.each(Object.entries(drafts))(
  '%s carries the user’s own words as instruction, not as data',
  (_name, draft) => {
    const data = draft.changing.flatMap((part) => part.untrusted ?? []).map(({ content }) => content);
    for (const own of ['Limit the rate of requests', 'per user', 'no new service'])
      expect(data.join('\n')).not.toContain(own);
  },
);

test('what agents and files say stays data next to the user’s own words', () => {
  const answered = { ...commission, answeredByCode: 'one process' };
  const all = text(
    panel.revisePlanPrompt({
      commission: answered,
      plan: 'PLAN',
      decisions: 'use 429',
      answeredByCode: 'two routes',
      resolutions: 'RESOLUTIONS',
      schema,
    }),
  );
  for (const others of ['PROJECT BRIEF', 'one process', 'PLAN', 'two routes', 'RESOLUTIONS'])
    expect(all).toMatch(new RegExp(`nonce="[0-9a-f]{16}">\\n${others}\\n</`));
  expect(all).toContain('## What the user decided\nWork this into the plan.\nuse 429');
  expect(all).toContain('## Feature\nLimit the rate of requests');
});

test('L-584, L-585: a reviewer walks all five focus areas, whatever its stance', () => {
  for (const stance of Object.keys(panel.stances) as panel.Stance[]) {
    const all = text(
      panel.planReviewPrompt({ commission, stance, plan: 'PLAN', competition: false, schema }),
    );
    expect(all).toContain('Walk all five focus areas');
    for (const area of Object.keys(panel.focusAreas)) expect(all).toContain(`- ${area}: `);
  }
});

test('L-562: a reviewer gets the voted resolutions that the plan must follow', () => {
  const review = (resolutions?: string) =>
    text(
      panel.planReviewPrompt({
        commission,
        stance: 'arch',
        plan: 'PLAN',
        competition: false,
        schema,
        ...(resolutions === undefined ? {} : { resolutions }),
      }),
    );
  expect(review('### DECISION_1: Store')).toMatch(
    /## Voted resolutions\n[^\n]*follow each one[^\n]*\n<reviewer_voted_resolutions nonce="[0-9a-f]{16}">\n### DECISION_1/,
  );
  expect(review()).not.toContain('Voted resolutions');
});

test('L-208, panel/C-06: answers and settled scope reach every task that has the feature', () => {
  for (const name of ['sketch', 'synthesis', 'plan', 'planReview', 'vote', 'revise'] as const) {
    const all = text(drafts[name]);
    for (const piece of ['PROJECT BRIEF', 'per user', 'no new service']) expect(all, name).toContain(piece);
  }
});

test('L-207: each stance has its own words, the generic one none; effort only where asked', () => {
  const of = (stance: panel.Stance, maximumEffort = false) =>
    text(panel.sketchPrompt({ commission, stance, schema, maximumEffort }));
  const all = Object.keys(panel.stances) as panel.Stance[];
  expect(new Set(all.map((stance) => of(stance))).size).toBe(6);
  expect(of('generic')).not.toContain('Your stance');
  expect(of('arch')).toMatch(/boundaries.*responsibility/s);
  expect(of('edge')).toMatch(/races/);
  expect(of('pragmatic')).toMatch(/smallest set of changes/);
  expect(of('innovation')).toMatch(/assumptions/);
  expect(of('arch', true)).toContain('deepest reasoning');
  expect(of('arch')).not.toContain('deepest reasoning');
});

test('L-050: synthesis and plan carry the five questions', () => {
  for (const name of ['synthesis', 'plan'] as const) {
    const all = text(drafts[name]);
    for (const number of [1, 2, 3, 4, 5]) expect(all).toContain(`\n${number}. `);
  }
});

test('L-451: highlights only with stances', () => {
  const quick = text(panel.synthesisPrompt({ commission, sketches, highlights: false, schema }));
  expect(quick).not.toContain('four highlights');
  expect(quick).toContain('1 Lane one, 2 Lane two');
  expect(text(drafts.synthesis)).toContain('four highlights');
});

test('L-490…L-492: debate blocks, roles and demands', () => {
  const thesis = text(panel.debatePrompt({ side: 'thesis', commission, synthesis: 'S', decision, schema }));
  const antithesis = text(
    panel.debatePrompt({ side: 'antithesis', commission, synthesis: 'S', decision, schema }),
  );
  for (const all of [thesis, antithesis]) {
    expect(all).toContain('<debater_synthesis ');
    expect(all).toContain('<debater_decision ');
    expect(all).toContain('### DECISION_2: Where to count');
    for (const tag of [
      'steelman',
      'claim',
      'evidence',
      'strongest concession',
      'counter to the opposition',
      'risk if wrong',
    ])
      expect(all).toContain(`- ${tag}:`);
  }
  expect(thesis).toContain('Recommend THESIS');
  expect(antithesis).toContain('Recommend ANTI_THESIS');
});

test('L-560, L-562, L-563: the author explores first and knows the dispositions and sections', () => {
  const all = text(panel.planPrompt({ commission, synthesis: 'S', schema }));
  expect(all).toContain('Explore the code and read the conventions of the project before you write');
  for (const word of [
    'voted',
    'fallback-to-synthesis',
    'bucket-skipped',
    'over-cap',
    'Failure modes',
    'Testing strategy',
  ])
    expect(all).toContain(word);
  expect(all).not.toContain('## Resolutions');
});

test('F-42, L-584…L-587, panel/C-04, panel/C-35: the reviewer sees feature and plan, focus areas and the right scope', () => {
  const all = text(drafts.planReview);
  for (const area of Object.keys(panel.focusAreas)) expect(all).toContain(`- ${area}:`);
  expect(all).toContain('## Feature\nLimit the rate of requests');
  expect(all).toContain('<reviewer_plan ');
  expect(all).toContain('/run/plan.txt');
  expect(all).toContain('state after it is carried out');
  expect(all).toContain('NO_ISSUES_FOUND');
});

test('panel/C-03, L-586: the competition notice is a switch', () => {
  const of = (competition: boolean) =>
    text(panel.planReviewPrompt({ commission, stance: 'generic', plan: 'P', competition, schema }));
  expect(of(true)).toContain('+1');
  expect(of(false)).not.toContain('+1');
});

test('L-635, L-636, L-643: vote meanings for both kinds, two voter roles', () => {
  const of = (voter: panel.VoterRole) =>
    text(panel.votePrompt({ voter, commission, plan: 'P', ballot: 'B', schema }));
  for (const word of ['YES', 'NO', 'EXONERATE', 'OOS']) expect(of('engineer')).toContain(word);
  expect(of('reviewer')).not.toBe(of('engineer'));
});

test('L-562: a vote binds the plan, or is advice to it', () => {
  const of = (binding: boolean) =>
    text(panel.planPrompt({ commission, synthesis: 'S', resolutions: 'R', binding, schema }));
  expect(of(true)).toContain('never override it');
  expect(of(false)).not.toContain('never override it');
  expect(of(false)).toContain('voted: advice');
});

test('L-635: the prompt does not mention a disabled third vote', () => {
  const input = { voter: 'engineer' as const, commission, plan: 'P', ballot: 'B', schema };
  expect(text(panel.votePrompt({ ...input, exonerate: false }))).not.toContain('EXONERATE');
});

test('L-176, L-723: only the second discussion may touch architecture', () => {
  expect(text(panel.discussionPrompt({ commission, schema }))).toContain('belong to the sketches');
  expect(text(panel.discussionPrompt({ commission, schema, second: { plan: 'P' } }))).toContain(
    'may be asked about now',
  );
});

test('L-741, L-761: the diagram prompt names what the sanitizer rejects', () => {
  const all = text(drafts.diagram);
  expect(all).toContain('No HTML break and no $ in the alias of a participant');
  expect(all).toContain('in double quotes');
  expect(all).toContain('Not the flow at run time');
});
