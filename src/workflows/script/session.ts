import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { World } from '../../agents/settings.ts';
import { CharretteError } from '../../base/errors.ts';
import { isRecord, type JsonValue, readJson } from '../../base/safe-json.ts';
import type { Reply } from '../../council/call/call.ts';
import { type Caller, Semaphore } from '../../council/call/once.ts';
import type { EventBody } from '../../engine/event.ts';
import type { Question } from '../../engine/question.ts';
import type { Degraded } from '../../engine/run-record.ts';
import { type Host, startHost } from './host.ts';
import type { ScriptCopy, ScriptInputs } from './inputs.ts';
import type { FromHost, HostCall, HostQuestion, ToHost } from './messages.ts';
import { spreadOverFamilies } from './models.ts';
import { ScriptCalls, type WritePlace } from './script-calls.ts';

/** How far a script came: to its end, to a question, or to the limit on money or tokens. */
export type Segment =
  | { kind: 'end'; value: JsonValue; degraded: Degraded }
  | { kind: 'ask'; questions: Question[] }
  | { kind: 'over-budget' };

export type SessionFacts = {
  caller: Caller;
  world: World;
  inputs: ScriptInputs;
  place: WritePlace;
  /** What was answered so far, by question. */
  answers: ReadonlyMap<string, string>;
  /** Whether another call would go over the limits of the run. */
  isOverBudget: () => boolean;
};

const maxCalls = 1000;
const maxResultCharacters = 16 * 1024 * 1024;

/** What an answer is when it is handed to the script. */
type Outcome = { message: ToHost; reply?: Reply<unknown> };

/**
 * Runs a script from its first line (W-101). Answers are in the lanes of the run; the order in which they were handed over is in
 * `deliveries.jsonl`, and a resumed run repeats it, so that the script goes the same way (W-105).
 */
export async function runSegment(facts: SessionFacts): Promise<Segment> {
  const session = new Session(facts);
  try {
    return await session.run();
  } finally {
    await session.close();
  }
}

class Session {
  readonly #facts: SessionFacts;
  readonly #host: Host;
  readonly #calls: ScriptCalls;
  readonly #abort = new AbortController();
  readonly #deliveries: Deliveries;
  /** Everything the script waits for, in the order in which it asked. */
  readonly #pending = new Map<string, Promise<{ id: string; outcome: Outcome }>>();
  readonly #asked = new Map<string, HostQuestion>();
  readonly #events: ScriptEvents;
  #callCount = 0;
  #delivered = 0;
  #spent = 0;
  #isHeld = false;
  #end: Extract<FromHost, { type: 'end' }> | undefined;

  constructor(facts: SessionFacts) {
    this.#facts = facts;
    const { caller, inputs, world } = facts;
    const signal = AbortSignal.any([caller.signal, this.#abort.signal]);
    const slots = new Semaphore(Math.min(16, Math.max(4, availableParallelism() - 2)));
    this.#calls = new ScriptCalls({ caller: { ...caller, signal }, inputs, place: facts.place, slots });
    this.#deliveries = new Deliveries(path.join(caller.live.directory.root, 'script'));
    this.#events = new ScriptEvents(caller);
    this.#host = startHost(world, caller.signal);
  }

  async run(): Promise<Segment> {
    const { inputs, caller } = this.#facts;
    const agents = [...caller.services.agents.values()];
    this.#host.send({
      type: 'start',
      script: textOf(inputs.script),
      ...(inputs.args === undefined ? {} : { args: inputs.args }),
      budget: inputs.budgetTokens ?? null,
      seats: spreadOverFamilies(agents).map(({ id, family }) => ({ agent: id, family })),
      nonceSeed: caller.services.nonceSeed,
    });
    for (;;) {
      await this.#listen();
      if (this.#end !== undefined) return this.#conclude(this.#end);
      const next = await this.#next();
      if (next === undefined) return this.#pause();
      await this.#deliver(next);
    }
  }

  async close(): Promise<void> {
    this.#host.close();
    this.#abort.abort(new Error('The script has ended.'));
    // Nothing of the run may be running after its step.
    await Promise.allSettled(this.#pending.values());
  }

  /** Takes what the script asks for until it can go no further. */
  async #listen(): Promise<void> {
    for (;;) {
      const message = await this.#host.next();
      if (message.type === 'end') this.#end ??= message;
      else if (message.type === 'log') this.#events.log(message.text);
      else if (message.type === 'phase') this.#events.phase(message.title);
      else if (message.type === 'rest') {
        if (message.delivered === this.#delivered) return;
      } else if (this.#pending.has(message.id) || this.#asked.has(message.id))
        throw hostFault(`asked twice as ${message.id}`);
      else if (message.type === 'child') this.#pending.set(message.id, this.#child(message));
      else if (message.type === 'ask') this.#ask(message);
      else await this.#call(message);
    }
  }

  async #call(message: HostCall): Promise<void> {
    this.#callCount += 1;
    if (this.#callCount > maxCalls)
      throw new CharretteError({
        code: 'workflow-limit',
        message: `The workflow file made more than ${maxCalls} agent calls.`,
      });
    const { id } = message;
    const phase = message.options.phase ?? this.#events.current;
    if (message.options.phase !== undefined) this.#events.declare(message.options.phase);
    if (!this.#calls.isAnswered(message) && this.#facts.isOverBudget()) {
      this.#isHeld = true;
      return;
    }
    await this.#facts.caller.live.checkpoint();
    const outcome = this.#calls.call(message, phase).then((made) => ({ id, outcome: made }));
    // Looked at when its turn comes; until then nobody may call it unhandled.
    outcome.catch(() => {});
    this.#pending.set(id, outcome);
  }

  #ask(message: HostQuestion): void {
    const { id } = message;
    const value = this.#facts.answers.get(questionId(id));
    if (value === undefined) this.#asked.set(id, message);
    else this.#pending.set(id, at(id, { type: 'answer', id, ok: true, value, spent: 0 }));
  }

  #child({
    id,
    target,
    args: _,
  }: Extract<FromHost, { type: 'child' }>): Promise<{ id: string; outcome: Outcome }> {
    const { children } = this.#facts.inputs;
    const child = Object.hasOwn(children, target) ? children[target] : undefined;
    if (child !== undefined) return at(id, { type: 'script', id, script: textOf(child), spent: 0 });
    const known = Object.keys(children);
    const message = `workflow(): ${JSON.stringify(target)} is not a workflow that this file names as plain text${known.length === 0 ? '' : `; it names ${known.join(', ')}`}.`;
    return at(id, { type: 'answer', id, ok: false, message, spent: 0 });
  }

  /** The next answer to hand over; nothing when only questions are left, or the limit was reached. */
  async #next(): Promise<{ id: string; outcome: Outcome } | undefined> {
    const recorded = this.#deliveries.next();
    if (recorded !== undefined) {
      const waiting = this.#pending.get(recorded);
      if (waiting !== undefined) return waiting;
      if (this.#isHeld || this.#asked.has(recorded)) return undefined;
      this.#deliveries.forgetRest();
      this.#events.warn(
        'The workflow file did not ask the same again: it depends on something that changes. Finished answers are still reused.',
      );
    }
    if (this.#pending.size > 0) return Promise.race(this.#pending.values());
    if (this.#asked.size > 0 || this.#isHeld) return undefined;
    throw new CharretteError({
      code: 'workflow-failed',
      message: `${this.#facts.inputs.script.file} waits for something that never comes.`,
      fix: 'Look for a promise that nothing resolves.',
    });
  }

  async #deliver({ id, outcome }: { id: string; outcome: Outcome }): Promise<void> {
    this.#pending.delete(id);
    this.#spent += outcome.reply?.usage?.outputTokens ?? 0;
    this.#deliveries.add(id);
    this.#delivered += 1;
    const { message } = outcome;
    if (message.type !== 'start') this.#host.send({ ...message, spent: this.#spent });
  }

  #pause(): Segment {
    if (this.#isHeld) return { kind: 'over-budget' };
    return { kind: 'ask', questions: [...this.#asked.values()].map(questionOf) };
  }

  #conclude({ ok, value, error }: Extract<FromHost, { type: 'end' }>): Segment {
    const left = [...this.#pending.keys()].filter((id) => this.#calls.isCall(id));
    if (left.length > 0)
      this.#events.warn(`Stopped because the workflow file did not wait for them: ${left.join(', ')}.`);
    this.#events.end();
    if (ok) {
      const size = JSON.stringify(value ?? null).length;
      if (size <= maxResultCharacters)
        return { kind: 'end', value: (value ?? null) as JsonValue, degraded: this.#calls.lost() };
      throw new CharretteError({
        code: 'workflow-limit',
        message: `The result has ${size} characters; at most ${maxResultCharacters} are kept.`,
      });
    }
    const { message = 'It failed without a message.', code, line, column } = error ?? {};
    const { file } = this.#facts.inputs.script;
    const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
    throw new CharretteError({
      code: code === 'limit' ? 'workflow-limit' : 'workflow-failed',
      message: `${place}: ${message}`,
    });
  }
}

function at(id: string, message: ToHost): Promise<{ id: string; outcome: Outcome }> {
  return Promise.resolve({ id, outcome: { message } });
}

function textOf({ file, body, form }: ScriptCopy) {
  return { file, body, form };
}

/** W-165: named by its place in the script unless the script names it. */
function questionId(id: string): string {
  return id.startsWith('ask:') ? id.slice('ask:'.length) : `ask-${id}`;
}

function questionOf({ id, question, detail, options, recommended }: HostQuestion): Question {
  return {
    id: questionId(id),
    text: question,
    ...(detail === undefined ? {} : { detail }),
    ...(options === undefined
      ? {}
      : {
          options: options.map((option) =>
            typeof option === 'string'
              ? { value: option, label: option }
              : { value: option.value, label: option.label ?? option.value },
          ),
        }),
    ...(recommended === undefined ? {} : { recommended }),
  };
}

function hostFault(what: string): CharretteError {
  return new CharretteError({
    code: 'workflow-host',
    message: `The process that runs the workflow file ${what}.`,
  });
}

/** The order in which answers were handed to the script, one line each. */
class Deliveries {
  readonly #file: string;
  #recorded: string[];
  #count = 0;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#file = path.join(folder, 'deliveries.jsonl');
    this.#recorded = readLines(this.#file);
  }

  next(): string | undefined {
    return this.#recorded[this.#count];
  }

  /** Kept before the answer is handed over; a resumed run finds it again. */
  add(id: string): void {
    if (this.#recorded[this.#count] !== id) {
      appendFileSync(this.#file, `${JSON.stringify({ v: 1, id })}\n`);
      this.#recorded.push(id);
    }
    this.#count += 1;
  }

  forgetRest(): void {
    this.#recorded = this.#recorded.slice(0, this.#count);
    writeFileSync(this.#file, this.#recorded.map((id) => `${JSON.stringify({ v: 1, id })}\n`).join(''));
  }
}

/** A last line that a kill cut off was never handed over. */
function readLines(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text) writeFileSync(file, whole);
  return whole.split('\n').flatMap((line) => {
    const reading = line === '' ? undefined : readJson(line);
    return reading?.ok === true && isRecord(reading.value) && typeof reading.value['id'] === 'string'
      ? [reading.value['id']]
      : [];
  });
}

/** Phases and logs of a script: numbered in the order in which it says them, which a replay repeats. */
class ScriptEvents {
  readonly #caller: Caller;
  readonly #titles = new Set<string>();
  #count = 0;
  current = 'script';

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  phase(title: string): void {
    this.#close();
    this.current = title;
    this.declare(title);
  }

  /** W-005: a title that was not there yet gets its own group. */
  declare(title: string): void {
    if (this.#titles.has(title)) return;
    this.#titles.add(title);
    this.#emit(`phase:${title}`, { type: 'phase-start', phase: title, line: `▸ ${title}` });
  }

  log(text: string): void {
    this.#count += 1;
    this.#emit(`log:${this.#count}`, { type: 'note', phase: this.current, text });
  }

  warn(text: string): void {
    this.#emit(`warning:${text}`, { type: 'warning', phase: this.current, text });
  }

  end(): void {
    this.#close();
  }

  #close(): void {
    if (!this.#titles.has(this.current)) return;
    const started = this.#caller.live.events.find(`script:phase:${this.current}`);
    const since = started === undefined ? this.#caller.live.clock.now() : Date.parse(started.time);
    const elapsedMs = Math.max(0, this.#caller.live.clock.now() - since);
    this.#emit(`phase-end:${this.current}`, { type: 'phase-end', phase: this.current, elapsedMs });
  }

  #emit(id: string, body: EventBody): void {
    this.#caller.live.events.emit(`script:${id}`, body);
  }
}
