import { lineKind } from '../../base/markdown/document.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import type { SkillPackage } from '../model/package.ts';
import { findHeading, plainTitle } from '../model/phase-file.ts';
import { routesByTable } from '../model/phase-table.ts';

/** S-095, C-19. A router's flow may be written per mode, so the three general sections only weigh a warning there. */
export const requiredSections = {
  single: [],
  pipeline: ['Architecture Overview', 'Execution Flow', 'Core Rules', 'Data Flow', 'Error Handling'],
  loop: [
    'Architecture Overview',
    'Execution Flow',
    'Core Rules',
    'Data Flow',
    'Error Handling',
    'Loop Control',
  ],
  router: [
    'Architecture Overview',
    'Mode Detection & Routing',
    'Interactive Preference Collection',
    'Execution Flow',
  ],
} as const;

export const recommendedSections = {
  single: [],
  pipeline: [
    'Key Design Principles',
    'Input Processing',
    'TodoWrite Pattern',
    'Coordinator Checklist',
    'Related Commands',
  ],
  loop: [
    'Key Design Principles',
    'Input Processing',
    'TodoWrite Pattern',
    'Coordinator Checklist',
    'Related Commands',
  ],
  router: ['Core Rules', 'Data Flow', 'Error Handling'],
} as const;

/** Other headings under which a section is known. */
const aliases: Readonly<Record<string, RegExp>> = {
  'Architecture Overview': /^(?:system |workflow )?architecture(?: overview| diagram)?$/i,
  'Execution Flow': /^(?:execution (?:flow|process)|workflow(?: phases)?|phase (?:map|flow))$/i,
  'Core Rules': /^(?:(?:core|session|ground|hard|critical) )?rules$|^core principles$/i,
  'Error Handling': /^(?:error|failure) (?:handling|recovery)$/i,
  'Mode Detection & Routing': /^mode detection(?:\s*(?:&|and)\s*routing)?$|^routing(?: table)?$/i,
  'TodoWrite Pattern':
    /^(?:todowrite|todo|task ?(?:create|tracking)?) (?:pattern|coordination|tracking)$|^todowrite$/i,
  'Coordinator Checklist': /^(?:coordinator|execution|orchestrator) checklist$/i,
  'Related Commands': /^related (?:commands|skills)(?: & (?:commands|skills))?$/i,
  'Input Processing': /^(?:input (?:processing|handling|structuring)|usage)$/i,
  'Key Design Principles': /^(?:key )?design principles$/i,
};

/** "Error Handling & Recovery" is the section on error handling too; "Data Flow Notes" is another one than "Data Flow". */
const conjunction = /\s*(?:&|\+|\/|,|\band\b)\s*/i;

function hasSection({ skill }: SkillPackage, name: string): boolean {
  if (skill === undefined) return false;
  const wanted = aliases[name];
  return skill.document.headings.some(({ level, title }) => {
    if (level < 2 || level > 3) return false;
    const plain = plainTitle(title);
    return [plain, ...plain.split(conjunction)].some((part) =>
      wanted === undefined ? part.toLowerCase() === name.toLowerCase() : wanted.test(part),
    );
  });
}

function missing(subject: SkillPackage, names: readonly string[], word: string): Draft[] {
  const { skill } = subject;
  if (skill === undefined) return [];
  return names
    .filter((name) => !hasSection(subject, name))
    .map((name) => at(skill.document, 0, `The ${word} section "${name}" is missing.`));
}

/** C-19: a routing table is what its section is for; a package without preferences has none to collect. */
function needs({ skill, phases, documents }: SkillPackage, section: string): boolean {
  if (section === 'Interactive Preference Collection')
    return documents.some(({ text }) => text.includes('workflowPreferences'));
  if (section !== 'Mode Detection & Routing' || skill === undefined) return true;
  const slugs = phases.map(({ slug }) => slug);
  return skill.routing === undefined && !routesByTable(skill.document, slugs);
}

type Feature = { section: string; used: (subject: SkillPackage) => string | undefined };

/** S-095: a feature that is in use must have its section. */
const features: readonly Feature[] = [
  {
    section: 'Auto Mode Defaults',
    used: ({ documents }) =>
      documents.some(({ text }) => /workflowPreferences\.autoYes\b/.test(text))
        ? 'auto mode is used'
        : undefined,
  },
  {
    section: 'Interactive Preference Collection',
    used: ({ phases }) =>
      phases.some(({ document }) => document.text.includes('workflowPreferences.'))
        ? 'phases read preferences'
        : undefined,
  },
  {
    section: 'Post-Phase Updates',
    used: ({ phases }) =>
      phases.filter(({ document }) => /planning-notes\.md/i.test(document.text)).length > 1
        ? 'a notes document runs through the phases'
        : undefined,
  },
];

export const sectionRules: readonly Rule[] = [
  {
    id: 'SC001',
    severity: 'error',
    in: { single: 'off' },
    summary: 'The sections that the profile requires exist, as headings of that name.',
    why: 'Each holds something the coordinator needs at run time; a similar word elsewhere does not replace it.',
    hint: 'Add the section; `charrette skill explain SC001` lists them by profile.',
    bad: '### Data Flow notes only',
    check: (subject) =>
      missing(
        subject,
        requiredSections[subject.profile].filter((name) => needs(subject, name)),
        'required',
      ),
  },
  {
    id: 'SC002',
    severity: 'warning',
    in: { single: 'off' },
    summary: 'The recommended sections exist.',
    why: 'They keep a long run on its rails: principles, input, todo handling, checklist, related commands.',
    hint: 'Add the section or accept the warning.',
    bad: 'no Coordinator Checklist',
    check: (subject) => missing(subject, recommendedSections[subject.profile], 'recommended'),
  },
  {
    id: 'SC003',
    severity: 'warning',
    in: { single: 'off' },
    summary: 'Features in use have their sections.',
    why: 'Auto mode without written defaults means something else in every run.',
    hint: 'Add the section that belongs to the feature.',
    bad: 'auto mode used, no Auto Mode Defaults',
    check: (subject) => {
      const { skill } = subject;
      if (skill === undefined) return [];
      return features.flatMap(({ section, used }) => {
        const reason = hasSection(subject, section) ? undefined : used(subject);
        return reason === undefined
          ? []
          : [at(skill.document, 0, `The section "${section}" is missing although ${reason}.`)];
      });
    },
  },
  {
    id: 'SC004',
    severity: 'error',
    in: { single: 'off', pipeline: 'off', loop: 'off' },
    summary: 'A router lists every trigger in its routing table, and each mode has one phase.',
    why: 'A trigger without a row falls into the default mode.',
    hint: 'Give each trigger of the description a row with its mode and one phase document.',
    bad: 'a trigger of the description that is not in the table',
    check: ({ skill, triggers, phases: files }) => {
      if (skill === undefined) return [];
      const { routing, document } = skill;
      if (routing === undefined) {
        const slugs = files.map(({ slug }) => slug);
        return routesByTable(document, slugs) ? [] : [at(document, 0, 'There is no routing table.')];
      }
      const known = routing.rows.map(({ trigger }) => trigger.toLowerCase());
      const unlisted = triggers.filter(
        (trigger) => !known.some((cell) => cell.includes(trigger.toLowerCase())),
      );
      const phases = new Map<string, string>();
      return [
        ...unlisted.map((trigger) =>
          at(document, routing.table.line, `The trigger "${trigger}" has no row in the routing table.`),
        ),
        ...routing.rows.flatMap(({ line, mode, targets }): Draft[] => {
          const [target] = targets;
          if (target === undefined) return [];
          const before = phases.get(mode);
          if (targets.length > 1 || (before !== undefined && before !== target)) {
            return [at(document, line, `The mode ${mode} has more than one phase.`)];
          }
          phases.set(mode, target);
          return [];
        }),
      ];
    },
  },
  {
    id: 'SC005',
    severity: 'warning',
    in: { single: 'off' },
    fixable: true,
    summary: 'A phase has an Objective and an Output section.',
    why: 'The objective says when the phase is done, the output what the next one may rely on.',
    hint: 'Add ## Objective and ## Output.',
    bad: 'a phase without ## Output',
    check: ({ phases }) =>
      phases.flatMap(({ document }) =>
        [
          ['Objective', /^(?:objectives?|goals?|目标)$/i],
          ['Output', /^(?:outputs?|output (?:artifacts|files|specification|format)|输出)$/i],
        ].flatMap(([name, wanted]) =>
          findHeading(document, wanted as RegExp) === undefined
            ? [at(document, 0, `The section "${String(name)}" is missing.`)]
            : [],
        ),
      ),
  },
  {
    id: 'SC006',
    severity: 'info',
    summary: 'No empty sections.',
    why: 'A heading with nothing under it promises text that was forgotten.',
    hint: 'Fill it or remove the heading.',
    bad: '## Error Handling followed by the next heading',
    check: ({ documents }) =>
      documents.flatMap((document) =>
        document.headings.flatMap(({ line, level, title }, index): Draft[] => {
          const next = document.headings[index + 1];
          if (next !== undefined && next.level > level) return [];
          const end = next?.line ?? document.lineStarts.length;
          for (let below = line + 1; below < end; below += 1)
            if (document.kinds[below] !== lineKind.blank) return [];
          return [at(document, line, `The section "${title.slice(0, 60)}" is empty.`)];
        }),
      ),
  },
];
