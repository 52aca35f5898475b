import type { JsonSchema } from '../../agents/port.ts';
import { type Part, type PromptDraft, words } from '../part.ts';
import {
  bullets,
  type Commission,
  commissionParts,
  effortPart,
  judgementPart,
  readOnlyPart,
} from './common.ts';

export type SketchText = { label: string; text: string };

export type SynthesisInput = {
  commission: Commission;
  sketches: readonly SketchText[];
  /** L-451: the four highlights belong to a panel with stances, not to the quick one. */
  highlights: boolean;
  schema: JsonSchema;
};

/** L-450…L-457: from several sketches to one approach and the list of decisions that are really contested. */
export function synthesisPrompt({ commission, sketches, highlights, schema }: SynthesisInput): PromptDraft {
  return {
    task: 'synthesis',
    fixed: [
      words(
        'role',
        'You bring independent sketches of one feature together into one approach. You did not write any of them and ' +
          'owe none of them anything.',
      ),
      words(
        'content',
        [
          'State',
          bullets([
            'agreements: what the sketches share;',
            'divergences: where they part, with your call on each and the reason for it;',
            'taken ideas: which idea of which sketch goes into the approach.',
          ]),
          'Check against the code before you side with a claim about it.',
        ].join('\n'),
      ),
      ...(highlights
        ? [
            words(
              'highlights',
              [
                'Add four highlights:',
                bullets([
                  'concerns about architecture and standards;',
                  'warnings about pragmatism and safety;',
                  'edge cases and failure risks, which feed the failure modes of the plan;',
                  'inventive alternatives worth keeping.',
                ]),
              ].join('\n'),
            ),
          ]
        : [words('attribution', 'Attribute ideas to the sketch they come from by its label.')]),
      words(
        'decisions',
        [
          'List as contested decisions only real divergences that would change the plan: a short title, the option you',
          'chose, the strongest alternative that a sketch proposed, the tension (which sketches stand on which side and why),',
          'the impact (High, Medium or Low) and the affected files. Order: High impact first; then how many sketches stand on',
          'different sides, more first; then order of appearance. Name seats by the labels of their sketches. When the sketches do not',
          'diverge, list none; do not invent a dispute.',
        ].join('\n'),
      ),
      judgementPart,
      readOnlyPart,
    ],
    answer: { kind: 'json', schema },
    changing: [
      ...commissionParts(commission),
      {
        name: 'sketches',
        heading: 'Sketches',
        text: `In the order of the blocks: ${sketches.map(({ label }, index) => `${index + 1} ${label}`).join(', ')}.`,
        untrusted: sketches.map(({ text }, index) => ({ tag: `sketch_${index + 1}`, content: text })),
      },
    ],
  };
}

/** The points of view a seat can take (L-207, L-584). Each says what to press on when sketching and when reviewing. */
export const stances = {
  arch: {
    title: 'Architecture and standards',
    sketch:
      'Press on structure that lasts: clear boundaries, one responsibility per module, the layers and patterns this ' +
      'repository already has, libraries it already uses. Name every place where an easy way would break a layer or ' +
      'mix concerns, and weigh upkeep over years against convenience now.',
    review:
      'Judge whether the plan keeps boundaries and layers, gives each module one responsibility, reuses what the ' +
      'repository has, follows its conventions, and can be kept up for years.',
  },
  edge: {
    title: 'Edge cases and failure modes',
    sketch:
      'Press on what goes wrong: limits and empty values, errors and recovery, races, partial writes, data that is ' +
      'damaged without anybody noticing. Point at the fragile places in the present code. Every risk you name comes ' +
      'with a way to contain it.',
    review:
      'Look for what the plan does not survive: boundary values, errors without recovery, races, partial failure, ' +
      'silent damage to data, fragile code it leans on. Say which failure, where, and what would contain it.',
  },
  innovation: {
    title: 'Innovation and exploration',
    sketch:
      'Press on the assumptions. Ask which of them are only habit, look for an unusual route, a reduction that makes ' +
      'the problem vanish, an idea that sounds wild and might work. Say honestly what would have to be true for it.',
    review:
      'Look for the obvious path taken without weighing a better one: assumptions nobody tested, a simpler framing, ' +
      'an existing mechanism that makes part of the plan unnecessary.',
  },
  pragmatic: {
    title: 'Pragmatism and safety',
    sketch:
      'Press on the smallest set of changes that does the job. Avoid new machinery, keep every existing feature ' +
      'working, point out code paths that are widely used or dangerous to touch, and say how a regression would be ' +
      'prevented or noticed.',
    review:
      'Look for scope that can go: steps that are not needed, machinery that is not worth its upkeep, changes to ' +
      'widely used paths without protection against regressions.',
  },
  generic: { title: 'General', sketch: '', review: '' },
  requirements: {
    title: 'Requirements and acceptance',
    sketch:
      'Press on what was asked. Take the request apart into what must be true afterwards, for whom, and how one would ' +
      'see it; find what is missing, contradictory or assumed; shape the approach so that each point can be checked.',
    review:
      'Check the plan against what was asked: each requirement covered, nothing added that nobody wanted, each ' +
      'outcome observable by a test or a command, contradictions and silent assumptions named.',
  },
} as const;

export type Stance = keyof typeof stances;

/** A point of view by its name; `stanceText` are the project's own words for one of its own. */
export type StanceChoice = { stance: string; stanceText?: string | undefined };

export type SketchInput = StanceChoice & {
  commission: Commission;
  schema: JsonSchema;
  maximumEffort?: boolean;
};

/** L-207: an approach in outline, by one seat, before anybody has seen another's. */
export function sketchPrompt({ commission, schema, maximumEffort, ...choice }: SketchInput): PromptDraft {
  return {
    task: 'sketch',
    fixed: [
      words(
        'role',
        'You sketch an approach to a feature of this repository. Others sketch the same feature without seeing yours; ' +
          'a synthesis follows. Take a position of your own.',
      ),
      ...stancePart(choice, 'sketch'),
      words(
        'content',
        [
          'Explore the code first. Then write two or three paragraphs that cover',
          '1. the architectural decisions that matter and why you take them this way,',
          '2. the files and modules to change or add, each with its reason,',
          '3. the trade-offs and risks.',
          'Cite code as path:line where a claim rests on it. Stay at the level of approach: no finished code, no task list.',
        ].join('\n'),
      ),
      readOnlyPart,
      ...effortPart(maximumEffort),
    ],
    answer: { kind: 'json', schema },
    changing: commissionParts(commission),
  };
}

/** What a seat presses on; nothing for a general one. Of a change only the title, for the rest speaks of plans. */
export function stancePart(
  { stance, stanceText }: StanceChoice,
  task: 'sketch' | 'review' | 'change',
): Part[] {
  if (stanceText !== undefined)
    return [{ ...words(`stance-${stance}`, `Your stance: ${stanceText}`), protected: true }];
  const { title, ...texts } = stances[stance as Stance];
  if (texts.sketch === '') return [];
  const text = task === 'change' ? '' : ` ${texts[task]}`;
  return [words(`stance-${stance}`, `Your stance: ${title}.${text}`)];
}
