import { at, type Draft, type Rule } from '../lint/rule.ts';
import { handoffCycle, handoffOf } from '../model/handoffs.ts';

/** Direct handoffs between the phases of one package. */
export const handoffRules: readonly Rule[] = [
  {
    id: 'HO001',
    severity: 'warning',
    in: { single: 'off' },
    fence: 'fences',
    summary: 'Phases do not hand over to each other in a circle.',
    why: 'Each would start the next for ever; a repetition that ends belongs in Loop Control, with its condition.',
    hint: 'Remove one of the handoffs, or describe the repetition in Loop Control.',
    bad: 'phase 1 reads phases/02-x.md, phase 2 reads phases/01-y.md',
    check: ({ phases, references }): Draft[] => {
      const found = phases.flatMap((phase) => {
        const handoff = handoffOf(phase, phases, references);
        if (handoff?.target.number === undefined || phase.number === undefined) return [];
        return [
          { from: phase.number, to: handoff.target.number, document: phase.document, line: handoff.line },
        ];
      });
      const cycle = handoffCycle(new Map(found.map(({ from, to }) => [from, to])));
      const place = found.find(({ from }) => from === cycle?.at(-2));
      if (cycle === undefined || place === undefined) return [];
      return [at(place.document, place.line, `The phases ${cycle.join(' → ')} hand over in a circle.`)];
    },
  },
];
