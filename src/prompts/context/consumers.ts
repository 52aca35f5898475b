import type { SpecCategory } from './specs.ts';

/**
 * Who gets the design documents, and how. `inline`: the block itself. `reference`: paths and what the builder was
 * shown of each; an evaluator never gets the text, whose words could pass for a verdict on an earlier round.
 */
export type ConsumerRule = { design: 'inline' | 'reference'; specs?: SpecCategory };

export const consumers = {
  sketch: { design: 'inline', specs: 'exploration' },
  explore: { design: 'inline', specs: 'exploration' },
  plan: { design: 'inline', specs: 'planning' },
  'lite-plan': { design: 'inline', specs: 'planning' },
  feature: { design: 'inline', specs: 'planning' },
  review: { design: 'inline', specs: 'review' },
  execute: { design: 'inline', specs: 'execution' },
  frontend: { design: 'inline', specs: 'execution' },
  'brand-design': { design: 'inline' },
  'brief-writer': { design: 'reference' },
  evaluator: { design: 'reference' },
} as const satisfies Record<string, ConsumerRule>;

export type Consumer = keyof typeof consumers;
