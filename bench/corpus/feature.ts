import { document, filler, type Part, sentence, title } from './documents.ts';
import type { Random } from './random.ts';
import { corpusShape } from './sizes.ts';

export type SyntheticFeature = {
  name: string;
  files: Readonly<Record<string, string>>;
};

type Style = {
  part: (random: Random, phase: number, step: number) => Part;
  reference: (part: Part) => string;
};

/** Ways in which people number the steps of a plan and point at them. */
const planStyles: readonly Style[] = [
  numbered('### Step ', (id) => `Plan Step ${id}`),
  numbered('### ', (id) => `Plan ${id}`),
  {
    part: (random, phase, step) => {
      const id = `${phase}${'ABCDEF'.charAt(step - 1) || 'Z'}.1`;
      const name = title(random);
      return { id, heading: `### ${id}: ${name}`, title: `${id}: ${name}` };
    },
    reference: ({ id }) => `Implements Plan Step ${id}`,
  },
];

function numbered(prefix: string, reference: (id: string) => string): Style {
  return {
    part: (random, phase, step) => {
      const id = `${phase}.${step}`;
      const heading = `${prefix}${id}: ${title(random)}`;
      return { id, heading, title: heading.replace(/^#+ /, '') };
    },
    reference: ({ id }) => reference(id),
  };
}

/** One feature with all its documents, and the labels of what its tasks refer to. */
export function syntheticFeature(
  random: Random,
  number: number,
  prd: 'file' | 'fallback' | 'broken' | 'none',
): SyntheticFeature {
  const { medians, spread, grouped } = corpusShape;
  const size = (key: keyof typeof medians) => Math.max(400, random.size(medians[key], spread));
  const style = random.pick(planStyles);
  const phases = Array.from({ length: random.whole(2, 5) }, (_, index) => ({
    heading: `Phase ${index + 1}: ${title(random)} ${index + 1}`,
    parts: Array.from({ length: random.whole(2, 5) }, (_unused, step) =>
      style.part(random, index + 1, step + 1),
    ),
  }));
  const components = Array.from({ length: random.whole(3, 12) }, (_, index): Part => {
    const spelled = random.next() < 0.3;
    const name = `${spelled ? 'Component ' : 'C'}${index + 1}: ${title(random)}`;
    return { id: `C${index + 1}`, heading: `### ${name}`, title: name };
  });
  const isGrouped = random.next() < grouped;
  const tasks = tasksDocument(random, { phases, components, style, isGrouped, characters: size('tasks') });
  const slug = title(random).toLowerCase().replace(/ /g, '-').slice(0, 30);
  const name = `${String(number).padStart(3, '0')}-${slug}`;
  return {
    name,
    files: {
      'spec.md': document(
        random,
        'Spec',
        size('spec'),
        ['Scope', 'Requirements', 'Acceptance Criteria'].map(bare),
      ),
      'design.md': document(random, 'Design', size('design'), [
        bare('Architecture'),
        { heading: 'Components', parts: components },
        bare('Risks'),
      ]),
      'plan.md': document(random, 'Plan', size('plan'), [
        bare('Implementation Order'),
        ...phases,
        bare('Risk Areas'),
      ]),
      'tasks.md': tasks.text,
      'section-labels.json': `${JSON.stringify(tasks.labels, null, 1)}\n`,
      '.meta.json': meta(number, slug, prd),
      ...(prd === 'file'
        ? {
            'prd.md': document(
              random,
              'PRD',
              size('prd'),
              ['Problem Statement', 'Goals', 'Users', 'Options'].map(bare),
            ),
          }
        : {}),
    },
  };
}

const bare = (heading: string) => ({ heading, parts: [] });

function meta(number: number, slug: string, prd: string): string {
  const source = { fallback: 'docs/brainstorms/shared.prd.md', broken: '/Users/other/docs/gone.prd.md' }[prd];
  return `${JSON.stringify({
    id: String(number).padStart(3, '0'),
    slug,
    mode: 'standard',
    status: 'completed',
    synthetic: true,
    ...(source === undefined ? {} : { brainstorm_source: source }),
  })}\n`;
}

type TaskInput = {
  phases: readonly { heading: string; parts: readonly Part[] }[];
  components: readonly Part[];
  style: Style;
  isGrouped: boolean;
  characters: number;
};

function tasksDocument(random: Random, input: TaskInput): { text: string; labels: Record<string, string[]> } {
  const labels: Record<string, string[]> = {};
  const count = random.whole(10, 26);
  const each = Math.max(40, Math.round(input.characters / count) - 120);
  const perPhase = Math.ceil(count / input.phases.length);
  const blocks = input.phases.flatMap(({ heading, parts }, phase) => [
    `## ${input.isGrouped ? heading : title(random)}`,
    ...Array.from({ length: perPhase }, (_, index) => {
      const number = `${phase + 1}.${index + 1}`;
      const { field, meant } = reference(random, parts, input);
      labels[number] = meant.length > 0 || !input.isGrouped ? meant : [heading];
      return [
        `### Task ${number}: ${title(random)}`,
        ...field,
        `- **Done when:** ${sentence(random)}`,
        filler(random, each),
      ].join('\n');
    }),
  ]);
  return { text: `# Tasks\n\n${blocks.join('\n\n')}\n`, labels };
}

/** Mostly none, as in life; the rest in the forms that were seen. */
function reference(random: Random, parts: readonly Part[], { components, style }: TaskInput) {
  if (random.next() >= corpusShape.traced) return { field: [], meant: [] };
  const part = random.pick(parts);
  const [first, second] = [random.pick(components), random.pick(components)];
  const dead = random.next() < corpusShape.deadReferences;
  const form = random.whole(0, 3);
  const plan = style.reference(part);
  if (dead) return { field: ['- **Why:** Plan 99.9, Design C99'], meant: [] };
  if (form === 0) return { field: [`- **Why:** ${plan}`], meant: [part.title] };
  if (form === 1)
    return { field: [`- **Why:** ${plan} / Design ${first.id}`], meant: [part.title, first.title] };
  if (form === 2) {
    return {
      field: [`- **Source:** Design ${first.id}, ${second.id}; Spec R2.1`],
      meant: [first.title, second.title],
    };
  }
  return { field: [`**Plan ref:** ${part.id}`], meant: [part.title] };
}
