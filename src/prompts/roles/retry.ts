import { data, type PromptDraft, words } from '../part.ts';
import type { Dispatch } from './dispatch.ts';
import { implementerReport, shapes } from './shapes.ts';

/** T-118: asks for an answer again, in the required form. `earlier` for agents that have forgotten what they said. */
export function retryPrompt(dispatch: Dispatch, problem: string, earlier: string | undefined): PromptDraft {
  return {
    task: `${dispatch.command}/${dispatch.role}/retry`,
    fixed: [
      words(
        'again',
        `Your answer could not be used: ${problem}. Give it again in the required form, with the same judgement.`,
      ),
    ],
    answer:
      dispatch.answer === 'report'
        ? { kind: 'text', rules: implementerReport }
        : { kind: 'shape', shape: shapes[dispatch.answer] },
    changing:
      earlier === undefined
        ? []
        : [data('earlier_answer', earlier, { heading: 'Your answer', limit: 60_000 })],
  };
}
