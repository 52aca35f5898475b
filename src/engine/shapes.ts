import { isRecord } from '../base/safe-json.ts';
import type { Usage } from '../base/schema/calls.ts';
import { type LaneKind, laneKinds } from '../base/schema/calls.ts';
import type { Answer, Question } from './question.ts';

/** Checks of values in a run's files, which may come from an untrusted archive. */

export const isText = (value: unknown): value is string => typeof value === 'string';

export const isTime = (value: unknown): value is string => isText(value) && !Number.isNaN(Date.parse(value));

/** Tokens, bytes, milliseconds, attempts; sums of them stay numbers. */
export const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

export function orMissing(is: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || is(value);
}

export const isKnownLaneKind = (value: unknown): value is LaneKind =>
  laneKinds.some((kind) => kind === value);

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
