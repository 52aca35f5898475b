import type { Question } from '../../engine/question.ts';
import { renderDiscussion } from '../../panel/discussion-file.ts';
import { questionsPrompt } from '../../prompts/panel/questions.ts';
import { slugify } from '../../text/slug.ts';
import type { Desk } from './desk.ts';
import { type Design, known } from './state.ts';

/** Step 1c: at most four questions about real ambiguity, asked in one batch (L-170…L-173). */
export async function questions(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('1c', 'questions');
  if (desk.inputs.auto) {
    desk.skip('questions — skipped (auto mode)');
    return {};
  }
  const [reply] = await desk.ask('vote', [
    {
      seat: known(design, 'seating').author,
      lane: 'questions',
      task: 'questions',
      judgement: 'questions',
      draft: (schema) => questionsPrompt({ commission: design.commission, schema }),
      input: { feature: desk.inputs.feature, commission: design.commission },
    },
  ]);
  const found = reply?.value?.questions ?? [];
  if (found.length === 0) {
    desk.end('questions — no clarifying questions needed');
    return {};
  }
  const asked = found.map(
    (item, index): Question => ({
      id: `clarify-${index + 1}-${slugify(item.title, 24, 'point')}`,
      text: item.question,
      recommended: item.recommended,
    }),
  );
  const answers = await desk.context.ask(asked);
  const text = renderDiscussion(
    found.map((item, index) => ({
      title: item.title,
      question: item.question,
      resolution: settled(answers.get(asked[index]?.id ?? '')?.value, item.recommended),
      source: 'user' as const,
    })),
  );
  await desk.context.artifact('clarifications.md', text);
  desk.end(`questions — ${found.length} answered`);
  return { commission: { ...design.commission, clarifications: text } };
}

/** L-179: a terse or empty answer takes the recommendation. */
export function settled(answer: string | undefined, recommended: string): string {
  const text = (answer ?? '').trim();
  return /^(?:|sure|ok(?:ay)?|yes|fine|whatever|i don'?t know|idk|no idea|\?+)$/i.test(text)
    ? recommended
    : text;
}
