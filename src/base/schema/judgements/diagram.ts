import { z } from 'zod';
import { line, nullable, prose } from '../primitives.ts';

/** L-741: one mermaid diagram of modules, boundaries and relations, without fence; null when there is nothing to draw. */
export const diagramSchema = z.object({
  mermaid: nullable(prose(40_000)).describe('Mermaid source without a code fence.'),
  reason: nullable(line(1000)).describe('Why there is no diagram, when mermaid is null.'),
});

export type Diagram = z.infer<typeof diagramSchema>;
