import { createHash } from 'node:crypto';
import { countLines, unifiedDiff } from '../../base/text/diff.ts';
import { readFrontMatter } from '../../base/text/frontmatter.ts';

/** lean/C-03: what an agent was shown or told to read, as it was at that moment. */
export type Snapshot = Readonly<Record<string, { sha256: string; text: string }>>;

export function takeSnapshot(texts: Readonly<Record<string, string>>): Snapshot {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      { sha256: createHash('sha256').update(text).digest('hex'), text },
    ]),
  );
}

export type Delta =
  | { kind: 'same' }
  | { kind: 'delta'; stat: string; text: string }
  /** Too large or too different for a diff: the files have to be read again. */
  | { kind: 'too-large'; files: readonly string[] };

/** The agent has the files before it; one line around a change is enough to find the place. */
const contextLines = 1;

/** T-094, T-095, tricky case 8: what changed since a snapshot. Line endings and added front matter are not changes. */
export function deltaSince(snapshot: Snapshot, current: Readonly<Record<string, string>>): Delta {
  const names = [...new Set([...Object.keys(snapshot), ...Object.keys(current)])];
  const stats: string[] = [];
  const diffs: string[] = [];
  const tooLarge: string[] = [];
  for (const name of names) {
    const before = normalised(snapshot[name]?.text ?? '');
    const after = normalised(current[name] ?? '');
    const sameBody = snapshot[name] !== undefined && withoutFrontMatter(before) === withoutFrontMatter(after);
    if (sameBody) continue;
    const diff = unifiedDiff(before, after, { before: name, after: name, context: contextLines });
    if (diff.kind === 'too-large') tooLarge.push(name);
    if (diff.kind !== 'diff') continue;
    stats.push(`${name} | +${diff.added} -${diff.removed}${stateOf(name, snapshot, current)}`);
    diffs.push(diff.text.trimEnd());
  }
  if (tooLarge.length > 0) return { kind: 'too-large', files: tooLarge };
  if (diffs.length === 0) return { kind: 'same' };
  return { kind: 'delta', stat: stats.join('\n'), text: diffs.join('\n') };
}

function stateOf(name: string, snapshot: Snapshot, current: Readonly<Record<string, string>>): string {
  if (snapshot[name] === undefined) return ` (new, ${countLines(current[name] ?? '')} lines)`;
  return current[name] === undefined ? ' (removed)' : '';
}

function normalised(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n/g, '\n');
}

function withoutFrontMatter(text: string): string {
  return text.startsWith('---') ? readFrontMatter(text).body.trimStart() : text.trimStart();
}
