import path from 'node:path';
import type {
  AgentContext,
  ClientCapabilities,
  PromptResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { exitCodes } from '../../base/error-table.ts';
import { isCharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { leaveAnswers, openQuestions } from '../../engine/answers.ts';
import type { RunEvent } from '../../engine/event.ts';
import type { Answer, Question } from '../../engine/question.ts';
import { type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { findHome } from '../cli/project.ts';
import { askPerson, questionMessage, wayFor } from './ask.ts';
import type { ProgramContext } from './context.ts';
import { type RunChild, startRun } from './run-child.ts';
import { message, nothingTold, type Telling, updatesOf } from './updates.ts';

/** One conversation of an editor. A prompt starts a design, goes on with one, or answers what was asked last. */
export class Session {
  readonly id: string;
  readonly cwd: string;
  readonly #context: ProgramContext;
  readonly #capabilities: ClientCapabilities | undefined;
  depth: string;
  #run: { child: RunChild; directory: RunDirectory | undefined } | undefined;
  /** By run: one that goes on continues its picture. */
  readonly #tellings = new Map<string, Telling>();
  /** Asked in words; the next prompt answers the first of them. */
  #asked: Question[] = [];
  #lastRun: string | undefined;
  #cancelled = false;
  /** A prompt is under way. */
  busy = false;

  constructor(
    id: string,
    cwd: string,
    depth: string,
    context: ProgramContext,
    capabilities: ClientCapabilities | undefined,
  ) {
    this.id = id;
    this.cwd = cwd;
    this.depth = depth;
    this.#context = context;
    this.#capabilities = capabilities;
  }

  async prompt(text: string, client: AgentContext): Promise<PromptResponse> {
    this.busy = true;
    try {
      return await this.#turn(text, client);
    } finally {
      this.busy = false;
    }
  }

  async #turn(text: string, client: AgentContext): Promise<PromptResponse> {
    if (this.#run !== undefined) return this.#answer(text, client);
    this.#cancelled = false;
    const resumed = /^\/resume(?:\s+|$)(.*)/s.exec(text)?.[1]?.trim();
    const words =
      resumed === undefined
        ? ['design', `--depth=${this.depth}`, '--remote-answers', '--', '-']
        : ['resume', '--remote-answers', '--', resumed || this.#lastRun || 'latest'];
    this.#run = {
      child: startRun(words, resumed === undefined ? text : '', this.cwd, this.#context),
      directory: undefined,
    };
    return this.#follow(client);
  }

  /** A prompt while a run waits is the answer to what it asked in words. */
  async #answer(text: string, client: AgentContext): Promise<PromptResponse> {
    const open = new Set(this.#open().map(({ id }) => id));
    const [question, ...more] = this.#asked.filter(({ id }) => open.has(id));
    this.#asked = more;
    if (question === undefined) {
      await this.#tell(client, message('That was answered elsewhere; the run goes on.\n'));
      return this.#follow(client);
    }
    const value = /^ok\.?$/i.test(text.trim()) ? (question.recommended ?? text) : text;
    await this.#leave([{ question: question.id, value, source: 'person' }], client);
    const [next] = more;
    return next === undefined ? this.#follow(client) : this.#askInWords(next, client);
  }

  /** Stops the run; the prompt that waits for it answers that it was cancelled. */
  async cancel(): Promise<void> {
    this.#cancelled = true;
    this.#asked = [];
    this.#run?.child.stop();
    await this.#run?.child.ended;
  }

  /** Tells the editor what happens until the run ends or asks something in words. */
  async #follow(client: AgentContext): Promise<PromptResponse> {
    const run = this.#run;
    if (run === undefined) return { stopReason: 'end_turn' };
    for (;;) {
      const { value: event, done } = await run.child.events.next();
      if (done === true) break;
      this.#lastRun = event.run;
      run.directory ??= runDirectoryOf(findHome(this.cwd), event.run);
      const { next, updates } = updatesOf(this.#tellings.get(event.run) ?? nothingTold, event);
      this.#tellings.set(event.run, next);
      for (const update of updates) await this.#tell(client, update);
      if (event.type !== 'question-ask') continue;
      const inWords = await this.#ask(event, client, run.child);
      const [first, ...rest] = inWords;
      if (first === undefined) continue;
      this.#asked = [first, ...rest];
      return this.#askInWords(first, client);
    }
    const { code, said } = await run.child.ended;
    this.#run = undefined;
    await this.#tell(client, message(await this.#closing(run.directory, code, said)));
    return { stopReason: this.#cancelled ? 'cancelled' : 'end_turn' };
  }

  /** Puts questions to the person; gives back those that have to be asked in words. */
  async #ask(
    event: RunEvent & { type: 'question-ask' },
    client: AgentContext,
    child: RunChild,
  ): Promise<Question[]> {
    const open = new Set(this.#open().map(({ id }) => id));
    const inWords: Question[] = [];
    for (const question of event.questions.filter(({ id }) => open.has(id))) {
      if (this.#cancelled) return [];
      const way = wayFor(question, this.#capabilities);
      if (way === 'message') {
        inWords.push(question);
        continue;
      }
      const elsewhere = new AbortController();
      const stopObserving = child.observe(({ type }) => {
        if (type === 'question-answer' || type === 'run-pause' || type === 'run-end') elsewhere.abort();
      });
      try {
        const asking = { sessionId: this.id, run: event.run };
        const value = await askPerson(client, asking, question, way, elsewhere.signal);
        if (value !== undefined)
          await this.#leave([{ question: question.id, value, source: 'person' }], client);
        else if (!elsewhere.signal.aborted) {
          child.stop();
          return [];
        }
      } catch (error) {
        // Somebody else has answered, or the run was stopped; the next events say so.
        if (!elsewhere.signal.aborted && !this.#cancelled) {
          child.stop();
          throw error;
        }
      } finally {
        stopObserving();
      }
    }
    return inWords;
  }

  async #askInWords(question: Question, client: AgentContext): Promise<PromptResponse> {
    await this.#tell(client, message(`${questionMessage(question)}\n`));
    return { stopReason: 'end_turn' };
  }

  #open(): Question[] {
    const directory = this.#run?.directory;
    return directory === undefined ? [] : openQuestions(directory);
  }

  /** An answer that comes too late, or that its question does not offer, is told to be so. */
  async #leave(answers: Answer[], client: AgentContext): Promise<void> {
    const directory = this.#run?.directory;
    if (directory === undefined) return;
    try {
      await leaveAnswers(directory, answers);
    } catch (error) {
      if (!isCharretteError(error)) throw error;
      await this.#tell(client, message(`${error.message}\n`));
    }
  }

  async #tell(client: AgentContext, update: SessionUpdate): Promise<void> {
    await client.notify('session/update', { sessionId: this.id, update });
  }

  /** The plan, or why there is none. */
  async #closing(directory: RunDirectory | undefined, code: number, said: string): Promise<string> {
    const resume = 'Write `/resume` to go on.';
    if (directory === undefined) return `The design did not start:\n\n${said.trim()}\n`;
    if (code === exitCodes.interrupted || code === exitCodes.terminated || code === exitCodes.paused)
      return `Stopped; everything finished so far is saved. ${resume}\n`;
    if (code !== exitCodes.done && code !== exitCodes.notAccepted)
      return `The run ended with an error:\n\n${said.trim().split('\n').slice(-3).join('\n')}\n\n${resume}\n`;
    const plan = path.join(directory.artifacts, 'plan.txt');
    const text = (await readTextFile(plan)) ?? 'The run wrote no plan.';
    const verdict =
      code === exitCodes.notAccepted ? '\n\nThe plan was **not accepted**; see the review above.' : '';
    return `${text.trimEnd()}${verdict}\n\n[${path.relative(this.cwd, plan)}](${plan})\n`;
  }
}
