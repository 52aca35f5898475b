import { slugify } from '../../base/text/strings.ts';
import {
  optionsDetail,
  planRound,
  renderDiscussion,
  resolveAnswer,
  type SettledPoint,
} from '../../council/discussion.ts';
import { type DiscussionInput, discussionPrompt } from '../../prompts/panel/questions.ts';
import type { Desk } from './desk.ts';
import { seatsOf } from './seating.ts';
import type { Design } from './state.ts';
import { checkTree } from './tree.ts';

export type Discussed = {
  count: number;
  /** All points, as they are saved. */
  text: string;
  /** What the user decided. */
  decided: string;
  /** What an agent answered from the code. */
  answeredByCode: string;
  deferred: boolean;
  /** Nobody gave a usable answer: that is not the same as nothing to discuss. */
  failed: boolean;
};

/** One question at a time, each with a recommended answer; what the code answers is reported, not asked. */
export async function discuss(
  desk: Desk,
  design: Design,
  round: 1 | 2,
  second: DiscussionInput['second'],
  fewest: number,
): Promise<Discussed> {
  const [reply] = await desk.ask('author', [
    {
      seat: seatsOf(desk, design).author,
      lane: `discussion-${round}`,
      task: `discussion-${round}`,
      judgement: 'discussion',
      draft: (schema) =>
        discussionPrompt({
          commission: design.commission,
          schema,
          ...(second === undefined ? {} : { second }),
        }),
      input: {},
    },
  ]);
  desk.tellFailures(`Author (discussion-${round})`, reply);
  // Only the first: after the review a run may wait for a person, and whose a change is cannot be told any more.
  if (round === 1) await checkTree(desk, 'discussion-collection');
  const points = reply?.value?.points ?? [];
  const failed = reply?.value === undefined;
  if (points.length < fewest)
    return { count: 0, text: '', decided: '', answeredByCode: '', deferred: false, failed };
  const { ask, deferred } = planRound(points);
  const entries: SettledPoint[] = [];
  for (const [index, point] of points.entries()) {
    if (point.answeredByCode !== null) {
      entries.push({
        title: point.title,
        question: point.question,
        resolution: point.answeredByCode,
        source: 'codebase',
      });
    } else if (ask.includes(point)) {
      const id = `discuss-${round}-${index + 1}-${slugify(point.title, 24, 'point')}`;
      const detail = optionsDetail(point.options);
      const answers = await desk.context.ask([
        {
          id,
          text: point.question,
          ...(detail === undefined ? {} : { detail }),
          recommended: point.recommended,
        },
      ]);
      entries.push({
        title: point.title,
        question: point.question,
        resolution: resolveAnswer(answers.get(id)?.value ?? '', point),
        source: 'user',
      });
    }
  }
  const from = (source: SettledPoint['source']) =>
    renderDiscussion(entries.filter((entry) => entry.source === source));
  return {
    count: entries.length,
    text: renderDiscussion(entries),
    decided: from('user'),
    answeredByCode: from('codebase'),
    deferred: deferred.length > 0,
    failed,
  };
}
