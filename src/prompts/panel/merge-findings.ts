import type { JsonSchema } from '../../agents/port.ts';
import { data, type PromptDraft, words } from '../part.ts';

export type MergeFindingsInput = {
  /** Every finding with its id, rendered one after the other. */
  findings: string;
  schema: JsonSchema;
};

/** L-592, L-593, panel/C-32: which findings are the same problem. The answer is checked to name every id exactly once. */
export function mergeFindingsPrompt({ findings, schema }: MergeFindingsInput): PromptDraft {
  return {
    task: 'merge-findings',
    fixed: [
      words('role', 'You group review findings that describe the same problem. You judge none of them.'),
      words(
        'rules',
        [
          'Read concern, scenario and suggested revision of each and group by meaning. Two findings belong together only if fixing one',
          'fixes the other. The same place or similar words are not enough; different words for one problem are.',
          'Every id appears in exactly one group; a finding without a partner is a group of one. Drop nothing, rewrite nothing.',
          'In-scope and out-of-scope findings may share a group; it then counts as in scope.',
        ].join('\n'),
      ),
    ],
    answer: { kind: 'json', schema },
    changing: [data('findings', findings, { heading: 'Findings' })],
  };
}
