import { unifiedDiff } from '../../../base/text/diff.ts';
import type { RunFiles } from './run-files.ts';

/** A state of the plan; `diff` is what changed since the one before, as a unified diff. */
export type PlanRevision = { title: string; text: string; diff?: string; added: number; removed: number };

const headings: readonly string[] = ['Implementation Plan', 'Revised Implementation Plan'];

/** Every state that the plan went through, oldest first. The dissent that is added at the end is no revision. */
export function planRevisions({ events, artifacts }: RunFiles): PlanRevision[] {
  const shown = events.flatMap((event) =>
    event.type === 'body' && headings.includes(event.heading) ? [event.text] : [],
  );
  const texts = shown.length > 0 ? shown : [artifacts['plan-before-review.txt'] ?? ''];
  const final = withoutDissent(artifacts['plan.txt'] ?? '');
  const all = [...texts.map(withoutDissent), final].filter(
    (text, index, states) => text.trim() !== '' && text.trim() !== states[index - 1]?.trim(),
  );
  return all.map((text, index) => {
    const title = index === 0 ? 'First plan' : index === all.length - 1 ? 'Final plan' : `Revision ${index}`;
    const before = all[index - 1];
    const diff = before === undefined ? undefined : unifiedDiff(before, text, { context: 4 });
    if (diff?.kind !== 'diff') return { title, text, added: 0, removed: 0 };
    return { title, text, diff: diff.text, added: diff.added, removed: diff.removed };
  });
}

function withoutDissent(text: string): string {
  return `${(text.split(/^## Dissent$/m)[0] ?? '').trimEnd()}\n`;
}
