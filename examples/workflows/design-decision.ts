import type { Workflow } from 'charrette/workflow';

export const meta = {
  name: 'design-decision',
  description: 'Sketches a change from several sides, settles what is contested and has the plan reviewed',
  whenToUse: 'A change with more than one sensible shape',
  phases: [{ title: 'Sketch' }, { title: 'Contest' }, { title: 'Plan' }, { title: 'Review' }],
};

type Sketch = { approach: string; risks: string[] };
type Split = { contested: { question: string; one: string; other: string }[] };
type Review = { findings: { where: string; problem: string }[] };

const text = { type: 'string' };
const object = (properties: object) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});
const list = (items: object) => ({ type: 'array', maxItems: 5, items });

/** `charrette run examples/workflows/design-decision.ts "add rate limiting"` */
export default async function run(w: Workflow<string>) {
  const feature = w.args ?? (await w.ask('What is to be designed?'));
  w.phase('Sketch');
  const { answers, missing } = await w.panel<Sketch>(`Look at the code, then sketch: ${w.quote(feature)}`, {
    seats: ['the simplest thing', 'the most robust', 'the least change'],
    schema: object({ approach: text, risks: list(text) }),
    quorum: 2,
  });
  if (missing.length > 0) w.log(`${missing.length} seats gave no sketch`);
  const best = await w.judge(answers, { criteria: 'fits the code, low risk, easy to undo' });
  const chosen = answers[best.winner ?? 0]?.value;

  w.phase('Contest');
  const sketches = answers.map(({ value }) => value);
  const split = await w.agent<Split>(`Where do these sketches differ?\n${w.quote(sketches)}`, {
    schema: object({ contested: list(object({ question: text, one: text, other: text })) }),
  });
  const settled = await w.pipeline(
    split?.contested ?? [],
    ({ question, one, other }) => w.debate(question, { for: one, against: other }),
    ({ winner, reason }, { question, one, other }) => ({
      question,
      decided: winner === 1 ? other : one,
      reason,
    }),
  );

  w.phase('Plan');
  const plan = await w.agent(`Write a plan.\n${w.quote({ feature, chosen, settled })}`, { effort: 'high' });

  w.phase('Review');
  const reviews = await w.panel<Review>(`Find what is wrong in this plan.\n${w.quote(plan)}`, {
    schema: object({ findings: list(object({ where: text, problem: text })) }),
  });
  const findings = reviews.answers.flatMap(({ value }) => value.findings);
  const { accepted } = await w.vote(findings, { question: 'Is this a real problem of the plan?' });
  return { plan, settled, accepted };
}
