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
