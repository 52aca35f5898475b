/** The points of view a seat can take. What each stresses is written in the prompts. */
export const stances = ['arch', 'edge', 'innovation', 'pragmatic', 'requirements', 'generic'] as const;
export type Stance = (typeof stances)[number];

/** How a stance is called in labels and for people. */
export const stanceNames: Record<Stance, { label: string; title: string }> = {
  arch: { label: 'Arch', title: 'Architecture/Standards' },
  edge: { label: 'Edge', title: 'Edge-cases/Failure-modes' },
  innovation: { label: 'Innovation', title: 'Innovation/Exploration' },
  pragmatic: { label: 'Pragmatic', title: 'Pragmatism/Safety' },
  requirements: { label: 'Requirements', title: 'Requirements/Completeness' },
  generic: { label: 'Generic', title: 'Generic' },
};
