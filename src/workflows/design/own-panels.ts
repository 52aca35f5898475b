import path from 'node:path';
import type { AgentSettings, World } from '../../agents/settings.ts';
import { CharretteError } from '../../base/errors.ts';
import { containedPath, readTextFile } from '../../base/files/bounded.ts';
import type { Config } from '../../base/schema/config.ts';
import { slugify } from '../../base/text/strings.ts';
import { type Chair, type PanelName, type PanelSpec, panelNames, panels } from '../../council/panels.ts';
import { seatAgents as seatOnChairs } from '../../council/seating.ts';
import { stances } from '../../prompts/panel/sketch.ts';
import { seatAgents } from '../roster.ts';

type OwnPanel = NonNullable<Config['panels']>[string];
type OwnSeat = NonNullable<OwnPanel['sketch']>[number];
type Role = 'sketch' | 'review' | 'judge' | 'vote';

/** A panel of the configuration with an agent on each of its seats. */
export type SeatedPanel = {
  name: string;
  seats: PanelSpec;
  /** Agents that it made: known ones with another model or effort. */
  variants: AgentSettings[];
  author?: string;
  rounds?: 1 | 2;
};

/**
 * Seats a panel of the configuration with the agents of a run: named agents first, then those of a family, then the agent with the
 * fewest seats. Judges and voters are different agents. `undefined`: a built-in panel has that name.
 */
export async function seatOwnPanel(
  name: string,
  { config, roster, author, world, project }: PanelSurroundings,
): Promise<SeatedPanel | undefined> {
  if (config.panels?.[name] === undefined) return undefined;
  if (name in panels)
    throw invalid(`panels.${name}: a built-in panel has this name.`, 'Choose another name.');
  const { base, own } = withBases(config.panels, name);
  const agents = [...(await seatAgents(roster, world)).values()].map(({ id, family }) => ({ id, family }));
  const writer = author.flag ?? own.author ?? author.configured;
  if (own.author !== undefined && !agents.some(({ id }) => id === own.author))
    throw unknownAgent(`panels.${name}.author`, own.author, agents);
  const table = new Seats(name, agents, roster, seatOnChairs(agents, writer).author?.id);
  const stanceTexts = await readStances(config.stances ?? {}, own, { name, project });
  const lists = {
    sketch: table.seat('sketch', own.sketch) ?? base?.sketch ?? [],
    review: table.seat('review', own.review) ?? base?.review ?? [],
    judge: table.seat('judge', own.judge)?.map(({ chair }) => chair) ?? base?.judge ?? [],
    vote: table.seat('vote', own.vote)?.map(({ chair }) => chair) ?? base?.vote ?? [],
  };
  checkLists(name, lists, own.quorum, new Set(agents.map(({ family }) => family)));
  const sketchers = [...new Set(lists.sketch.map(({ chair }) => chair))].slice(0, 2);
  const debate = own.sketch === undefined ? (base?.debate ?? []) : sketchers;
  return {
    name,
    seats: {
      description: `${name}, a panel of the configuration`,
      ...(own.sketch === undefined && base?.fewer !== undefined ? { fewer: base.fewer } : {}),
      ...(own.sketch === undefined && own.review === undefined && base?.shared === true
        ? { shared: true as const }
        : {}),
      ...lists,
      debate: lists.judge.length === 0 ? [] : debate,
      stances: stanceTexts,
      variants: table.variants.map(({ id }) => id),
      ...(own.quorum === undefined ? {} : { quorum: own.quorum }),
    },
    variants: table.variants,
    ...(own.author === undefined ? {} : { author: own.author }),
    ...(own.rounds === undefined ? {} : { rounds: own.rounds }),
  };
}

export type PanelSurroundings = {
  config: Config;
  roster: readonly AgentSettings[];
  /** The author that a flag names, and else the one of the configuration. */
  author: { flag: string | undefined; configured: string | undefined };
  world: World;
  project: string;
};

/** A panel with what it takes from those that it extends; its own lists replace theirs. */
function withBases(all: NonNullable<Config['panels']>, name: string): { base?: PanelSpec; own: OwnPanel } {
  const trail: string[] = [];
  let own: OwnPanel = {};
  for (let next: string | undefined = name; next !== undefined; ) {
    if (trail.includes(next))
      throw invalid(
        `panels.${name} extends itself: ${[...trail, next].join(' → ')}.`,
        'Remove one `extends`.',
      );
    trail.push(next);
    const found: OwnPanel | undefined = Object.hasOwn(all, next) ? all[next] : undefined;
    if (found === undefined) {
      if (!panelNames.includes(next as PanelName))
        throw invalid(
          `panels.${trail.at(-2)} extends "${next}"; there are ${[...panelNames, ...Object.keys(all)].join(', ')}.`,
          'Name one of them.',
        );
      return { base: panels[next as PanelName], own };
    }
    own = { ...found, ...own };
    next = found.extends;
  }
  return { own };
}

/** Gives seats to agents, one role after the other. */
class Seats {
  readonly variants: AgentSettings[] = [];
  readonly #panel: string;
  readonly #agents: readonly { id: string; family: string }[];
  readonly #roster: readonly AgentSettings[];
  readonly #author: string | undefined;

  constructor(
    panel: string,
    agents: readonly { id: string; family: string }[],
    roster: readonly AgentSettings[],
    author: string | undefined,
  ) {
    this.#panel = panel;
    this.#agents = agents;
    this.#roster = roster;
    this.#author = author;
  }

  seat(role: Role, seats: readonly OwnSeat[] | undefined): { chair: Chair; stance: string }[] | undefined {
    if (seats === undefined) return undefined;
    const isBench = role === 'judge' || role === 'vote';
    const taken: (string | undefined)[] = seats.map((seat, index) =>
      seat.agent === undefined ? undefined : this.#named(role, index, seat, seat.agent),
    );
    for (const [index, seat] of seats.entries()) {
      if (taken[index] !== undefined) continue;
      const free = this.#candidates(role, index, seat).filter(({ id }) => !isBench || !taken.includes(id));
      const times = (id: string) =>
        taken.filter((each) => each === id).length + (id === this.#author ? 0.5 : 0);
      // Outside agents first on lists of equals; the author sketches and reviews only without other agents.
      const choice = free.filter(({ id }) => isBench || id !== this.#author || free.length === 1);
      const [first] = [...choice].sort((a, b) => times(a.id) - times(b.id));
      if (first === undefined)
        throw invalid(
          `panels.${this.#panel}.${role} has ${seats.length} seats, but only ${this.#agents.length} agents can take one: ${this.#names()}.`,
          'Each judge and voter is a different agent: remove a seat, or add an agent or a model.',
        );
      taken[index] = this.#withModel(seat, first.id);
    }
    const chosen = taken.flatMap((id) => id ?? []);
    const twice = chosen.find((id, index) => isBench && chosen.indexOf(id) !== index);
    if (twice !== undefined)
      throw invalid(
        `panels.${this.#panel}.${role} seats ${twice} twice.`,
        'Each judge and voter is a different agent: change one seat, or give it another model.',
      );
    return chosen.map((id, index) => ({ chair: `@${id}`, stance: seats[index]?.stance ?? 'generic' }));
  }

  #named(role: Role, index: number, seat: OwnSeat, agent: string): string {
    if (!this.#agents.some(({ id }) => id === agent))
      throw unknownAgent(`panels.${this.#panel}.${role}[${index}]`, agent, this.#agents);
    return this.#withModel(seat, agent);
  }

  #candidates(role: Role, index: number, { family }: OwnSeat) {
    const fitting = this.#agents.filter((agent) => family === undefined || agent.family === family);
    if (fitting.length > 0) return fitting;
    const families = [...new Set(this.#agents.map((agent) => agent.family))].join(', ');
    throw invalid(
      `panels.${this.#panel}.${role}[${index}] asks for the family "${family}"; the agents of this run have ${families}.`,
      'Name one of them, or add an agent of that family.',
    );
  }

  /** The agent itself, or one like it with the model, effort or family of the seat. */
  #withModel({ model, effort, family, agent }: OwnSeat, id: string): string {
    const settings = this.#roster.find((each) => each.id === id);
    const isOther =
      model !== undefined || effort !== undefined || (agent !== undefined && family !== undefined);
    if (settings === undefined || !isOther) return id;
    const name = slugify([id, model, effort].filter((part) => part !== undefined).join('-'), 40);
    const made: AgentSettings = {
      ...settings,
      id: name,
      variantOf: id,
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
      ...(family === undefined ? {} : { family }),
    };
    if (!this.variants.some((each) => each.id === name)) this.variants.push(made);
    return name;
  }

  #names(): string {
    return this.#agents.map(({ id }) => id).join(', ');
  }
}

function checkLists(
  name: string,
  lists: Pick<PanelSpec, Role>,
  quorum: PanelSpec['quorum'] | undefined,
  families: ReadonlySet<string>,
): void {
  if (Object.values(lists).every((seats) => seats.length === 0))
    throw invalid(`panels.${name} has no seat.`, 'Give it seats, or let it extend a panel.');
  if (lists.review.length > 0 && lists.vote.length === 0)
    throw invalid(`panels.${name} has review seats but no vote seats.`, 'Give it voters.');
  const { families: wanted = 0, reviewers = 0 } = quorum ?? {};
  if (wanted > families.size)
    throw invalid(
      `panels.${name}.quorum asks for ${wanted} families; the agents of this run have ${families.size}.`,
      'Lower it, or add agents.',
    );
  if (reviewers > lists.review.length)
    throw invalid(
      `panels.${name}.quorum asks for ${reviewers} reviewers; the panel has ${lists.review.length}.`,
      'Lower it, or add review seats.',
    );
}

const maxStanceBytes = 20_000;

/** The project's own words for the stances that a panel names; kept with the run, so that a resumed run says the same. */
async function readStances(
  own: NonNullable<Config['stances']>,
  { sketch = [], review = [] }: OwnPanel,
  { name, project }: { name: string; project: string },
): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const { stance = 'generic' } of [...sketch, ...review]) {
    if (Object.hasOwn(stances, stance)) {
      if (Object.hasOwn(own, stance))
        throw invalid(`stances.${stance}: a built-in stance has this name.`, 'Choose another name.');
      continue;
    }
    const source = Object.hasOwn(own, stance) ? own[stance] : undefined;
    if (source === undefined)
      throw invalid(
        `panels.${name} names the stance "${stance}"; there are ${[...Object.keys(stances), ...Object.keys(own)].join(', ')}.`,
        `Add \`stances.${stance}\` to the configuration.`,
      );
    texts[stance] ??= typeof source === 'string' ? source : await stanceFile(stance, source.file, project);
  }
  return texts;
}

async function stanceFile(stance: string, file: string, project: string): Promise<string> {
  const text = (await readTextFile(await containedPath(project, file), maxStanceBytes))?.trim();
  if (text !== undefined && text !== '') return text;
  throw invalid(
    `stances.${stance}: ${path.join(project, file)} ${text === undefined ? 'is missing' : 'is empty'}.`,
    'Write the file, or remove the stance.',
  );
}

function unknownAgent(where: string, agent: string, agents: readonly { id: string }[]): CharretteError {
  return invalid(
    `${where} names the agent "${agent}"; in this run are ${agents.map(({ id }) => id).join(', ')}.`,
    'Declare it in the configuration, install it, or add it to --agents.',
  );
}

function invalid(message: string, fix: string): CharretteError {
  return new CharretteError({ code: 'config-invalid', message, fix });
}
