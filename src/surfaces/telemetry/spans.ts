import type { LaneKind } from '../../agents/port.ts';
import type { RunEvent } from '../../engine/event.ts';
import { costOf, type LedgerEntry, type Price } from '../../engine/ledger.ts';

/** A span as data. `key` names it within its run; the parent is named by its key. */
export type SpanDraft = {
  key: string;
  parent: string | undefined;
  name: string;
  kind: 'internal' | 'client';
  start: number;
  end: number;
  attributes: Record<string, string | number>;
  /** The kind of failure, when it was one. */
  error: string | undefined;
};

type OpenLane = {
  phase: string;
  task: string;
  seat: string;
  queued: number;
  attempts: Map<number, LaneKind>;
};

/** A phase may say more than once that it is over; its span leaves when the next begins. */
type OpenPhase = { key: string; start: number; end: number | undefined; state: string; told: boolean };

/** What has begun and not ended, and which calls have their span. */
export type Tracing = {
  run: { id: string; workflow: string; title: string; start: number } | undefined;
  phases: ReadonlyMap<string, OpenPhase>;
  lanes: ReadonlyMap<string, OpenLane>;
  calls: ReadonlySet<string>;
};

export const nothingTraced: Tracing = {
  run: undefined,
  phases: new Map(),
  lanes: new Map(),
  calls: new Set(),
};

export type TraceOptions = { prices?: Readonly<Record<string, Price>>; title: boolean };

/** Events after which calls may have come to the ledger. */
const settling: ReadonlySet<RunEvent['type']> = new Set([
  'phase-end',
  'phase-skip',
  'lane-retry',
  'lane-end',
  'run-pause',
  'run-end',
]);

/** Events that close the phase before them. */
const closing: ReadonlySet<RunEvent['type']> = new Set(['phase-start', 'run-pause', 'run-end']);

/** The spans that one more event completes. The ledger is read only when it may have grown. */
export function traceEvent(
  tracing: Tracing,
  event: RunEvent,
  readLedger: () => readonly LedgerEntry[],
  options: TraceOptions,
): { next: Tracing; spans: SpanDraft[] } {
  const known = note(tracing, event);
  if (!settling.has(event.type) && !closing.has(event.type)) return { next: known, spans: [] };
  const fresh = settling.has(event.type) ? readLedger().filter(({ id }) => !known.calls.has(id)) : [];
  const calls = fresh.map((entry) => callSpan(known, entry, options));
  const phases = closing.has(event.type) ? phaseSpans(known, event) : [];
  const next = {
    ...known,
    calls: new Set([...known.calls, ...fresh.map(({ id }) => id)]),
    phases: closing.has(event.type) ? withNext(known, event) : known.phases,
  };
  return { next, spans: [...calls, ...phases, ...ended(known, event, options)] };
}

function phaseSpans({ phases }: Tracing, event: RunEvent): SpanDraft[] {
  return [...phases]
    .filter(([, { told }]) => !told)
    .map(([phase, { key, start, end, state }]) => ({
      key,
      parent: 'run',
      name: `phase ${phase}`,
      kind: 'internal',
      start,
      end: end ?? Date.parse(event.time),
      attributes: { 'charrette.run.id': event.run, 'charrette.phase': phase, 'charrette.phase.state': state },
      error: undefined,
    }));
}

/** A phase that begins again, as in a loop, has a separate span. */
function withNext({ phases }: Tracing, event: RunEvent): Map<string, OpenPhase> {
  const next = new Map([...phases].map(([name, phase]) => [name, { ...phase, told: true }]));
  if (event.type !== 'phase-start') return next;
  const before = next.get(event.phase)?.key;
  const key = before === undefined ? `phase:${event.phase}` : `${before}+`;
  return next.set(event.phase, {
    key,
    start: Date.parse(event.time),
    end: undefined,
    state: 'done',
    told: false,
  });
}

/** What the event says, before anything is made of it. */
function note(tracing: Tracing, event: RunEvent): Tracing {
  const time = Date.parse(event.time);
  switch (event.type) {
    case 'run-start': {
      const { workflow, title } = event;
      return { ...tracing, run: { id: event.run, workflow, title, start: time } };
    }
    case 'phase-end':
    case 'phase-skip': {
      const key = `phase:${event.phase}`;
      const open = tracing.phases.get(event.phase) ?? { key, start: time - event.elapsedMs, told: false };
      const state = event.type === 'phase-end' ? 'done' : 'skipped';
      return { ...tracing, phases: new Map(tracing.phases).set(event.phase, { ...open, end: time, state }) };
    }
    case 'lane-queue': {
      const { phase, task, seat, lane } = event;
      const open = { phase, task, seat, queued: time, attempts: new Map() };
      return { ...tracing, lanes: new Map(tracing.lanes).set(lane, open) };
    }
    case 'lane-retry':
      return withAttempt(tracing, event.lane, event.attempt, event.kind);
    case 'lane-start':
      return withAttempt(tracing, event.lane, event.attempt, 'ok');
    case 'lane-end': {
      const last = Math.max(1, ...(tracing.lanes.get(event.lane)?.attempts.keys() ?? []));
      return withAttempt(tracing, event.lane, last, event.kind);
    }
    default:
      return tracing;
  }
}

function withAttempt(tracing: Tracing, lane: string, attempt: number, kind: LaneKind): Tracing {
  const open = tracing.lanes.get(lane);
  if (open === undefined) return tracing;
  const attempts = new Map(open.attempts).set(attempt, kind);
  return { ...tracing, lanes: new Map(tracing.lanes).set(lane, { ...open, attempts }) };
}

function ended({ run, phases, lanes }: Tracing, event: RunEvent, { title }: TraceOptions): SpanDraft[] {
  const end = Date.parse(event.time);
  switch (event.type) {
    case 'lane-end': {
      const lane = lanes.get(event.lane);
      if (lane === undefined) return [];
      return [
        {
          key: `lane:${event.lane}`,
          parent: phases.get(lane.phase)?.key ?? 'run',
          name: `lane ${event.lane}`,
          kind: 'internal',
          start: lane.queued,
          end,
          attributes: {
            'charrette.run.id': event.run,
            'charrette.phase': lane.phase,
            'charrette.lane': event.lane,
            'charrette.task': lane.task,
            'charrette.seat': lane.seat,
            'charrette.attempts': Math.max(1, lane.attempts.size),
            'gen_ai.agent.name': event.agent,
          },
          error: event.kind === 'ok' ? undefined : event.kind,
        },
      ];
    }
    case 'run-end':
      if (run === undefined) return [];
      return [
        {
          key: 'run',
          parent: undefined,
          name: `invoke_workflow ${run.workflow}`,
          kind: 'internal',
          start: run.start,
          end,
          attributes: {
            'gen_ai.operation.name': 'invoke_workflow',
            'gen_ai.workflow.name': run.workflow,
            'charrette.run.id': event.run,
            'charrette.run.status': event.status,
            ...(title ? { 'charrette.run.title': run.title } : {}),
          },
          error: event.status === 'failed' || event.status === 'cancelled' ? event.status : undefined,
        },
      ];
    default:
      return [];
  }
}

/** An agent call. Unknown tokens are omitted; a zero would be taken for a measurement. */
function callSpan({ lanes, phases, run }: Tracing, entry: LedgerEntry, { prices }: TraceOptions): SpanDraft {
  const { id, phase, usage, agent } = entry;
  const of = laneOf(id, lanes);
  const error = of === undefined ? undefined : lanes.get(of.lane)?.attempts.get(of.attempt);
  const cost = costOf(usage, entry.model, prices);
  const end = Date.parse(entry.time);
  return {
    key: `call:${id}`,
    parent: of === undefined ? (phases.get(phase)?.key ?? 'run') : `lane:${of.lane}`,
    name: `invoke_agent ${agent}`,
    kind: 'client',
    start: end - entry.durationMs,
    end,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': providers[entry.family] ?? entry.family,
      'gen_ai.agent.name': agent,
      ...(run === undefined ? {} : { 'gen_ai.workflow.name': run.workflow, 'charrette.run.id': run.id }),
      ...(entry.model === undefined ? {} : { 'gen_ai.response.model': entry.model }),
      ...(usage.basis === 'unknown'
        ? {}
        : {
            'gen_ai.usage.input_tokens': usage.inputTokens,
            'gen_ai.usage.output_tokens': usage.outputTokens,
            'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
          }),
      'charrette.usage.basis': usage.basis,
      'charrette.cost.basis': cost.basis,
      ...(cost.basis === 'unknown' ? {} : { 'charrette.cost.usd': cost.usd }),
      'charrette.phase': phase,
      'charrette.task': entry.task,
      'charrette.seat': entry.seat,
    },
    error: error === 'ok' ? undefined : error,
  };
}

/** Calls are named after their lane and attempt: `sketch-arch-2`, `sketch-arch-2-repair`. */
function laneOf(
  id: string,
  lanes: ReadonlyMap<string, unknown>,
): { lane: string; attempt: number } | undefined {
  if (lanes.has(id)) return { lane: id, attempt: 1 };
  const [, lane = '', attempt = ''] = /^(.+)-(\d+)(?:-repair)?$/.exec(id) ?? [];
  return lanes.has(lane) ? { lane, attempt: Number(attempt) } : undefined;
}

/** Names that the conventions have for providers. */
const providers: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  gemini: 'gcp.gemini',
  claude: 'anthropic',
  codex: 'openai',
  xai: 'x_ai',
};
