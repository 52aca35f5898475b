/** T-046, §2B: what the phase after a review must be able to rely on. */
export const nextPhaseExpectations = {
  specify: 'The design needs every requirement with acceptance criteria and scope stated, and no ambiguity.',
  design: 'The plan needs components, interfaces, dependencies and risks.',
  plan: 'The tasks need ordered steps with their dependencies.',
  tasks: 'The implementation needs tasks of under 15 minutes, done criteria for each and a dependency graph.',
} as const;
