/** The answer to a task, as a value; `undefined` for a task that is not scripted. */
export function shopAnswer(task: string, prompt: string, voice?: string): unknown;
