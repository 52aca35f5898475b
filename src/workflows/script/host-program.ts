// The process that runs a workflow file. It has no files, no network where bubblewrap exists, and one line of JSON messages on
// stdin and stdout. The script may control everything here: the program that started it trusts nothing it says.
import { AsyncLocalStorage } from 'node:async_hooks';
import vm from 'node:vm';
import { problemList, readAs } from '../../base/schema/primitives.ts';
import { delimit, seededNonce } from '../../prompts/part.ts';
import {
  type CallOptions,
  callOptionsSchema,
  type FromHost,
  type ScriptText,
  type ToHost,
} from './messages.ts';
import { councilPrimitives } from './primitives.ts';

/** The place of a call in the script; a fan-out opens one for each of its items. */
type Scope = { path: string; calls: number };

type Waiting = { resolve(value: unknown): void; reject(error: unknown): void; by?: boolean };

/** A cap or the budget was reached: a fan-out does not turn this into `null` (W-044). */
class LimitError extends Error {}

const maxItems = 4096;
const maxLogs = 10_000;

const scopes = new AsyncLocalStorage<Scope>();
const waiting = new Map<string, Waiting>();
const children = new Map<string, (script: ScriptText) => void>();
let spent = 0;
let budget: number | null = null;
let delivered = 0;
let logs = 0;
let nonces = seededNonce('');

const output = process.stdout;
const send = (message: FromHost) => void output.write(`${JSON.stringify(message)}\n`);

let rest = '';
process.stdin.setEncoding('utf8').on('data', (text: string) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) receive(JSON.parse(line) as ToHost);
});
process.stdin.on('end', () => process.exit(0));

function receive(message: ToHost): void {
  if (message.type === 'start') {
    budget = message.budget;
    nonces = seededNonce(message.nonceSeed);
    begin(message);
  } else {
    spent = message.spent;
    delivered += 1;
    settle(message);
  }
  // All that the script can do now is done in microtasks, which run before this.
  setImmediate(() => send({ type: 'rest', delivered }));
}

function settle(message: Exclude<ToHost, { type: 'start' }>): void {
  if (message.type === 'script') {
    children.get(message.id)?.(message.script);
    children.delete(message.id);
    return;
  }
  const entry = waiting.get(message.id);
  waiting.delete(message.id);
  if (entry === undefined) return;
  if (!message.ok) entry.reject(new Error(message.message));
  else {
    const { value, by, reason } = message;
    entry.resolve(entry.by === true ? { value, by, reason } : value);
  }
}

function begin({ script, args, seats }: Extract<ToHost, { type: 'start' }>): void {
  const scope: Scope = { path: '', calls: 0 };
  scopes
    .run(scope, () => execute(script, args, seats, 0))
    .then(
      (value) => send(endOf(value)),
      (error: unknown) => send({ type: 'end', ok: false, error: describeError(error, script) }),
    );
}

/** W-153: only JSON is a result; what is not is named by its place. */
function endOf(value: unknown): FromHost {
  const problem = notJson(value, 'result', new Set());
  if (problem === undefined) return { type: 'end', ok: true, value: value === undefined ? null : value };
  return { type: 'end', ok: false, error: { message: problem, code: 'result' } };
}

function notJson(value: unknown, place: string, above: Set<unknown>): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    return `The result is not JSON: ${place} is a ${typeof value}.`;
  if (typeof value !== 'object') return undefined;
  if (above.has(value)) return `The result is not JSON: ${place} contains itself.`;
  above.add(value);
  for (const [key, part] of Object.entries(value)) {
    const problem = notJson(part, Array.isArray(value) ? `${place}[${key}]` : `${place}.${key}`, above);
    if (problem !== undefined) return problem;
  }
  above.delete(value);
  return undefined;
}

async function execute(script: ScriptText, args: unknown, seats: Seats, level: number): Promise<unknown> {
  const globals = globalsFor(args, seats, level);
  const context = vm.createContext(globals, { codeGeneration: { strings: false, wasm: false } });
  vm.runInContext(guards, context);
  // W-161: names that the file declares win over the globals, which a function scope lets them.
  const before = "(async()=>{'use strict';let __default0001;";
  const after = script.form === 'default' ? '\n;return __default0001(__charrette)})()' : '\n})()';
  globals['__charrette'] = globals;
  const code = new vm.Script(before + script.body + after, {
    filename: script.file,
    columnOffset: -before.length,
  });
  return code.runInContext(context) as Promise<unknown>;
}

/** W-006: what would differ when a resumed run executes the script again throws. */
const guards = `(() => {
  const refuse = (name) => () => { throw new Error(name + ' is not available: a resumed run would see another value. Pass it in: --arg now=…'); };
  Math.random = refuse('Math.random');
  const RealDate = Date;
  const Guarded = function (...values) {
    if (values.length === 0) refuse(new.target ? 'new Date()' : 'Date()')();
    return new RealDate(...values);
  };
  Guarded.prototype = RealDate.prototype;
  RealDate.prototype.constructor = Guarded;
  Object.assign(Guarded, { UTC: RealDate.UTC, parse: RealDate.parse, now: refuse('Date.now') });
  globalThis.Date = Guarded;
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry']) delete globalThis[name];
})()`;

type Seats = Extract<ToHost, { type: 'start' }>['seats'];

function globalsFor(args: unknown, seats: Seats, level: number): Record<string, unknown> {
  const agent = (prompt: unknown, options?: unknown) => call(prompt, options, false);
  const log = (...values: unknown[]) => {
    logs += 1;
    if (logs <= maxLogs) send({ type: 'log', text: values.map(shown).join(' ').slice(0, 100_000) });
  };
  const flow = { agent, parallel, pipeline, quote, ask };
  return {
    ...flow,
    ...councilPrimitives({
      seats,
      callSeat: (prompt, options) => call(prompt, options, true),
      parallel,
      quote,
    }),
    workflow: (target: unknown, childArgs?: unknown) => startChild(target, childArgs, seats, level),
    phase: (title: unknown) => send({ type: 'phase', title: String(title).slice(0, 200) }),
    log,
    console: { log, info: log, warn: log, error: log, debug: log },
    args,
    budget: Object.freeze({
      total: budget,
      spent: () => spent,
      remaining: () => (budget === null ? Number.POSITIVE_INFINITY : Math.max(0, budget - spent)),
    }),
    ...{ URL, URLSearchParams, structuredClone },
  };
}

function nextId(scope = scopes.getStore() ?? { path: '', calls: 0 }): string {
  scope.calls += 1;
  return `${scope.path}${scope.calls}`;
}

async function call(prompt: unknown, given: unknown, by: boolean): Promise<unknown> {
  if (typeof prompt !== 'string' || prompt.trim() === '')
    throw new Error('agent() takes a prompt: a text that is not empty.');
  if (budget !== null && spent >= budget)
    throw new LimitError(`The budget of ${budget} output tokens is used up (${spent} spent).`);
  const id = nextId();
  const { options, unknown } = readOptions(given);
  for (const name of unknown)
    send({ type: 'log', text: `The option ${JSON.stringify(name)} of agent() is unknown and ignored.` });
  if (options.isolation === 'remote') throw new Error("isolation: 'remote' is not available in this build.");
  send({ type: 'call', id, prompt, options });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject, by }));
}

function readOptions(given: unknown): { options: CallOptions; unknown: string[] } {
  const fields = typeof given === 'object' && given !== null ? { ...(given as Record<string, unknown>) } : {};
  for (const [name, value] of Object.entries(fields))
    if (value === undefined || value === null) delete fields[name];
    // Only shown, so they need not be exact.
    else if (name === 'label' || name === 'phase') fields[name] = String(value).slice(0, 200);
  const reading = readAs(callOptionsSchema, fields);
  if (!reading.ok) throw new Error(`agent(): ${problemList(reading.problems, 'the options')}`);
  const known = Object.keys(callOptionsSchema.shape);
  return { options: reading.value, unknown: Object.keys(fields).filter((name) => !known.includes(name)) };
}

async function ask(question: unknown, given: unknown = {}): Promise<unknown> {
  const { id, detail, options, recommended } = given as Record<string, unknown>;
  const own = nextId();
  const name = typeof id === 'string' && /^[a-z0-9][a-z0-9-]{0,60}$/.test(id) ? `ask:${id}` : own;
  if (waiting.has(name)) throw new Error(`ask(): the id ${JSON.stringify(id)} is already in use.`);
  send({
    ...{ type: 'ask', id: name, question: String(question).slice(0, 10_000) },
    ...(detail === undefined ? {} : { detail: String(detail).slice(0, 200_000) }),
    ...(Array.isArray(options) ? { options: options as string[] } : {}),
    ...(recommended === undefined ? {} : { recommended: String(recommended) }),
  });
  return new Promise((resolve, reject) => waiting.set(name, { resolve, reject }));
}

async function startChild(target: unknown, args: unknown, seats: Seats, level: number): Promise<unknown> {
  if (level > 0) throw new Error('workflow(): a workflow that another one started cannot start a third.');
  const name =
    typeof target === 'string' ? target : (target as { scriptPath?: unknown } | undefined)?.scriptPath;
  if (typeof name !== 'string') throw new Error('workflow() takes a name or { scriptPath }.');
  const id = nextId();
  send({ type: 'child', id, target: name, ...(args === undefined ? {} : { args }) });
  const script = await new Promise<ScriptText>((resolve, reject) => {
    children.set(id, resolve);
    waiting.set(id, { resolve: () => {}, reject });
  });
  waiting.delete(id);
  return scopes.run({ path: `${id}-child.`, calls: 0 }, () => execute(script, args, seats, level + 1));
}

/** W-017: all at once, in order, and one that throws gives `null`. */
async function parallel(thunks: unknown): Promise<unknown[]> {
  const what = 'parallel() takes a list of functions: [() => agent(…), …].';
  if (!Array.isArray(thunks)) throw new TypeError(what);
  checkCount(thunks);
  if (!thunks.every((thunk) => typeof thunk === 'function')) throw new TypeError(what);
  return inItems(thunks, (thunk) => (thunk as () => unknown)());
}

/** W-018: each item goes through all stages at its own pace; one that throws is `null` and skips the rest. */
async function pipeline(items: unknown, ...stages: unknown[]): Promise<unknown[]> {
  if (!Array.isArray(items)) throw new TypeError('pipeline() takes a list and functions.');
  checkCount(items);
  if (!stages.every((stage) => typeof stage === 'function'))
    throw new TypeError('pipeline() takes functions after the list.');
  return inItems(items, async (item, index) => {
    let value: unknown = item;
    for (const stage of stages)
      value = await (stage as (...values: unknown[]) => unknown)(value, item, index);
    return value;
  });
}

/** A scope for each item, so that its calls have the same ids in whatever order items end. */
async function inItems(
  items: readonly unknown[],
  body: (item: unknown, index: number) => unknown,
): Promise<unknown[]> {
  const id = nextId();
  let limit: LimitError | undefined;
  const results = await Promise.all(
    items.map((item, index) =>
      scopes.run({ path: `${id}.${index + 1}-`, calls: 0 }, async () => {
        try {
          return await body(item, index);
        } catch (error) {
          if (error instanceof LimitError) limit = error;
          else send({ type: 'log', text: `Item ${index + 1} failed: ${messageOf(error)}`.slice(0, 2000) });
          return null;
        }
      }),
    ),
  );
  if (limit !== undefined) throw limit;
  return results;
}

function checkCount(items: readonly unknown[]): void {
  if (items.length > maxItems)
    throw new LimitError(`${items.length} items; at most ${maxItems} are allowed.`);
}

function quote(value: unknown, title: unknown = 'data'): string {
  const content = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null');
  const tag = String(title)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 60);
  return delimit({ tag: tag || 'data', content }, nonces);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

function messageOf(error: unknown): string {
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : String(error);
}

/** The place in the user's file that an error came from; frames of this program are left out. */
function describeError(error: unknown, { file }: ScriptText) {
  const stack = String((error as { stack?: unknown } | null)?.stack ?? '');
  const frame = stack.split('\n').find((line) => line.includes(`${file}:`));
  const [, line, column] = /:(\d+):(\d+)\)?$/.exec(frame ?? '') ?? [];
  return {
    message: messageOf(error).slice(0, 100_000),
    ...(error instanceof LimitError ? { code: 'limit' } : {}),
    ...(line === undefined ? {} : { line: Number(line), column: Number(column) }),
  };
}
