/** Words that say nothing about what a branch is for. */
const empty = new Set(
  'the and for with from into that this add adds added fix fixes fixed feat feature chore refactor update updates change changes make makes allow allows let use uses new wip work branch test tests merge main master dev'.split(
    ' ',
  ),
);

/** How much of two words must be the same for them to mean the same: `limit`, `limits` and `limiting` do. */
const sameStem = 4;

/**
 * L-152, L-156: whether a person's branch is about the feature, by its name and its own commits. Only a branch that
 * plainly is about something else does not fit: it has commits, several words of its own, and shares none with the feature.
 */
export function branchFits(
  branch: { name: string; prefix: string; subjects: readonly string[] },
  feature: string,
): boolean {
  const own = wordsOf([branch.name.slice(branch.prefix.length + 1), ...branch.subjects].join(' '));
  const wanted = wordsOf(feature);
  if (branch.subjects.length === 0 || own.length < 2 || wanted.length === 0) return true;
  return own.some((word) => wanted.some((other) => areAlike(word, other)));
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return words.filter((word) => !empty.has(word));
}

function areAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const length = Math.min(
    one.length,
    other.length,
    Math.max(sameStem, Math.min(one.length, other.length) - 2),
  );
  return length >= sameStem && one.slice(0, length) === other.slice(0, length);
}
