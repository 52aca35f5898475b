import { isRecord } from '../base/safe-json.ts';
import type { Answer, Question } from './question.ts';
import { isText, orMissing } from './shapes.ts';

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
