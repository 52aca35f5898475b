import type { Proof } from './prove-story.ts';

/** What a proof did not try, as text: stories and scripts that did not start, and states of stories. */
export function leftOut(
  wanted: { stories: readonly string[]; scripts: readonly string[] },
  done: { proofs: readonly Pick<Proof, 'story' | 'states' | 'tried'>[]; scripts: readonly string[] },
): string[] {
  const proven = new Set(done.proofs.map(({ story }) => story));
  return [
    ...wanted.stories.filter((story) => !proven.has(story)).map((story) => `all of ${story}`),
    ...done.proofs
      .filter(({ states = 0, tried }) => tried < states)
      .map(({ story, states = 0, tried }) => `${states - tried} of ${states} states of ${story}`),
    ...wanted.scripts.filter((script) => !done.scripts.includes(script)),
  ];
}
