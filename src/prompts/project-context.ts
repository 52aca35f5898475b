/** What an implementer should know about the project a feature belongs to. */
export type ProjectFacts = {
  project?: string;
  feature: string;
  goals: readonly string[];
  dependencies?: { completed: readonly string[]; inProgress: readonly string[]; blocked: readonly string[] };
  /** The line of the roadmap about this feature; absent: it has none. `undefined` roadmap: the line is left out. */
  roadmap?: { signal?: string };
};

/** T-066: about 500 tokens at four characters each. */
const mostCharacters = 2_000;
const mostGoals = 3;

/** T-066…T-068: the block in its fixed form; whatever is not known leaves only its own line out. */
export function renderProjectContext(facts: ProjectFacts): string {
  const full = lines(facts, (names) => names.join(', ') || 'none', facts.goals);
  if (full.length <= mostCharacters) return full;
  const counted = lines(facts, (names) => String(names.length), facts.goals);
  if (counted.length <= mostCharacters) return counted;
  const shortGoals = facts.goals.slice(0, mostGoals).map((goal) => cut(goal, 200));
  return cut(
    lines(facts, (names) => String(names.length), shortGoals),
    mostCharacters,
  );
}

function lines(
  { project, feature, dependencies, roadmap }: ProjectFacts,
  show: (names: readonly string[]) => string,
  goals: readonly string[],
): string {
  return [
    `${project === undefined ? '' : `**Project:** ${project} | `}**This feature:** ${feature}`,
    ...(goals.length === 0 ? [] : [`**Project goals:** ${goals.join('; ')}`]),
    ...(dependencies === undefined
      ? []
      : [
          `**Feature dependencies:** completed: ${show(dependencies.completed)} | in-progress: ${show(dependencies.inProgress)} | blocked: ${show(dependencies.blocked)}`,
        ]),
    ...(roadmap === undefined ? [] : [`**Priority signal:** ${roadmap.signal ?? 'not on roadmap'}`]),
  ].join('\n');
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
