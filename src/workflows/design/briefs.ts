import { contextWarnings, promptContext } from '../../prompts/context/for-prompt.ts';
import type { DesignInputs } from './state.ts';

type Briefs = Pick<DesignInputs, 'brief' | 'briefs'> & { warnings: string[] };

/** The design documents and specs for sketchers, planner and reviewers, as the working tree has them. */
export async function readBriefs(about: {
  root: string;
  task: string;
  home: string | undefined;
}): Promise<Briefs> {
  const [sketch, plan, review] = await Promise.all([
    promptContext({ ...about, consumer: 'sketch' }),
    promptContext({ ...about, consumer: 'plan' }),
    promptContext({ ...about, consumer: 'review' }),
  ]);
  return {
    ...(sketch.text === '' ? {} : { brief: sketch.text }),
    briefs: {
      ...(plan.text === '' ? {} : { plan: plan.text }),
      ...(review.text === '' ? {} : { review: review.text }),
    },
    warnings: contextWarnings([sketch, plan, review]),
  };
}
