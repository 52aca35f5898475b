import path from 'node:path';
import { extractAnswer } from '../../agents/extract-json.ts';
import type { Agent, LaneResult } from '../../agents/port.ts';
import {
  type AnswerForm,
  type Reply,
  type Seat,
  SeatCall,
  type Task,
  textAnswer,
} from '../../council/call/call.ts';
import { waitUntil } from '../../council/call/limits.ts';
import {
  attemptIn,
  type Caller,
  type Place,
  type Semaphore,
  writeQuestion,
} from '../../council/call/once.ts';
import { addLoss, lossIn, noteFamilies } from '../../council/health.ts';
import type { Degraded } from '../../engine/run-record.ts';
import { commitAll, openCheckout } from '../../repo/git/checkout.ts';
import { removeWorktree } from '../../repo/git/worktrees.ts';
import { schemaChecker } from './answer-schema.ts';
import { EarlierCalls } from './earlier-calls.ts';
import type { AgentType, ScriptInputs } from './inputs.ts';
import type { CallOptions, HostCall, ToHost } from './messages.ts';
import { chooseModel, type ModelChoice, spreadOverFamilies } from './models.ts';

/** Where calls that may write work: nowhere, in the project, or in a checkout of the run's own. */
export type WritePlace =
  | { access: 'read' }
  | { access: 'here' | 'branch'; directory: string; root: string; commit: string };

/** Tells an agent of a script what it is there for (W-010). */
const rule =
  'No one answers questions while you work: decide yourself. Your last message is returned to a program as data; answer with the result alone.';

const wallMs = 3_600_000;
const idleMs = 600_000;
const readers = ['Explore', 'Plan'];
const plainTypes = ['general-purpose', ...readers, 'claude'];

type Facts = { caller: Caller; inputs: ScriptInputs; place: WritePlace; slots: Semaphore };

/** The agent calls of a script: each is one lane, whose name is its place in the script (W-103). */
export class ScriptCalls {
  readonly #facts: Facts;
  readonly #agents: Map<string, Agent>;
  readonly #seats: Agent[];
  readonly #ids = new Set<string>();
  readonly #degraded: Degraded = { seats: [], oneSided: [] };
  /** Seats that were asked together: the families announced for them and those that answered. */
  readonly #rounds = new Map<string, Record<'announced' | 'answered', string[]>>();
  readonly #earlier: EarlierCalls;
  readonly #plain: AgentType = { role: '', access: 'write', file: '' };

  constructor(facts: Facts) {
    this.#facts = facts;
    this.#earlier = new EarlierCalls(facts.caller.services.earlierLanes, facts.inputs);
    this.#agents = new Map(facts.caller.services.agents);
    this.#seats = spreadOverFamilies([...this.#agents.values()]);
  }

  isCall(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Whether the last attempt of this call is on disk: then it costs nothing to hear it again. */
  isAnswered({ id }: HostCall): boolean {
    const { lanes } = this.#facts.caller.live.directory;
    return attemptIn(path.join(lanes, `${laneOf(id)}-1`)) !== undefined;
  }

  /** Never throws for what the agent does: the script gets a value, `null`, or a separate error (W-041). */
  async call({ id, prompt, options }: HostCall, phase: string): Promise<{ message: ToHost; reply?: Reply }> {
    this.#ids.add(id);
    const refuse = (message: string) => ({
      message: { type: 'answer', id, ok: false, message, spent: 0 } as const,
    });
    const type = this.#typeOf(options.agentType) ?? this.#plain;
    if (type === this.#plain) {
      const unknown = this.#unknownType(options.agentType ?? '');
      if (this.#facts.inputs.strictModels) return refuse(`agent(): ${unknown}`);
      this.#warn(`type:${options.agentType}`, unknown);
    }
    const narrow = [
      options.disallowedTools?.length ? 'disallowedTools' : '',
      options.bashCommandClamp ? 'bashCommandClamp' : '',
    ];
    const access = this.#accessOf(type, options);
    const unheld = narrow.filter((name) => name !== '');
    // W-126: agents are held to read or write as a whole, so only a reader keeps to a narrower rule without help.
    if (unheld.length > 0 && access === 'write')
      return refuse(`agent(): no agent here can be held to ${unheld.join(' and ')} (denied).`);
    if (options.isolation === 'worktree' && this.#facts.place.access === 'read')
      return refuse("agent(): isolation: 'worktree' needs write access. Run with `--access branch`.");
    let form: AnswerForm<unknown>;
    try {
      form = formOf(options);
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error));
    }
    const choice = this.#choose(options, type);
    if (typeof choice === 'string') return refuse(choice);
    if (choice.guess && this.#facts.inputs.strictModels)
      return refuse(`agent(): ${choice.why}, and --strict-models allows no guess.`);
    if (choice.guess) this.#warn(`model:${options.model ?? ''}`, `${choice.why} (${choice.agent}).`);
    const agent = await this.#variant(choice, options.effort ?? type.effort);
    // An agent that only reads can still answer.
    const held = agent.capabilities.write ? access : 'read';
    if (held !== access && agent.family !== 'static')
      this.#warn(`reader:${agent.id}`, `${agent.title} cannot change files; it only reads.`);
    const reply = await this.#reply({ id, prompt, options, phase, type, access: held, form, agent, choice });
    if (options.seat !== undefined) this.#noteRound(id, agent.family, reply);
    return { message: this.#answer(id, options, reply), reply };
  }

  #noteRound(id: string, announced: string, { kind, family }: Reply): void {
    const name = id.slice(0, id.lastIndexOf('.') + 1);
    const round = this.#rounds.get(name) ?? { announced: [], answered: [] };
    this.#rounds.set(name, round);
    round.announced.push(announced);
    if (kind === 'ok') round.answered.push(family);
  }

  /** What the calls lost; only complete once the script has ended. */
  lost(): Degraded {
    for (const round of this.#rounds.values()) noteFamilies(this.#degraded, 'answered', round);
    return this.#degraded;
  }

  #answer(id: string, options: CallOptions, reply: Reply<unknown>): ToHost {
    const by = { agent: reply.agent, family: reply.family };
    if (reply.kind === 'ok') {
      const value = typeof reply.value === 'string' ? reply.value.trim() : (reply.value ?? null);
      return { type: 'answer', id, ok: true, value, by, spent: 0 };
    }
    const reason = reply.message ?? reply.kind;
    const isUnfit = options.schema !== undefined && reply.kind === 'bad_output' && options.seat === undefined;
    if (isUnfit || reply.kind === 'denied')
      return { type: 'answer', id, ok: false, message: `agent(): ${reason} (${reply.kind})`, spent: 0 };
    this.#warn(`failed:${id}`, `${options.label ?? laneOf(id)} has no answer — ${reason}.`);
    return { type: 'answer', id, ok: true, value: null, by, reason, spent: 0 };
  }

  async #reply({
    id,
    prompt,
    options,
    phase,
    type,
    access,
    form,
    agent,
    choice,
  }: {
    id: string;
    prompt: string;
    options: CallOptions;
    phase: string;
    type: AgentType;
    access: 'read' | 'write';
    form: AnswerForm<unknown>;
    agent: Agent;
    choice: ModelChoice;
  }): Promise<Reply<unknown>> {
    const { caller, inputs, slots } = this.#facts;
    const { live, services } = caller;
    const key = laneOf(id);
    const { label = key, schema, isolation, agentType, stallMs } = options;
    const question = { schema, effort: options.effort, agentType, isolation, access, model: choice.model };
    const facts = { feature: prompt, ...JSON.parse(JSON.stringify(question)) };
    const text = promptOf(prompt, type, schema);
    const digest = writeQuestion({ lanes: live.directory.lanes, project: services.project }, key, {
      prompt: text,
      input: facts,
    });
    const reuse = this.#earlier.take(digest, access) ?? false;
    live.events.emit(`${key}:queue`, {
      type: 'lane-queue',
      lane: key,
      task: 'workflow',
      seat: key,
      label,
      phase,
      planned: agent.id,
    });
    const others =
      options.agent === undefined ? this.#seats.filter(({ id: other }) => other !== choice.agent) : [];
    const chain = [
      agent.id,
      ...others.filter(({ family }) => family !== 'static').map(({ id: other }) => other),
    ];
    const seat: Seat = { id: key, label, agents: chain, planned: { agent: agent.id } };
    const checkout = isolation === 'worktree' ? path.join(live.directory.root, 'worktrees', key) : undefined;
    // A call inside a step cannot ask: without consent to wait, another agent answers.
    const rule = services.limitRule;
    const limits = rule?.onLimit === 'wait' ? {} : { limitRule: undefined };
    const since = live.clock.now();
    return slots.run(async () => {
      const place = await this.#place(access, checkout);
      const task: Task<unknown> = {
        ...{ key, kind: 'workflow', phase, prompt: text, facts, answer: form, place, reuse },
        limits: { wallMs: (inputs.agentSeconds ?? wallMs / 1000) * 1000, idleMs: stallMs ?? idleMs },
      };
      const own: Caller = { ...caller, services: { ...services, agents: this.#agents, ...limits } };
      let reply = await new SeatCall(own, seat, task, digest).reply();
      for (let round = 1; rule?.onLimit === 'wait'; round += 1) {
        const until = reply.value === undefined ? reply.usedUp?.[0]?.until : undefined;
        if (until === undefined || until - since > rule.maxWaitHours * 3_600_000) break;
        await waitUntil(until, caller);
        reply = await new SeatCall(own, seat, task, digest, { round, after: reply }).reply();
      }
      addLoss(this.#degraded, lossIn(task.kind, seat, reply));
      if (checkout !== undefined) await this.#leave(key, checkout);
      return reply;
    }, caller.signal);
  }

  async #place(access: 'read' | 'write', checkout: string | undefined): Promise<Place | undefined> {
    const { place } = this.#facts;
    if (place.access === 'read') return undefined;
    if (checkout === undefined) return { directory: place.directory, access };
    await openCheckout(place.root, checkout, place.commit);
    if (access === 'read') return { directory: checkout, access };
    return { directory: checkout, access, start: { checkout, commit: place.commit } };
  }

  /** W-016, W-050: a checkout without changes goes; another stays, with its commit in the record. */
  async #leave(key: string, checkout: string): Promise<void> {
    const { place, caller } = this.#facts;
    if (place.access === 'read') return;
    const done = await commitAll(place.root, checkout, place.commit, `charrette: work of ${key}\n`).catch(
      () => 'kept' as const,
    );
    if (done === undefined) await removeWorktree(place.root, checkout);
    else {
      const what =
        done === 'kept' ? 'its changes' : `commit ${done.commit.slice(0, 12)} (${done.files.length} files)`;
      caller.live.events.emit(`script:worktree:${key}`, {
        type: 'note',
        text: `${key} left ${what} in ${checkout}.`,
      });
    }
  }

  #accessOf({ access }: AgentType, { isolation }: CallOptions): 'read' | 'write' {
    if (this.#facts.place.access === 'read') return 'read';
    return isolation === 'worktree' ? 'write' : access;
  }

  /** W-125: of the project or yours, with or without the plug-in before its name. */
  #typeOf(name = 'general-purpose'): AgentType | undefined {
    const { agentTypes } = this.#facts.inputs;
    const bare = name.slice(name.lastIndexOf(':') + 1);
    const found = [name, bare].find((each) => Object.hasOwn(agentTypes, each));
    if (found !== undefined) return agentTypes[found];
    if (!plainTypes.includes(bare)) return undefined;
    return { ...this.#plain, access: readers.includes(bare) ? 'read' : 'write' };
  }

  #unknownType(name: string): string {
    const known = [...plainTypes, ...Object.keys(this.#facts.inputs.agentTypes)];
    return `unknown agentType ${JSON.stringify(name)} works as general-purpose; there are ${[...new Set(known)].join(', ')}.`;
  }

  #choose(options: CallOptions, type: AgentType): ModelChoice | string {
    const { models, tiers } = this.#facts.inputs;
    const agents = [...this.#facts.caller.services.agents.values()];
    if (options.agent !== undefined) {
      const named = agents.find(({ id }) => id === options.agent);
      if (named === undefined)
        return `agent(): unknown agent ${JSON.stringify(options.agent)}; in this run are ${agents.map(({ id }) => id).join(', ')}.`;
      return { agent: named.id, why: 'named by the call', guess: false };
    }
    const name = options.model ?? type.model;
    if (name === undefined && options.seat !== undefined) {
      const seat = this.#seats[options.seat % Math.max(1, this.#seats.length)];
      return { agent: seat?.id ?? '', why: 'the seat of a panel', guess: false };
    }
    return chooseModel(name === 'inherit' ? undefined : name, { models, tiers, agents });
  }

  /** The agent with the model and effort of this call; agents that cannot change them stay as they are (W-124). */
  async #variant(
    { agent: id, model, effort: chosen }: ModelChoice,
    wanted: string | undefined,
  ): Promise<Agent> {
    const { services } = this.#facts.caller;
    const base = this.#agents.get(id);
    if (base === undefined) throw new Error(`The agent ${id} is not in this run.`);
    const effort = wanted ?? chosen;
    if (
      services.variant === undefined ||
      base.family === 'static' ||
      (model === undefined && effort === undefined)
    )
      return base;
    const name = [id, model, effort]
      .filter((part) => part !== undefined)
      .join('-')
      .replaceAll(/[^\w.-]+/g, '-')
      .slice(0, 80);
    const made = this.#agents.get(name) ?? (await services.variant(id, name, { model, effort }));
    this.#agents.set(name, made);
    return made;
  }

  #warn(id: string, text: string): void {
    this.#facts.caller.live.events.emit(`script:${id}`, { type: 'warning', text });
  }
}

function laneOf(id: string): string {
  return `call-${id}`;
}

function promptOf(prompt: string, { role }: AgentType, schema: unknown): string {
  const form =
    schema === undefined
      ? []
      : [
          `Answer with one JSON object that fits this JSON Schema, and nothing else:\n${JSON.stringify(schema)}`,
        ];
  return [...(role === '' ? [] : [role]), prompt, rule, ...form].join('\n\n');
}

function formOf({ schema }: CallOptions): AnswerForm<unknown> {
  if (schema === undefined) return textAnswer;
  const problemsOf = schemaChecker(schema);
  return {
    schema,
    strict: true,
    find: (_, result) => found(result, schema),
    check(value) {
      const problems = value === undefined ? ['there is no JSON object in the answer'] : problemsOf(value);
      return problems.length === 0 ? { value, problems } : { problems };
    },
  };
}

function found(result: LaneResult, schema: Readonly<Record<string, unknown>>): LaneResult {
  if (result.kind !== 'ok' && result.kind !== 'bad_output') return result;
  const value = result.value ?? extractAnswer(result.text, schema);
  return value === undefined ? { ...result, kind: 'bad_output' } : { ...result, kind: 'ok', value };
}
