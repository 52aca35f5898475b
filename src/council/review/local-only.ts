/** L-694: the observations about security that are handed to nobody. */
export const heldFile = 'oos-security-local.md';

/** Where reviewers and voters wrote about them in their own words. */
const papers = /^ballot(?:-\d+)?\.txt$|^(?!.*(?:-sketch-|-judge-|^debate-)).*-output\.txt$/;

/**
 * L-694: which of a run's artifacts stay in its own directory when the others are copied or sent around: none, unless an
 * observation about security was held back.
 */
export function localOnly(names: readonly string[]): string[] {
  return names.includes(heldFile) ? names.filter((name) => name === heldFile || papers.test(name)) : [];
}
