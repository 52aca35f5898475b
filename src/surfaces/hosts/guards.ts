import type { ActiveWorkflow } from './active-workflow.ts';
import type { HookDecision, HookInput } from './events.ts';

/** Refuses to end a turn in the middle of a workflow, once; a question to the user is a good reason to stop. */
export function stopDecision(
  input: Pick<HookInput, 'goingOn'>,
  workflow: ActiveWorkflow | undefined,
  lastWords: string,
): HookDecision {
  if (input.goingOn || workflow === undefined || asksUser(lastWords)) return { kind: 'nothing' };
  const { items, skill, active } = workflow.list;
  const phases = items.filter(({ kind }) => kind === 'phase');
  const current = phases.find(({ status }) => status === 'in_progress');
  if (current === undefined) return { kind: 'nothing' };
  const waiting = phases.filter(({ status }) => status === 'pending').map(({ content }) => content);
  return {
    kind: 'go-on',
    reason: [
      `${skill} is not over: "${current.content}" is in progress${waiting.length === 0 ? '' : ` and ${waiting.length} phases wait (${waiting.join('; ')})`}.`,
      `Continue with ${active?.cursor === undefined ? 'its first open step' : `Step ${active.cursor}`} of ${workflow.file}; read the file again if its steps are not in your context.`,
      'If the workflow has to stop here, say why and set the open phases of the todo list to skipped or failed.',
    ].join(' '),
  };
}

/** The last sentence is a question, or the words say that they wait for someone. */
function asksUser(words: string): boolean {
  const last = words
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-3)
    .join(' ');
  return (
    /[?？]["')\]*_`\s]*$/.test(last) ||
    /\b(?:waiting for|let me know|please (?:confirm|choose|answer|decide))\b/i.test(last)
  );
}
