import { oneLine } from './history.ts';
import { titleOf } from './pull-request.ts';

/** §2B: what is carried out where a mode has no phase that writes tasks: the whole specification, as one task. */
export function tasksOfSpec(feature: string, spec: string): string {
  return [
    '# Tasks',
    '',
    'The feature goes from its specification to code at once, so all of it is one task.',
    '',
    '## Phase 1: Everything',
    '',
    `### Task 1: ${oneLine(titleOf(feature, spec))}`,
    '',
    '- **Source:** spec.md',
    '- **Done when:** every criterion in spec.md is met and tested',
    '',
  ].join('\n');
}
