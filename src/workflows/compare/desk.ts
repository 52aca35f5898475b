import type { Usage } from '../../agents/port.ts';
import { formatElapsed } from '../../base/text/strings.ts';
import { type Step, stepName } from '../../council/breadcrumbs.ts';
import { CouncilRun, type Reply } from '../../council/council.ts';
import type { RunEvent } from '../../engine/event.ts';
import { comparePlansPrompt } from '../../prompts/panel/debate.ts';
import type { DesignInputs } from '../design/desk.ts';
import type { Side } from './judging.ts';
import type { CompareInputs } from './prepare.ts';
import type { DesignResult } from './read-design.ts';

function laneOf(number: number, side: Side): string {
  return `design-${number}-${side}`;
}

/** A warning without the emphasis of its line. */
function plain(text: string): string {
  return text.replace(/^\*\*⚠? ?(.*)\*\*$/s, '$1');
}

export type JudgeCall = {
  key: string;
  agent: string;
  feature: string;
  criteria: readonly string[];
  planA: string;
  planB: string;
};

/** A council that compares designs: each design is a run that appears here as one lane. */
export class CompareDesk extends CouncilRun<CompareInputs> {
  /** Who designs, by lane. */
  readonly #designers = new Map<string, string>();

  begin(phase: string, text: string): void {
    this.open(phase, `▶ ${text}`);
  }

  end(text: string): void {
    this.close(`✅ ${text} (${formatElapsed(this.elapsedMs)})`);
  }

  beginDesign(number: number, side: Side, { author, roster }: DesignInputs): void {
    const { phase } = this;
    const lane = laneOf(number, side);
    const [first] = roster;
    const agent = side === 'solo' ? (author ?? first?.id ?? '') : roster.map(({ id }) => id).join(', ');
    this.#designers.set(lane, agent);
    const label = side === 'solo' ? 'designed alone' : 'designed by the panel';
    this.context.emit({ type: 'lane-queue', lane, task: 'design', seat: side, label, phase });
    this.context.emit({ type: 'lane-start', lane, agent, attempt: 1 });
  }

  /** Reports the step of a design. The event of the other run makes the id, so that none is reported twice. */
  tellDesign(number: number, side: Side, event: RunEvent): void {
    const id = `${laneOf(number, side)} ${event.id}`;
    const { phase } = this;
    const { events } = this.context.live;
    if (event.type === 'phase-start')
      events.emit(id, { type: 'note', phase, text: `${side} ${stepName(event.phase as Step)}` });
    if (event.type === 'warning')
      events.emit(id, { type: 'warning', phase, text: `${side}: ${plain(event.text)}` });
  }

  endDesign(number: number, side: Side, result: DesignResult, usage: Usage): void {
    const { elapsedMs, problem } = result;
    const lane = laneOf(number, side);
    this.context.emit({
      type: 'lane-end',
      lane,
      agent: this.#designers.get(lane) ?? '',
      kind: problem === undefined ? 'ok' : 'crash',
      ...(problem === undefined ? {} : { message: problem }),
      elapsedMs,
      usage,
    });
  }

  /** Asks judges in parallel. */
  judge(calls: readonly JudgeCall[]): Promise<Reply<'comparison'>[]> {
    return this.ask(
      'judge',
      calls.map(({ key, agent, ...question }) => {
        const label = `judge ${agent}${key.endsWith('-swapped') ? ', swapped' : ''}`;
        const { feature } = question;
        return [
          { id: key, label, agents: [agent], planned: { agent } },
          {
            key,
            kind: 'compare',
            judgement: 'comparison',
            draft: (schema) => comparePlansPrompt({ ...question, schema }),
            facts: { feature, baseCommit: this.inputs.baseCommit },
          },
        ] as const;
      }),
    );
  }

  protected override get agentSeconds(): number | undefined {
    return this.inputs.agentSeconds;
  }
}
