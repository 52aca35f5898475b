import type { ModelTarget } from './inputs.ts';

export type Candidate = { id: string; family: string };

/** Who answers for a model that a workflow file names, and why. */
export type ModelChoice = { agent: string; model?: string; effort?: string; why: string; guess: boolean };

export type ModelRules = {
  models: Readonly<Record<string, ModelTarget>>;
  tiers: Readonly<Record<string, ModelTarget>>;
  agents: readonly Candidate[];
};

const vendors: readonly (readonly [RegExp, string])[] = [
  [/^(?:claude|fable|opus|sonnet|haiku)\b/i, 'anthropic'],
  [/^(?:gpt-|o\d|codex)/i, 'openai'],
  [/^gemini-/i, 'google'],
  [/^grok-/i, 'xai'],
];

const tierOf: Readonly<Record<string, string>> = {
  fable: 'strong',
  opus: 'strong',
  sonnet: 'standard',
  haiku: 'light',
};

/** W-121: configuration, then an agent's name, then the vendor of the model, then its tier, then the first agent. */
export function chooseModel(name: string | undefined, { models, tiers, agents }: ModelRules): ModelChoice {
  const [first] = agents;
  const firstId = first?.id ?? '';
  if (name === undefined) return { agent: firstId, why: 'the first agent of the run', guess: false };
  const configured = Object.hasOwn(models, name) ? models[name] : undefined;
  if (configured !== undefined) return targeted(configured, agents, `workflow.models names ${name}`);
  if (agents.some(({ id }) => id === name))
    return { agent: name, why: 'an agent of this name', guess: false };
  const bare = name.slice(name.indexOf('/') + 1);
  const vendor = vendors.find(([pattern]) => pattern.test(bare))?.[1];
  const own = agents.find(({ family }) => family === vendor);
  if (vendor !== undefined && own !== undefined)
    return { agent: own.id, model: bare, why: `a model of ${vendor}`, guess: false };
  const tier = tierOf[bare.toLowerCase().split('-')[0] ?? ''];
  const target = tier === undefined || !Object.hasOwn(tiers, tier) ? undefined : tiers[tier];
  if (target !== undefined) return targeted(target, agents, `workflow.tiers names ${tier}`);
  return { agent: firstId, why: `no agent has ${name}; the first agent answers`, guess: true };
}

function targeted(target: ModelTarget, agents: readonly Candidate[], why: string): ModelChoice {
  const { agent, ...rest } = typeof target === 'string' ? { agent: target } : target;
  const { model, effort } = rest as { model?: string; effort?: string };
  const exists = agents.some(({ id }) => id === agent);
  return {
    agent: exists ? agent : (agents[0]?.id ?? ''),
    ...(exists && model !== undefined ? { model } : {}),
    ...(exists && effort !== undefined ? { effort } : {}),
    why: exists ? why : `${why}, but the agent ${agent} is not in this run`,
    guess: !exists,
  };
}

/** Agents in the order of seats: a different family each time, as long as there is one. */
export function spreadOverFamilies<Agent extends Candidate>(agents: readonly Agent[]): Agent[] {
  const byFamily = Map.groupBy(agents, ({ family }) => family);
  const lists = [...byFamily.values()];
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, round) => lists.flatMap((list) => list[round] ?? [])).flat();
}
