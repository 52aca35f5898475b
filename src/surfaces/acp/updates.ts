import type { PlanEntry, SessionUpdate, ToolCallStatus } from '@agentclientprotocol/sdk';
import { formatElapsed, untrustedText } from '../../base/text/strings.ts';
import { stepOrder, steps } from '../../council/breadcrumbs.ts';
import type { RunEvent } from '../../engine/event.ts';
import {
  emptyView,
  foldEvent,
  type LaneLine,
  type PhaseLine,
  tokensOf,
  type View,
} from '../../service/run-view.ts';

/** What an editor knows about a run so far. */
export type Telling = { view: View };

export const nothingTold: Telling = { view: emptyView };

/** What one more event means to an editor: phases are entries of its plan, lanes are tool calls, warnings are messages. */
export function updatesOf(telling: Telling, event: RunEvent): { next: Telling; updates: SessionUpdate[] } {
  const view = foldEvent(telling.view, event);
  const isKnown = event.type === 'lane-queue' && telling.view.lanes.has(event.lane);
  return {
    next: { view },
    updates: [...planUpdate(telling.view, view), ...eventUpdates(view, event, isKnown)],
  };
}

/** The name of a tool call: a session has several runs, and their lanes and questions have the same names. */
export function toolCallId(run: string, name: string): string {
  return `${run}/${name}`;
}

/** The steps of a design that are still to come are listed as well; other workflows tell theirs as they begin. */
function planUpdate(before: View, view: View): SessionUpdate[] {
  if (before.phases === view.phases && before.run === view.run) return [];
  const told = new Set(view.phases.map(({ phase }) => phase));
  const ahead = view.run?.workflow === 'design' ? stepOrder.filter((step) => !told.has(step)) : [];
  const entries: PlanEntry[] = [
    ...view.phases.map((phase) => ({
      content: phase.title,
      priority: 'medium' as const,
      status: entryStatus(phase),
    })),
    ...ahead.map((step) => ({
      content: `${step}: ${steps[step]}`,
      priority: 'medium' as const,
      status: 'pending' as const,
    })),
  ];
  return entries.length === 0 ? [] : [{ sessionUpdate: 'plan', entries }];
}

function entryStatus({ state }: PhaseLine): PlanEntry['status'] {
  if (state === 'running') return 'in_progress';
  return state === 'stopped' ? 'pending' : 'completed';
}

/** `isKnown`: a lane that was stopped and waits once more is the tool call that it was. */
function eventUpdates(view: View, event: RunEvent, isKnown: boolean): SessionUpdate[] {
  switch (event.type) {
    case 'lane-queue':
    case 'lane-start':
    case 'lane-retry':
    case 'lane-end': {
      const lane = view.lanes.get(event.lane);
      if (lane === undefined) return [];
      const id = toolCallId(event.run, event.lane);
      if (event.type !== 'lane-queue' || isKnown) return [laneUpdate(id, lane)];
      const title = `${lane.label}: ${event.task}`;
      return [{ sessionUpdate: 'tool_call', toolCallId: id, title, kind: 'think', status: 'pending' }];
    }
    case 'warning':
      return [message(`⚠ ${event.text.replace(/^\*\*⚠?\s*|\*\*$/g, '')}\n\n`)];
    case 'note':
      return [
        {
          sessionUpdate: 'agent_thought_chunk',
          content: { type: 'text', text: `${untrustedText(event.text)}\n` },
        },
      ];
    default:
      return [];
  }
}

function laneUpdate(id: string, lane: LaneLine): SessionUpdate {
  const facts = [
    ...(lane.agent === undefined ? [] : [lane.agent]),
    ...(lane.elapsedMs === undefined ? [] : [formatElapsed(lane.elapsedMs)]),
    ...(lane.usage === undefined ? [] : [tokensOf([lane.usage]) ?? '']),
    ...(lane.message === undefined ? [] : [lane.message]),
  ].join(', ');
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: id,
    status: toolStatus(lane),
    ...(facts === '' ? {} : { content: [{ type: 'content', content: { type: 'text', text: facts } }] }),
  };
}

function toolStatus({ state }: LaneLine): ToolCallStatus {
  if (state === 'queued' || state === 'stopped') return 'pending';
  if (state === 'running' || state === 'retrying') return 'in_progress';
  return state === 'ok' ? 'completed' : 'failed';
}

/** Something the agent says; Markdown is fine, escape sequences are not. */
export function message(text: string): SessionUpdate {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: untrustedText(text) } };
}
