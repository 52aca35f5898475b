import { failurePolicies } from '../../agents/failure-kinds.ts';
import type { Agent, LaneKind } from '../../agents/port.ts';
import type { JudgementName } from '../../base/schema/judgements.ts';
import type { Call, Reply, TimeLimit } from '../../council/council.ts';
import type { Question } from '../../engine/question.ts';
import { askConsent } from '../permission.ts';
import { StageDesk } from '../stage-desk.ts';
import type { LiteInputs } from './inputs.ts';
import type { LiteCommission } from './rules/prompts.ts';
import { type TodoState, todoOf } from './rules/todo.ts';

const speaksAgainst = (kind: LaneKind) => kind !== 'ok' && failurePolicies[kind].countsAgainstHealth;

/** Where a stage of lite plan or lite execute works. */
export class LiteDesk extends StageDesk<LiteInputs> {
  #revision = 0;
  #title = '';
  readonly #unwell = new Set<string>();

  override begin(phase: string, title: string): void {
    this.#title = title;
    super.begin(phase, title);
  }

  /** The line that ends a stage still says which one it was. */
  override end(text: string): void {
    super.end(`${this.#title}: ${text}`);
  }

  /** P-160: the current list, with a revision that only grows. */
  todo(state: Omit<TodoState, 'session' | 'mode'>): Promise<void> {
    const { session, mode } = this.inputs;
    this.#revision += 1;
    return this.json('todo.json', todoOf({ ...state, session, mode }, this.#revision, this.time));
  }

  commission(brief: keyof LiteInputs['briefs'], clarifications?: string): LiteCommission {
    return { task: this.inputs.task, brief: this.inputs.briefs[brief], clarifications };
  }

  /** Asks agents in parallel; those that fail in a way that counts against their health are remembered. */
  override async ask<Name extends JudgementName>(
    limit: TimeLimit,
    calls: readonly Call<Name>[],
  ): Promise<Reply<Name>[]> {
    const replies = await super.ask(limit, calls);
    for (const { agent, kind, failures } of replies) {
      for (const failure of failures) if (speaksAgainst(failure.kind)) this.#unwell.add(failure.agent);
      if (kind === 'ok') this.#unwell.delete(agent);
    }
    return replies;
  }

  protected override facts(own: Readonly<Record<string, unknown>>) {
    const { task, baseCommit } = this.inputs;
    return { feature: task, baseCommit, ...own };
  }

  /** Answers from the user. In auto mode no one is asked: `settled` decides, then the recommendation. */
  async choose(
    questions: readonly Question[],
    auto: boolean,
    settled: Readonly<Record<string, string>> = {},
  ): Promise<Map<string, string>> {
    if (!auto) {
      const answers = await this.context.ask(questions);
      return new Map([...answers].map(([id, { value }]) => [id, value]));
    }
    const taken = questions.map((question) => ({
      question,
      value: settled[question.id] ?? question.recommended ?? '',
    }));
    for (const { question, value } of taken) await this.context.decide(question, value);
    return new Map(taken.map(({ question, value }) => [question.id, value]));
  }

  /** Agents in their order, turned so that neighbours begin with different ones. */
  chain(turn = 0): string[] {
    const ids = [...this.services.agents.keys()];
    return ids.map((_, index) => ids[(index + turn) % ids.length] ?? '');
  }

  /** Installed agents that can change files. */
  get writers(): string[] {
    return this.#installed.filter(({ capabilities }) => capabilities.write).map(({ id }) => id);
  }

  /** Installed agents that can judge. */
  get reviewers(): string[] {
    return this.#installed.filter(({ family }) => family !== 'static').map(({ id }) => id);
  }

  /** Agents whose latest call in this run failed in a way that counts against their health. */
  get unwell(): ReadonlySet<string> {
    return this.#unwell;
  }

  get #installed(): Agent[] {
    const { absent = [] } = this.inputs;
    return [...this.services.agents.values()].filter(({ id }) => !absent.includes(id));
  }

  /** The first run in a project says whom it will call and asks. */
  askConsent(): Promise<void> {
    return askConsent(this.context, this.services.agents.values(), {
      consented: this.inputs.consented,
      detail: 'They change files only after you allow the plan, and only in separate checkouts.',
    });
  }
}
