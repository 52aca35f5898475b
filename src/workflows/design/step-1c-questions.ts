import { slugify } from '../../base/text/strings.ts';
import { payloads } from '../../council/breadcrumbs.ts';
import { optionsDetail, renderDiscussion, resolveAnswer } from '../../council/discussion.ts';
import type { Question } from '../../engine/question.ts';
import { questionsPrompt } from '../../prompts/panel/questions.ts';
import type { Desk } from './desk.ts';
import { seatsOf } from './seating.ts';
import type { Design } from './state.ts';
import { checkTree } from './tree.ts';

/** Step 1c: at most four questions about real ambiguity, asked in one batch (L-170…L-173). */
export async function questions(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('1c');
  if (desk.inputs.auto) {
    desk.skip(payloads.auto);
    return {};
  }
  const [reply] = await desk.ask('author', [
    {
      seat: seatsOf(desk, design).author,
      lane: 'questions',
      task: 'questions',
      judgement: 'questions',
      draft: (schema) => questionsPrompt({ commission: design.commission, schema }),
      input: {},
    },
  ]);
  desk.tellFailures('Author (questions)', reply);
  await checkTree(desk, 'question-collection');
  const found = reply?.value?.questions;
  if (found === undefined) {
    desk.skip(payloads.noUsableAnswer);
    return {};
  }
  if (found.length === 0) {
    desk.end(payloads.noQuestions);
    return {};
  }
  const asked = found.map((item, index): Question => {
    const detail = optionsDetail(item.options);
    return {
      id: `clarify-${index + 1}-${slugify(item.title, 24, 'point')}`,
      text: item.question,
      ...(detail === undefined ? {} : { detail }),
      recommended: item.recommended,
    };
  });
  const answers = await desk.context.ask(asked);
  const text = renderDiscussion(
    found.map((item, index) => ({
      title: item.title,
      question: item.question,
      resolution: resolveAnswer(answers.get(asked[index]?.id ?? '')?.value ?? '', item),
      source: 'user' as const,
    })),
  );
  await desk.context.artifact('clarifications.md', text);
  desk.end(`${found.length} answered`);
  return { commission: { ...design.commission, clarifications: text } };
}
