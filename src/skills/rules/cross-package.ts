import type { Document } from '../../base/markdown/document.ts';
import type { Draft, Rule, Severity } from '../lint/rule.ts';
import { isCommand } from '../model/identity.ts';
import type { SkillPackage } from '../model/package.ts';

/** What rules across packages know of one package; its texts need not be kept. */
export type CrossFacts = {
  name: string;
  triggers: readonly string[];
  /** Line of the description, where a trigger is reported. */
  line: number;
  phases: readonly { path: string; lines: Uint32Array }[];
};

/** A finding about the package at this place in the list. */
export type CrossDraft = Draft & { index: number; severity?: Severity };

type CrossRule = Omit<Rule, 'check'> & { checkAll: (packages: readonly CrossFacts[]) => CrossDraft[] };

export function crossFacts(subject: SkillPackage): CrossFacts {
  return {
    name: subject.name || subject.files.directory,
    triggers: subject.triggers,
    line: subject.skill?.frontmatter.fields.get('description')?.line ?? 0,
    phases: subject.phases.map(({ document }) => ({ path: document.path, lines: lineHashes(document) })),
  };
}

/** Share of common lines from which two phases count as the same text. */
const alike = 0.9;
const sketchSize = 8;

export const crossRules: readonly CrossRule[] = [
  {
    id: 'XP001',
    severity: 'error',
    summary: 'No trigger belongs to two packages.',
    why: 'Which of them answers is decided by chance. A shared phrase, which a model weighs with the rest of the description, is only a warning.',
    hint: 'Give each package triggers of its own.',
    bad: 'workflow:lite-execute in two skills',
    checkAll: (packages) => {
      const owners = new Map<string, string>();
      return packages.flatMap(({ name, triggers, line }, index) =>
        triggers.flatMap((trigger): CrossDraft[] => {
          const key = trigger.toLowerCase();
          const owner = owners.get(key);
          if (owner === undefined) owners.set(key, name);
          // The same skill kept in two roots is a copy, not a rival.
          if (owner === undefined || owner === name) return [];
          const message = `The trigger "${trigger}" also belongs to ${owner}.`;
          return [
            { index, file: 'SKILL.md', line, message, severity: isCommand(trigger) ? 'error' : 'warning' },
          ];
        }),
      );
    },
  },
  {
    id: 'XP002',
    severity: 'info',
    summary: 'No phase is nearly the same in two packages.',
    why: 'A correction reaches one copy and not the other.',
    hint: 'Keep the text in one package and let the other call it.',
    bad: '02-lite-execute.md in two skills, 36 lines apart',
    checkAll: (packages) => {
      const sketches = new Map<number, Text>();
      return packages.flatMap(({ name, phases }, index) =>
        phases.flatMap(({ path, lines }): CrossDraft[] => {
          if (lines.length < 20) return [];
          const text: Text = { index, name, path, lines };
          const sketch = lines.subarray(0, sketchSize);
          const twin = bestCandidate(sketch, sketches);
          for (const hash of sketch) if (!sketches.has(hash)) sketches.set(hash, text);
          if (twin === undefined || twin.index === index || similarity(lines, twin.lines) < alike) return [];
          return [
            {
              index,
              file: path,
              line: 0,
              message: `The phase is nearly the same as ${twin.name}/${twin.path}.`,
            },
          ];
        }),
      );
    },
  },
];

type Text = { index: number; name: string; path: string; lines: Uint32Array };

/** Hashes of the lines of a document, each once and in order. A line is known by its length and a dozen of its characters. */
function lineHashes({ text, lineStarts }: Document): Uint32Array {
  const hashes = new Set<number>();
  for (let line = 0; line < lineStarts.length; line += 1) {
    const start = lineStarts[line] ?? 0;
    const end = lineStarts[line + 1] ?? text.length;
    const length = end - start;
    if (length < 4) continue;
    let hash = length ^ 2_166_136_261;
    const stride = Math.max(1, Math.floor(length / 12));
    for (let index = start; index < end; index += stride)
      hash = Math.imul(hash ^ text.charCodeAt(index), 16_777_619);
    hashes.add(hash >>> 0);
  }
  return Uint32Array.from(hashes).sort();
}

/** The text that shares most of the sketch; one candidate a text, so that the work stays linear. */
function bestCandidate(sketch: Uint32Array, sketches: ReadonlyMap<number, Text>): Text | undefined {
  const votes = new Map<Text, number>();
  for (const hash of sketch) {
    const text = sketches.get(hash);
    if (text !== undefined) votes.set(text, (votes.get(text) ?? 0) + 1);
  }
  return [...votes].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** Share of common lines of two sorted lists. */
function similarity(a: Uint32Array, b: Uint32Array): number {
  let common = 0;
  for (let left = 0, right = 0; left < a.length && right < b.length; ) {
    const [x, y] = [a[left] ?? 0, b[right] ?? 0];
    if (x === y) common += 1;
    if (x <= y) left += 1;
    if (y <= x) right += 1;
  }
  return common / (a.length + b.length - common);
}
