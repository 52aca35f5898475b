/** Makes the example repository at `target`, which must be empty or not exist, and returns the id of its newest commit. */
export function makeExampleRepository(target: string): string;
