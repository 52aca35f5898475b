import { lintPackage, type PackageResult } from '../lint/engine.ts';
import { buildPackage, type PackageFiles, type SkillPackage, unreadTexts } from '../model/package.ts';
import { ruleById } from '../rules/catalog.ts';
import { guardedPhases } from '../rules/compact.ts';
import { goesBack } from '../rules/phase-references.ts';
import { addTrigger, cleanTools, dropCommandKeys, quoteValues } from './fix-frontmatter.ts';
import { addNextPhase, addPhaseSections, addPhaseTable, removeProvenance } from './fix-sections.ts';
import { hasOlderDirective, syncPhase, syncSkill } from './sync-compact.ts';

export type FixResult = {
  /** Texts that changed, by path. */
  texts: Map<string, string>;
  before: PackageResult;
  after: PackageResult;
  rounds: number;
};

/** S-099: fix and lint again, at most this often. */
const mostRounds = 3;

type Fix = {
  rules: readonly string[];
  apply: (subject: SkillPackage) => Iterable<readonly [path: string, text: string | undefined]>;
};

const onSkill = (change: (subject: SkillPackage) => string | undefined) => (subject: SkillPackage) => [
  ['SKILL.md', change(subject)] as const,
];

const fixes: readonly Fix[] = [
  { rules: ['FM010'], apply: onSkill(quoteValues) },
  { rules: ['FM007'], apply: onSkill(cleanTools) },
  { rules: ['FM005'], apply: onSkill(addTrigger) },
  { rules: ['FM009'], apply: onSkill(dropCommandKeys) },
  { rules: ['RF002'], apply: onSkill(addPhaseTable) },
  {
    rules: ['HY004'],
    apply: ({ phases }) => phases.map((phase) => [phase.document.path, removeProvenance(phase)] as const),
  },
  {
    rules: ['SC005'],
    apply: ({ phases }) => phases.map((phase) => [phase.document.path, addPhaseSections(phase)] as const),
  },
  {
    rules: ['RF006'],
    apply: ({ phases, profile }) =>
      phases.map((phase, index) => {
        const kind = { router: profile === 'router', goesBack: goesBack(phase, phases) };
        return [phase.document.path, addNextPhase(phase, phases[index + 1], kind)] as const;
      }),
  },
  {
    rules: [
      'CP001',
      'CP002',
      'CP003',
      'CP004',
      'CP005',
      'CP006',
      'CP007',
      'CP008',
      'CP009',
      'CP010',
      'CP012',
    ],
    apply: syncAll,
  },
];

/** Everything compact recovery needs, recomputed. */
export function syncAll(subject: SkillPackage): (readonly [string, string | undefined])[] {
  const guarded = new Set(guardedPhases(subject));
  return [
    ['SKILL.md', syncSkill(subject)],
    ...subject.phases.map((phase) => {
      const legacy = hasOlderDirective(phase.compact);
      return [
        phase.document.path,
        syncPhase(phase, guarded.has(phase) || phase.compact.sentinel !== undefined || legacy),
      ] as const;
    }),
  ];
}

/** Whatever is added after a fence or a comment that is never closed belongs to it, and would be missed and added again. */
function endsOpen({ documents }: SkillPackage, path: string): boolean {
  const document = documents.find((candidate) => candidate.path === path);
  const comment = document?.comments.at(-1)?.text ?? '-->';
  return !comment.includes('-->') || document?.fences.some(({ closed }) => !closed) === true;
}

/** Applies the fixes of the rules that have findings, none when a text could not be read. Fixes that change more than markup need `unsafe`. */
export function fixPackage(files: PackageFiles, unsafe: boolean, only?: readonly string[]): FixResult {
  const wanted = (rule: string) => {
    if (only !== undefined) return only.includes(rule);
    return unsafe || ruleById.get(rule)?.unsafe !== true;
  };
  let current = files;
  let subject = buildPackage(current);
  const before = lintPackage(subject);
  let after = before;
  let rounds = 0;
  const texts = new Map<string, string>();
  while (rounds < mostRounds && unreadTexts(files).length === 0) {
    const open = new Set(after.findings.map(({ rule }) => rule));
    let changed = false;
    for (const { rules, apply } of fixes) {
      if (!rules.some((rule) => open.has(rule) && wanted(rule))) continue;
      for (const [path, text] of apply(subject)) {
        if (text === undefined || text === current.texts.get(path) || endsOpen(subject, path)) continue;
        current = { ...current, texts: new Map([...current.texts, [path, text]]) };
        texts.set(path, text);
        changed = true;
      }
      if (changed) subject = buildPackage(current);
    }
    if (!changed) break;
    rounds += 1;
    after = lintPackage(subject);
  }
  return { texts, before, after, rounds };
}
