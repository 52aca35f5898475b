import type { JudgementName } from '../base/schema/judgements.ts';
import { formatElapsed } from '../base/text/strings.ts';
import { CouncilRun, type Question, type Reply, type Seat } from '../council/council.ts';

/** A council that works in stages, with a line at the start and the end of each. */
export class StageDesk<Inputs> extends CouncilRun<Inputs> {
  begin(phase: string, title: string): void {
    this.open(phase, `▸ ${phase} ${title}`);
  }

  end(text: string): void {
    this.close(`✓ ${this.phase} ${text} (${formatElapsed(this.elapsedMs)})`);
  }

  /** Asks agents, named by id, in parallel; each question has one seat, which is announced for the first agent. */
  askAgents<Name extends JudgementName>(
    questions: readonly (Question<Name> & { agents: string[]; planned?: Seat['planned'] })[],
  ): Promise<Reply<Name>[]> {
    return this.ask(
      'stage',
      questions.map(({ agents, planned = { agent: agents[0] ?? '' }, ...question }) => {
        const { key } = question;
        return [{ id: key, label: key, agents, planned }, question] as const;
      }),
    );
  }

  skip(reason: string): void {
    const line = `– ${this.phase} skipped: ${reason}`;
    this.context.emit({ type: 'phase-skip', phase: this.phase, elapsedMs: 0, line });
  }
}
