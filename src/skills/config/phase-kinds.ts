import type { RoughPhase } from './complete-config.ts';

/** S-025: the four kinds of phases people choose from, with what such a phase usually does. */
export const phaseKinds = {
  'session-init': {
    name: 'Session Init',
    description: 'Create the session folder and turn the request into GOAL, SCOPE and CONTEXT.',
    outputVariables: ['sessionId'],
    outputFiles: ['.workflow/{sessionId}/request.md'],
    agentTypes: [],
  },
  'context-gather': {
    name: 'Context Gather',
    description: 'Find the files, rules and earlier decisions that the request touches.',
    outputVariables: ['contextPath'],
    outputFiles: ['.workflow/{sessionId}/context.json'],
    agentTypes: ['context-search-agent'],
  },
  'process-transform': {
    name: 'Process Transform',
    description: 'Do the work on the gathered context and write the result.',
    outputVariables: ['resultPath'],
    outputFiles: ['.workflow/{sessionId}/result.md'],
    agentTypes: ['code-developer'],
  },
  'validate-review': {
    name: 'Validate Review',
    description: 'Check the result against the goal and report what holds and what does not.',
    outputVariables: ['verdict'],
    outputFiles: ['.workflow/{sessionId}/review.md'],
    agentTypes: ['general-purpose'],
  },
} as const satisfies Record<string, RoughPhase>;

export type PhaseKind = keyof typeof phaseKinds;

/** Phases for a wanted number: first, gather, work …, review. */
export function defaultPhases(count: number): RoughPhase[] {
  const {
    'session-init': first,
    'context-gather': gather,
    'process-transform': work,
    'validate-review': last,
  } = phaseKinds;
  if (count <= 1) return [copy(work)];
  if (count === 2) return [copy(gather), copy(last)];
  const middle = Array.from({ length: count - 3 }, (_, index): RoughPhase => {
    if (index === 0) return copy(work);
    const name = `Process Transform ${index + 1}`;
    return {
      ...copy(work),
      name,
      outputVariables: [`resultPath${index + 1}`],
      outputFiles: [`.workflow/{sessionId}/result-${index + 1}.md`],
    };
  });
  return [copy(first), copy(gather), ...middle, copy(last)];
}

function copy(phase: (typeof phaseKinds)[PhaseKind]): RoughPhase {
  const { name, description, outputVariables, outputFiles, agentTypes } = phase;
  return {
    name,
    description,
    outputVariables: [...outputVariables],
    outputFiles: [...outputFiles],
    agentTypes: [...agentTypes],
  };
}
