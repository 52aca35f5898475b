/** The answer to a task, as a value; `undefined` for a task that is not scripted. */
export function panelAnswer(task: string, prompt: string, seat?: string, mode?: string): unknown;
/** The task that a prompt is for, told by the answer it asks for. */
export function taskOf(prompt: string): string | undefined;
