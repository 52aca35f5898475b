import { memo } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import {
  type LaneSpan,
  type PhaseGroup,
  type PhaseSpan,
  spanOf,
} from '../../../src/surfaces/web/timeline.ts';
import { Agent, Agents, useAgentTone } from '../chips.tsx';
import { elapsed, phaseName, taskName } from '../format.ts';
import { type RunStore, useTimelineVersion } from '../run-store.ts';

type Props = { store: RunStore; live: boolean; openLane: ((lane: string) => void) | undefined };

type Scale = { start: number; length: number };

const mostOpen = 60;
/** A row as the style has it; only for steps that have not been on the screen yet. */
const rowHeight = 27;

/** Who worked when: a row per lane, grouped by step. */
export const TimelineSection = memo(function TimelineSection({ store, live, openLane }: Props) {
  useTimelineVersion(store, live);
  const now = useSeconds(live);
  const { timeline } = store;
  const { start, end } = spanOf(timeline, live ? now : undefined);
  // The scale grows in steps, so that a new event moves only its own bar.
  const length = live ? stepAbove(end - start) : Math.max(1, end - start);
  return (
    <Agents.Provider value={timeline.agents}>
      <div class="card gantt">
        <p class="legend">
          {timeline.agents.map((agent) => (
            <Agent key={agent} name={agent} />
          ))}
          <span class="quiet">{elapsed(end - start)} in all</span>
        </p>
        <Axis scale={{ start, length }} />
        <ol class="phases">
          {[...timeline.groups.values()].map((group) => (
            <PhaseRow
              key={group.phase}
              group={group}
              start={start}
              length={length}
              end={isOver(group) ? 0 : end}
              openLane={openLane}
            />
          ))}
        </ol>
      </div>
    </Agents.Provider>
  );
});

/** Nothing in it grows any more. */
function isOver({ span, lanes }: PhaseGroup): boolean {
  return (span === undefined || span.end !== undefined) && lanes.every((lane) => lane.end !== undefined);
}

type PhaseProps = {
  group: PhaseGroup;
  start: number;
  length: number;
  end: number;
  openLane: Props['openLane'];
};

const PhaseRow = memo(function PhaseRow({ group, start, length, end, openLane }: PhaseProps) {
  const { phase, span, lanes } = group;
  const scale = { start, length };
  const [open, setOpen] = useState<boolean>();
  const shown = open ?? lanes.length <= mostOpen;
  const from = span?.start ?? Math.min(...lanes.map((lane) => lane.queued));
  const to = Math.max(span?.end ?? end, ...lanes.map((lane) => lane.end ?? from));
  const skipped = span?.state === 'skipped';
  return (
    <li
      class={`phase${skipped ? ' skipped' : ''}`}
      style={{ containIntrinsicSize: `auto ${rowHeight * (1 + (shown ? lanes.length : 0))}px` }}
    >
      <div class="row phase-row">
        <span class="row-label">
          {lanes.length > mostOpen ? (
            <button type="button" class="link" aria-expanded={shown} onClick={() => setOpen(!shown)}>
              {phaseName(phase, span?.line)} ({lanes.length})
            </button>
          ) : (
            phaseName(phase, span?.line)
          )}
        </span>
        <span class="track" aria-hidden="true">
          {!skipped && <span class="band" style={place(scale, from, to)} />}
        </span>
        <span class="row-time">{skipped ? 'skipped' : elapsed(to - from)}</span>
      </div>
      {lanes.length > 0 && shown && (
        <ol class="lanes">
          {lanes.map((lane) => (
            <LaneRow
              key={lane.lane}
              lane={veiled(lane, span)}
              start={scale.start}
              length={scale.length}
              end={lane.end ?? end}
              openLane={openLane}
            />
          ))}
        </ol>
      )}
    </li>
  );
});

/** Who argues which side stays hidden until the verdict. */
function veiled(lane: LaneSpan, span: PhaseSpan | undefined): LaneSpan {
  if (!lane.task.startsWith('debate-') || span?.state === 'done') return lane;
  const { agent: _agent, ...rest } = lane;
  return rest;
}

type LaneProps = { lane: LaneSpan; start: number; length: number; end: number; openLane: Props['openLane'] };

const LaneRow = memo(function LaneRow({ lane, start, length, end, openLane }: LaneProps) {
  const scale = { start, length };
  const tone = useAgentTone(lane.agent);
  const began = lane.start ?? lane.queued;
  const failed = lane.state !== 'ok' && lane.state !== 'running' && lane.state !== 'queued';
  const took = lane.start === undefined ? '' : elapsed(end - began);
  const label = lane.label.replace(/^DECISION_/, 'Decision ');
  const by = `${lane.agent === undefined ? '' : `by ${lane.agent}`}: ${lane.state}`;
  const content = (
    <>
      <span class="row-label">
        <bdi>{label}</bdi>
        <small> {taskName(lane.task)}</small>
        <span class="unseen"> {by} </span>
      </span>
      <span class="track" aria-hidden="true">
        {lane.start !== undefined && lane.start > lane.queued && (
          <span class="bar queued" style={place(scale, lane.queued, lane.start)} />
        )}
        <span
          class={`bar ${tone} is-${lane.state}${failed ? ' failed' : ''}`}
          style={place(scale, began, lane.state === 'queued' ? began : end)}
        />
      </span>
      <span class="row-time">
        {failed ? lane.state : took}
        {lane.attempt > 1 && <small> ×{lane.attempt}</small>}
      </span>
    </>
  );
  return (
    <li class="lane">
      {openLane === undefined ? (
        <div class="row">{content}</div>
      ) : (
        <button type="button" class="row" title={lane.message ?? by} onClick={() => openLane(lane.lane)}>
          {content}
        </button>
      )}
    </li>
  );
});

function Axis({ scale }: { scale: Scale }) {
  const step = tickStep(scale.length);
  const ticks = Array.from({ length: Math.floor(scale.length / step) + 1 }, (_, index) => index * step);
  return (
    <div class="row axis" aria-hidden="true">
      <span class="row-label" />
      <span class="track">
        {ticks.map((tick) => (
          <span key={tick} class="tick" style={{ left: `${(tick / scale.length) * 100}%` }}>
            {tick === 0 ? '0' : elapsed(tick)}
          </span>
        ))}
      </span>
      <span class="row-time" />
    </div>
  );
}

function place({ start, length }: Scale, from: number, to: number) {
  const left = Math.min(100, Math.max(0, ((from - start) / length) * 100));
  const width = Math.min(100 - left, Math.max(0, ((to - from) / length) * 100));
  return { left: `${left.toFixed(2)}%`, width: `${width.toFixed(2)}%` };
}

const seconds = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400,
];

function tickStep(length: number): number {
  return (seconds.find((step) => length / (step * 1000) <= 6) ?? Math.ceil(length / 6000)) * 1000;
}

/** The next of a row of lengths that grow by a quarter. */
function stepAbove(length: number): number {
  return 5000 * 1.25 ** Math.ceil(Math.log(Math.max(1, length / 5000)) / Math.log(1.25));
}

function useSeconds(ticking: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!ticking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}
