import { isAmount, isRecord, isText, isTime, orMissing, readJson } from '../base/safe-json.ts';
import { type LaneKind, laneKinds, type Usage } from '../base/schema/calls.ts';
import type { EventBody, RunEvent } from './event.ts';
import type { Answer, Question } from './question.ts';

type Is = (value: unknown) => boolean;

type Fields<Body> = { [Field in Exclude<keyof Body, 'type'>]-?: Is };

const listOf = (is: Is) => (value: unknown) => Array.isArray(value) && value.every(is);

const isWhole: Is = Number.isSafeInteger;

const isKnownLaneKind = (value: unknown): value is LaneKind => laneKinds.some((kind) => kind === value);

/** The type of every field for all readers; `src/base/schema/run-files.ts` publishes the same. */
const fieldsOf: { [Type in EventBody['type']]: Fields<Extract<EventBody, { type: Type }>> } = {
  'run-start': { workflow: isText, title: isText },
  'run-resume': { attempt: isAmount },
  'run-pause': { reason: (value) => value === 'question' || value === 'stop' },
  'run-end': {
    status: isText,
    exit: isWhole,
    message: orMissing(isText),
    degraded: orMissing(listOf(isSeatLoss)),
  },
  'phase-start': { phase: isText, line: isText },
  'phase-end': { phase: isText, line: orMissing(isText), elapsedMs: isAmount },
  'phase-skip': { phase: isText, line: isText, elapsedMs: isAmount },
  warning: { phase: orMissing(isText), text: isText },
  note: { phase: orMissing(isText), text: isText },
  body: { heading: isText, text: isText },
  'lane-queue': {
    lane: isText,
    task: isText,
    seat: isText,
    label: isText,
    phase: isText,
    planned: orMissing(isText),
  },
  'lane-start': { lane: isText, agent: isText, attempt: isAmount },
  'lane-retry': { lane: isText, agent: isText, attempt: isAmount, kind: isKnownLaneKind, message: isText },
  'lane-end': {
    lane: isText,
    agent: isText,
    kind: isKnownLaneKind,
    message: orMissing(isText),
    elapsedMs: isAmount,
    usage: isUsage,
  },
  'question-ask': { questions: listOf(isQuestion) },
  'question-answer': { answers: listOf((value) => isAnswer(value) && isText(value.source)) },
  'artifact-write': { name: isText, bytes: isAmount, digest: isText },
  record: { name: isText, value: () => true },
};

/** By type, as lists: a run has very many events. */
const checksOf: ReadonlyMap<string, readonly (readonly [field: string, is: Is])[]> = new Map(
  Object.entries(fieldsOf).map(([type, fields]) => [type, Object.entries<Is>(fields)]),
);

/**
 * The events of whole lines of events.jsonl, one a line with its number, from the one after `before`. The file may be
 * untrusted: a warning replaces every invalid event, so that its readers need not check. A type that this version
 * does not know is left for its readers to skip.
 */
export function readEventLines(text: string, before = 0): RunEvent[] {
  const values = text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const reading = readJson(line);
      return reading.ok && isRecord(reading.value) ? reading.value : {};
    });
  let time = timesIn(values);
  return values.map((value, index) => {
    if (isTime(value['time'])) time = value['time'];
    const seq = before + index + 1;
    if (!isEvent(value)) return passedOver(value, seq, time);
    return value.seq === seq ? value : { ...value, seq };
  });
}

/** For what comes before any event that says when it was. */
function timesIn(values: readonly Record<string, unknown>[]): string {
  return values.map((value) => value['time']).find(isTime) ?? new Date(0).toISOString();
}

function isEvent(value: Record<string, unknown>): value is RunEvent {
  const { v, id, run, time, type } = value;
  if (v !== 1 || !isText(id) || !isText(run) || !isTime(time) || !isText(type)) return false;
  return checksOf.get(type)?.every(([field, is]) => is(value[field])) ?? true;
}

function passedOver({ id, run, type }: Record<string, unknown>, seq: number, time: string): RunEvent {
  const what = isText(type) && checksOf.has(type) ? ` (${type})` : '';
  return {
    v: 1,
    id: isText(id) ? id : `line:${seq}`,
    run: isText(run) ? run : '',
    seq,
    time,
    type: 'warning',
    text: `Skipped event ${seq}${what}: this version cannot read it.`,
  };
}

const bases: readonly unknown[] = ['measured', 'estimated', 'unknown'] satisfies Usage['basis'][];

export function isUsage(value: unknown): value is Usage {
  return (
    isRecord(value) &&
    bases.includes(value['basis']) &&
    ['inputTokens', 'cachedInputTokens', 'outputTokens'].every((name) => isAmount(value[name])) &&
    ['reasoningTokens', 'usd'].every((name) => orMissing(isAmount)(value[name]))
  );
}

const isTextOrMissing = orMissing(isText);

export function isQuestion(value: unknown): value is Question {
  return (
    isRecord(value) &&
    isText(value['id']) &&
    isText(value['text']) &&
    isTextOrMissing(value['detail']) &&
    isTextOrMissing(value['recommended']) &&
    hasOptions(value)
  );
}

function hasOptions({ options }: Record<string, unknown>): boolean {
  if (options === undefined) return true;
  const isOption = (option: unknown) =>
    isRecord(option) && isText(option['value']) && isText(option['label']);
  return Array.isArray(options) && options.every(isOption);
}

export function isAnswer(value: unknown): value is Answer {
  return isRecord(value) && isText(value['question']) && isText(value['value']);
}

export function isSeatLoss(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['role', 'seat', 'planned', 'reason'].every((name) => isText(value[name])) &&
    (value['actual'] === null || isText(value['actual']))
  );
}
