import path from 'node:path';
import type {
  AgentContext,
  ClientCapabilities,
  PromptResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { type CharretteError, isCharretteError, toCharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { leaveAnswers } from '../../engine/answers.ts';
import type { RunEvent } from '../../engine/event.ts';
import { followEvents } from '../../engine/follow.ts';
import type { Answer, Question } from '../../engine/question.ts';
import { type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import { openQuestions } from '../../service/answer.ts';
import { findRun, openProject, type Project, type ProjectOptions } from '../../service/project.ts';
import { type RunHandle, resumeRun, startRun } from '../../service/start.ts';
import { askPerson, questionMessage, wayFor } from './ask.ts';
import { message, nothingTold, type Telling, updatesOf } from './updates.ts';

type Current = { handle: RunHandle; events: AsyncIterator<RunEvent>; directory: RunDirectory };

/** One conversation of an editor. A prompt starts a design, resumes one, or answers the last question. */
export class Session {
  readonly id: string;
  readonly cwd: string;
  readonly #options: ProjectOptions;
  readonly #capabilities: ClientCapabilities | undefined;
  depth: string;
  #starting: Promise<RunHandle> | undefined;
  #run: Current | undefined;
  /** By run: one that is resumed continues its view. */
  readonly #tellings = new Map<string, Telling>();
  /** Asked as text; the next prompt answers the first of them. */
  #asked: Question[] = [];
  #lastRun: string | undefined;
  #cancelled = false;
  /** A prompt is in progress. */
  busy = false;

  constructor(
    id: string,
    cwd: string,
    depth: string,
    options: ProjectOptions,
    capabilities: ClientCapabilities | undefined,
  ) {
    this.id = id;
    this.cwd = cwd;
    this.depth = depth;
    this.#options = options;
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
    try {
      const project = openProject(this.cwd, this.#options);
      this.#starting = this.#start(project, text);
      const handle = await this.#starting;
      this.#lastRun = handle.run;
      const directory = runDirectoryOf(project, handle.run);
      this.#run = { handle, events: handle.events[Symbol.asyncIterator](), directory };
    } catch (error) {
      const said = errorText(toCharretteError(error));
      await this.#tell(client, message(`The design did not start:\n\n${said}\n`));
      return { stopReason: this.#cancelled ? 'cancelled' : 'end_turn' };
    } finally {
      this.#starting = undefined;
    }
    return this.#follow(client);
  }

  /** Each run has a separate process, which waits for the answers that this session leaves. */
  async #start(project: Project, text: string): Promise<RunHandle> {
    const resumed = /^\/resume(?:\s+|$)(.*)/s.exec(text)?.[1]?.trim();
    const options = { remoteAnswers: true };
    if (resumed !== undefined)
      return resumeRun(project, await findRun(project, resumed || this.#lastRun), 'detached', options);
    const request = { workflow: 'design' as const, feature: text, depth: this.depth, interactive: true };
    return startRun(project, request, 'detached', options);
  }

  /** A prompt while a run waits is the answer to what it asked as text. */
  async #answer(text: string, client: AgentContext): Promise<PromptResponse> {
    const open = new Set(this.#open().map(({ id }) => id));
    const [question, ...more] = this.#asked.filter(({ id }) => open.has(id));
    this.#asked = more;
    if (question === undefined) {
      await this.#tell(client, message('That was answered elsewhere; the run continues.\n'));
      return this.#follow(client);
    }
    const value = /^ok\.?$/i.test(text.trim()) ? (question.recommended ?? text) : text;
    await this.#leave([{ question: question.id, value, source: 'person' }], client);
    const [next] = more;
    return next === undefined ? this.#follow(client) : this.#askAsText(next, client);
  }

  /** Stops the run; the prompt that waits for it answers that it was cancelled. */
  async cancel(): Promise<void> {
    this.#cancelled = true;
    this.#asked = [];
    const handle = this.#run?.handle ?? (await this.#starting?.catch(() => undefined));
    await handle?.stop();
  }

  /** Sends the editor what happens until the run ends or asks something as text. */
  async #follow(client: AgentContext): Promise<PromptResponse> {
    const run = this.#run;
    if (run === undefined) return { stopReason: 'end_turn' };
    for (;;) {
      const { value: event, done } = await run.events.next();
      if (done === true) break;
      const { next, updates } = updatesOf(this.#tellings.get(event.run) ?? nothingTold, event);
      this.#tellings.set(event.run, next);
      for (const update of updates) await this.#tell(client, update);
      if (event.type !== 'question-ask') continue;
      const asText = await this.#ask(event, client, run);
      const [first, ...rest] = asText;
      if (first === undefined) continue;
      this.#asked = [first, ...rest];
      return this.#askAsText(first, client);
    }
    await run.handle.ended;
    this.#run = undefined;
    await this.#tell(client, message(await this.#closing(run.directory)));
    return { stopReason: this.#cancelled ? 'cancelled' : 'end_turn' };
  }

  /** Puts questions to the user; returns those that have to be asked as text. */
  async #ask(
    event: RunEvent & { type: 'question-ask' },
    client: AgentContext,
    { handle, directory }: Current,
  ): Promise<Question[]> {
    const open = new Set(this.#open().map(({ id }) => id));
    const asText: Question[] = [];
    for (const question of event.questions.filter(({ id }) => open.has(id))) {
      if (this.#cancelled) return [];
      const way = wayFor(question, this.#capabilities);
      if (way === 'message') {
        asText.push(question);
        continue;
      }
      const elsewhere = new AbortController();
      const over = new AbortController();
      void this.#closeWhenAnswered(elsewhere, directory, event.seq, over.signal);
      try {
        const asking = { sessionId: this.id, run: event.run };
        const value = await askPerson(client, asking, question, way, elsewhere.signal);
        if (value !== undefined)
          await this.#leave([{ question: question.id, value, source: 'person' }], client);
        else if (!elsewhere.signal.aborted) {
          void handle.stop();
          return [];
        }
      } catch (error) {
        // The question was answered elsewhere, or the run was stopped; the next events report it.
        if (!elsewhere.signal.aborted && !this.#cancelled) {
          void handle.stop();
          throw error;
        }
      } finally {
        over.abort();
      }
    }
    return asText;
  }

  /** Closes an open prompt when its question is answered elsewhere or the run stops asking. */
  async #closeWhenAnswered(
    prompt: AbortController,
    directory: RunDirectory,
    after: number,
    signal: AbortSignal,
  ): Promise<void> {
    for await (const { seq, type } of followEvents(directory.events, { signal }))
      if (seq > after && (type === 'question-answer' || type === 'run-pause' || type === 'run-end'))
        return prompt.abort();
  }

  async #askAsText(question: Question, client: AgentContext): Promise<PromptResponse> {
    await this.#tell(client, message(`${questionMessage(question)}\n`));
    return { stopReason: 'end_turn' };
  }

  #open(): Question[] {
    const directory = this.#run?.directory;
    return directory === undefined ? [] : openQuestions(directory);
  }

  /** Tells the user when an answer comes too late or is not one of the options. */
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
  async #closing(directory: RunDirectory): Promise<string> {
    const { status, error }: RunRecord = await readRunRecord(directory);
    const resume = 'Write `/resume` to continue.';
    if (status === 'failed' || status === 'cancelled') {
      const said = error === undefined ? status : errorText(error);
      return `The run ended with an error:\n\n${said}\n\n${resume}\n`;
    }
    if (status !== 'done' && status !== 'not-accepted')
      return `Stopped; everything finished so far is saved. ${resume}\n`;
    const plan = path.join(directory.artifacts, 'plan.txt');
    const text = (await readTextFile(plan)) ?? 'The run wrote no plan.';
    const verdict =
      status === 'not-accepted' ? '\n\nThe plan was **not accepted**; see the review above.' : '';
    return `${text.trimEnd()}${verdict}\n\n[${path.relative(this.cwd, plan)}](${plan})\n`;
  }
}

function errorText({
  message: text,
  code,
  fix,
}: Pick<CharretteError, 'message'> & { code: string; fix?: string | undefined }): string {
  return `${text} [${code}]${fix === undefined ? '' : `\n  fix: ${fix}`}`;
}
