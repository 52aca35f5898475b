export type Candidate = { id: string; family: string };

export type Bench = {
  judges: Candidate[];
  /** False: every model here is of an author's family, so an author's relative judges. */
  independent: boolean;
};

const mostJudges = 3;

/**
 * Who judges two plans: one agent of every family that wrote neither of them. Where there is none, one of an author's
 * family, and that is said. The agent without a model never judges.
 */
export function benchFor(agents: readonly Candidate[], authorFamilies: readonly string[]): Bench {
  const models = agents.filter(({ family }) => family !== 'static');
  const others = models.filter(({ family }) => !authorFamilies.includes(family));
  const [first] = models;
  if (others.length === 0) return { judges: first === undefined ? [] : [first], independent: false };
  const judges = others.filter(
    ({ family }, index) => others.findIndex((other) => other.family === family) === index,
  );
  return { judges: judges.slice(0, mostJudges), independent: true };
}
