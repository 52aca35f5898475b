import type { Draft, Rule, Severity } from '../lint/rule.ts';
import type { SkillPackage } from '../model/package.ts';

/** A finding about one of several packages. */
export type CrossDraft = Draft & { rule: string; package: SkillPackage };

type CrossRule = Omit<Rule, 'check'> & { checkAll: (packages: readonly SkillPackage[]) => CrossDraft[] };

/** Share of common lines from which two phases count as the same text. */
const alike = 0.9;
const sketchSize = 8;

export const crossRules: readonly CrossRule[] = [
  {
    id: 'XP001',
    severity: 'error',
    fence: 'none',
    summary: 'No trigger belongs to two packages.',
    why: 'Which of them answers is decided by chance.',
    hint: 'Give each package triggers of its own.',
    bad: 'workflow:lite-execute in two skills',
    checkAll: (packages) => {
      const owners = new Map<string, SkillPackage>();
      return packages.flatMap((subject) =>
        subject.triggers.flatMap((trigger): CrossDraft[] => {
          const key = trigger.toLowerCase();
          const owner = owners.get(key);
          if (owner === undefined) owners.set(key, subject);
          // The same skill kept in two roots is a copy, not a rival.
          if (owner === undefined || owner === subject || owner.name === subject.name) return [];
          const line = subject.skill?.frontmatter.fields.get('description')?.line ?? 0;
          const message = `The trigger "${trigger}" also belongs to ${owner.name || owner.files.directory}.`;
          return [{ rule: 'XP001', package: subject, file: 'SKILL.md', line, message }];
        }),
      );
    },
  },
  {
    id: 'XP002',
    severity: 'info',
    fence: 'none',
    summary: 'No phase is nearly the same in two packages.',
    why: 'A correction reaches one copy and not the other.',
    hint: 'Keep the text in one package and let the other call it.',
    bad: '02-lite-execute.md in two skills, 36 lines apart',
    checkAll: (packages) => {
      const sketches = new Map<number, Text>();
      return packages.flatMap((subject) =>
        subject.phases.flatMap(({ document }): CrossDraft[] => {
          const text: Text = { package: subject, file: document.path, lines: lineHashes(document.text) };
          if (text.lines.size < 20) return [];
          const sketch = smallest(text.lines, sketchSize);
          const twin = bestCandidate(sketch, sketches);
          for (const hash of sketch) if (!sketches.has(hash)) sketches.set(hash, text);
          if (twin === undefined || twin.package === subject || similarity(text.lines, twin.lines) < alike)
            return [];
          const message = `The phase is nearly the same as ${twin.package.name || twin.package.files.directory}/${twin.file}.`;
          return [{ rule: 'XP002', package: subject, file: document.path, line: 0, message }];
        }),
      );
    },
  },
];

type Text = { package: SkillPackage; file: string; lines: ReadonlySet<number> };

function lineHashes(text: string): Set<number> {
  const hashes = new Set<number>();
  let hash = 2_166_136_261;
  let seen = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 10) {
      if (seen) hashes.add(hash >>> 0);
      hash = 2_166_136_261;
      seen = false;
    } else if (code > 32) {
      hash = Math.imul(hash ^ code, 16_777_619);
      seen = true;
    }
  }
  if (seen) hashes.add(hash >>> 0);
  return hashes;
}

function smallest(hashes: ReadonlySet<number>, count: number): number[] {
  return [...hashes].sort((a, b) => a - b).slice(0, count);
}

/** The text that shares most of the sketch; one candidate a text, so that the work stays linear. */
function bestCandidate(sketch: readonly number[], sketches: ReadonlyMap<number, Text>): Text | undefined {
  const votes = new Map<Text, number>();
  for (const hash of sketch) {
    const text = sketches.get(hash);
    if (text !== undefined) votes.set(text, (votes.get(text) ?? 0) + 1);
  }
  return [...votes].sort((a, b) => b[1] - a[1])[0]?.[0];
}

function similarity(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let common = 0;
  for (const hash of a) if (b.has(hash)) common += 1;
  return common / (a.size + b.size - common);
}

export const crossSeverity = (id: string): Severity =>
  crossRules.find((rule) => rule.id === id)?.severity ?? 'info';
