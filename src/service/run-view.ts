import type { LaneKind, Usage } from '../agents/port.ts';
import { headline, shortCount, untrustedLine } from '../base/text/strings.ts';
import type { RunEvent } from '../engine/event.ts';
import type { Question } from '../engine/question.ts';
import { noteText, phaseTitle } from './event-lines.ts';

/** Everything on the screen names the event it was made from. */
type Told = { seq: number };

export type LaneLine = Told & {
  lane: string;
  label: string;
  agent: string | undefined;
  /** The agent that was announced for the seat. */
  planned: string | undefined;
  state: LaneKind | 'queued' | 'running' | 'retrying' | 'stopped';
  attempt: number;
  /** When the current attempt began; counts only while the lane runs. */
  since: number;
  elapsedMs: number | undefined;
  usage: Usage | undefined;
  message: string | undefined;
};

export type NoteLine = Told & { kind: 'note' | 'warning'; text: string };

export type PhaseLine = Told & {
  phase: string;
  title: string;
  state: 'running' | 'done' | 'skipped' | 'stopped';
  since: number;
  elapsedMs: number | undefined;
  lanes: readonly string[];
  notes: readonly NoteLine[];
};

/** What a person sees of a run, made from its events and nothing else. */
export type View = {
  run: (Told & { id: string; workflow: string; title: string; started: number }) | undefined;
  phases: readonly PhaseLine[];
  lanes: ReadonlyMap<string, LaneLine>;
  questions: readonly (Told & { question: Question })[];
  pause: (Told & { reason: 'question' | 'stop'; time: number }) | undefined;
  end: (Told & { status: string; message: string | undefined; time: number }) | undefined;
};

export const emptyView: View = {
  run: undefined,
  phases: [],
  lanes: new Map(),
  questions: [],
  pause: undefined,
  end: undefined,
};

/** The view after many events: what it is made of is copied once and not for every event. */
export function foldEvents(view: View, events: readonly RunEvent[]): View {
  if (events.length === 0) return view;
  let next = ownCopy(view);
  for (const event of events) {
    const folded = foldEvent(next, event);
    next = ownOf(folded) === undefined ? ownCopy(folded) : folded;
  }
  const { [own]: _, ...plain } = next;
  return plain;
}

/** The view after one more event; the one before is left as it was. */
export function foldEvent(view: View, event: RunEvent): View {
  const { seq } = event;
  const time = Date.parse(event.time);
  switch (event.type) {
    case 'run-start': {
      const title = untrustedLine(headline(event.title));
      return {
        ...view,
        run: {
          seq,
          id: untrustedLine(event.run),
          workflow: untrustedLine(event.workflow),
          title,
          started: time,
        },
      };
    }
    case 'run-resume':
      return goOn({ ...view, pause: undefined, end: undefined }, time, seq);
    case 'run-pause':
      return stop({ ...view, pause: { seq, reason: event.reason, time } });
    case 'run-end': {
      const message = event.message === undefined ? undefined : untrustedLine(event.message);
      const ended = {
        ...view,
        questions: [],
        end: { seq, status: untrustedLine(event.status), message, time },
      };
      return event.status === 'done' || event.status === 'not-accepted' ? ended : stop(ended);
    }
    case 'phase-start':
      return withPhase(withoutOpenPhases(view, time), event.phase, (known) => ({
        ...newPhase(event.phase, time, seq),
        title: phaseTitle(event.line) || event.phase,
        lanes: known?.lanes ?? [],
        notes: known?.notes ?? [],
      }));
    case 'phase-end':
    case 'phase-skip':
      return withPhase(view, event.phase, (known) => {
        const phase = known ?? newPhase(event.phase, time, seq);
        const title = phaseTitle(event.line ?? '') || phase.title;
        const state = event.type === 'phase-end' ? 'done' : 'skipped';
        return { ...phase, seq, title, state, elapsedMs: event.elapsedMs };
      });
    case 'warning':
    case 'note':
      return withNote(view, event.phase, event.type, noteText(event.text), time, seq);
    case 'lane-queue': {
      const { lane, phase } = event;
      const queued: LaneLine = {
        seq,
        lane,
        label: untrustedLine(event.label),
        agent: undefined,
        planned: event.planned === undefined ? undefined : untrustedLine(event.planned),
        state: 'queued',
        attempt: 0,
        since: time,
        elapsedMs: undefined,
        usage: undefined,
        message: undefined,
      };
      const isNew = !view.lanes.has(lane);
      return withPhase(setLane(view, queued), phase, (known) => {
        const open = known ?? newPhase(phase, time, seq);
        if (isNew) return { ...open, lanes: added(view, open.lanes, lane) };
        return { ...open, lanes: [...open.lanes.filter((name) => name !== lane), lane] };
      });
    }
    case 'lane-start':
      return withLane(view, event.lane, {
        seq,
        agent: untrustedLine(event.agent),
        state: 'running',
        attempt: event.attempt,
        since: time,
      });
    case 'lane-retry':
      return withLane(view, event.lane, { seq, state: 'retrying', message: untrustedLine(event.message) });
    case 'lane-end':
      return withLane(view, event.lane, {
        seq,
        agent: untrustedLine(event.agent),
        state: event.kind,
        elapsedMs: event.elapsedMs,
        usage: event.usage,
        message: event.message === undefined ? undefined : untrustedLine(event.message),
      });
    case 'question-ask': {
      const asked = event.questions.filter(({ id }) =>
        view.questions.every((open) => open.question.id !== id),
      );
      return {
        ...view,
        phases: withoutNotesOf(view.phases, asked),
        questions: [...view.questions, ...asked.map((question) => ({ seq, question }))],
      };
    }
    case 'question-answer': {
      const answered = new Set(event.answers.map(({ question }) => question));
      return { ...view, questions: view.questions.filter(({ question }) => !answered.has(question.id)) };
    }
    // Bodies and files are shown elsewhere; what a later version of the program tells is left out.
    default:
      return view;
  }
}

function newPhase(phase: string, since: number, seq: number): PhaseLine {
  const title = untrustedLine(phase);
  return { seq, phase, title, state: 'running', since, elapsedMs: undefined, lanes: [], notes: [] };
}

/** Marks a view with unshared parts: they may be changed in place. */
const own = Symbol('own');

/** Those parts, with indexes of their names and texts. */
type Own = {
  phases: PhaseLine[];
  lanes: Map<string, LaneLine>;
  places: Map<string, number>;
  said: Set<string>;
};

type OwnView = View & { [own]?: Own };

function ownOf(view: OwnView): Own | undefined {
  const known = view[own];
  return known?.phases === view.phases && known.lanes === view.lanes ? known : undefined;
}

function ownCopy(view: View): OwnView {
  const phases = view.phases.map((phase) => ({
    ...phase,
    lanes: [...phase.lanes],
    notes: [...phase.notes],
  }));
  const lanes = new Map(view.lanes);
  const places = new Map(phases.map(({ phase }, index) => [phase, index]));
  const said = new Set(phases.flatMap(({ notes }) => notes.map(({ text }) => text)));
  return { ...view, phases, lanes, [own]: { phases, lanes, places, said } };
}

function added<Item>(view: View, list: readonly Item[], item: Item): readonly Item[] {
  if (ownOf(view) === undefined) return [...list, item];
  (list as Item[]).push(item);
  return list;
}

function setLane(view: View, lane: LaneLine): View {
  const mine = ownOf(view);
  if (mine === undefined) return { ...view, lanes: new Map(view.lanes).set(lane.lane, lane) };
  mine.lanes.set(lane.lane, lane);
  return view;
}

function withPhase(view: View, name: string, change: (known: PhaseLine | undefined) => PhaseLine): View {
  const mine = ownOf(view);
  if (mine !== undefined) {
    const place = mine.places.get(name) ?? mine.phases.length;
    mine.phases[place] = change(mine.phases[place]);
    mine.places.set(name, place);
    return view;
  }
  const at = view.phases.findIndex(({ phase }) => phase === name);
  if (at === -1) return { ...view, phases: [...view.phases, change(undefined)] };
  return { ...view, phases: view.phases.with(at, change(view.phases[at])) };
}

/** Phases follow one another: the start of the next ends one that had nothing to say at its end. */
function withoutOpenPhases(view: View, time: number): View {
  if (view.phases.every(({ state }) => state !== 'running')) return view;
  const phases = view.phases.map(
    (phase): PhaseLine =>
      phase.state === 'running' ? { ...phase, state: 'done', elapsedMs: time - phase.since } : phase,
  );
  const mine = ownOf(view);
  if (mine === undefined) return { ...view, phases };
  mine.phases.splice(0, phases.length, ...phases);
  return view;
}

function withLane(view: View, name: string, change: Partial<LaneLine>): View {
  const known = view.lanes.get(name);
  if (known === undefined) return view;
  return setLane(view, { ...known, ...change });
}

/** The line over the warnings that a run repeats at its end. */
const warningsAgain = /^\d+ warning\(s\) of this run:$/;

/** Adds a note once: what a run repeats at its end stays at its first place. Lane lines replace tables of lanes. */
function withNote(
  view: View,
  phase: string | undefined,
  kind: NoteLine['kind'],
  text: string,
  time: number,
  seq: number,
): View {
  if (text === '' || text.startsWith('📊') || warningsAgain.test(text)) return view;
  if (isSaid(view, text)) return view;
  const name = phase ?? view.phases.at(-1)?.phase ?? view.run?.workflow ?? '';
  return withPhase(view, name, (known) => {
    const open = known ?? newPhase(name, time, seq);
    return { ...open, notes: added<NoteLine>(view, open.notes, { seq, kind, text }) };
  });
}

function isSaid(view: View, text: string): boolean {
  const mine = ownOf(view);
  if (mine === undefined) return view.phases.some(({ notes }) => notes.some((note) => note.text === text));
  const known = mine.said.has(text);
  mine.said.add(text);
  return known;
}

/** Drops notes that repeat what a question says, also after its answer. */
function withoutNotesOf(phases: View['phases'], asked: readonly Question[]): PhaseLine[] {
  const said = new Set(asked.flatMap(({ detail = '' }) => detail.split('\n').map(noteText)));
  return phases.map((phase) => ({
    ...phase,
    notes: phase.notes.filter(({ kind, text }) => kind !== 'note' || !said.has(text)),
  }));
}

/** A run that was left: what ran then runs again, from now. */
function goOn(view: View, time: number, seq: number): View {
  return {
    ...view,
    phases: view.phases.map((phase) => (phase.state === 'stopped' ? { ...phase, state: 'running' } : phase)),
    lanes: changeLanes(view, (lane) =>
      lane.state === 'stopped' || isUnderWay(lane) ? { ...lane, seq, state: 'running', since: time } : lane,
    ),
  };
}

function stop(view: View): View {
  return {
    ...view,
    phases: view.phases.map((phase) => (phase.state === 'running' ? { ...phase, state: 'stopped' } : phase)),
    lanes: changeLanes(view, (lane) => (isUnderWay(lane) ? { ...lane, state: 'stopped' } : lane)),
  };
}

function changeLanes(view: View, change: (lane: LaneLine) => LaneLine): Map<string, LaneLine> {
  return new Map([...view.lanes].map(([name, lane]) => [name, change(lane)]));
}

/** Whether an agent works on the lane now. */
export function isUnderWay({ state }: LaneLine): boolean {
  return state === 'running' || state === 'retrying';
}

/** Tokens of one call: `12k`, `~12k` when estimated, `?` when unknown. */
export function callTokens({ basis, inputTokens, outputTokens }: Usage): string {
  if (basis === 'unknown') return '?';
  return `${basis === 'estimated' ? '~' : ''}${shortCount(inputTokens + outputTokens)}`;
}

/** Tokens of several calls; counts calls with unknown tokens separately instead of as zero. */
export function tokensOf(usages: readonly Usage[]): string | undefined {
  if (usages.length === 0) return undefined;
  const known = usages.filter(({ basis }) => basis !== 'unknown');
  const unknown = usages.length - known.length;
  const sum = known.reduce((total, { inputTokens, outputTokens }) => total + inputTokens + outputTokens, 0);
  const estimated = known.some(({ basis }) => basis === 'estimated') ? '~' : '';
  const calls = unknown === 1 ? '1 call' : `${unknown} calls`;
  if (known.length === 0) return 'tokens unknown';
  return `${estimated}${shortCount(sum)} tokens${unknown === 0 ? '' : ` + ${calls} unknown`}`;
}
