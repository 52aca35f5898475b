import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { RunEvent } from '../../engine/event.ts';
import type { Answer, Question, QuestionFile } from '../../engine/question.ts';
import type { RunRecord, RunStatus } from '../../engine/run-record.ts';
import { publishedSchemas } from './published.ts';
import type {
  answerSchema,
  eventSchema,
  questionFileSchema,
  questionSchema,
  runRecordSchema,
  runStatusSchema,
} from './run-files.ts';

const folder = path.resolve(import.meta.dirname, '../../../schemas');

test('schemas/ is what src/schema says; `npm run schemas` writes it', () => {
  const committed = new Map(
    readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );
  expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(publishedSchemas()));
});

test('the schemas describe what the engine writes', () => {
  expectTypeOf<RunStatus>().toEqualTypeOf<z.infer<typeof runStatusSchema>>();
  expectTypeOf<RunRecord>().toExtend<z.infer<typeof runRecordSchema>>();
  expectTypeOf<QuestionFile>().toExtend<z.infer<typeof questionFileSchema>>();
  expectTypeOf<Question>().toExtend<z.infer<typeof questionSchema>>();
  expectTypeOf<Answer>().toExtend<z.infer<typeof answerSchema>>();
  expectTypeOf<RunEvent['type']>().toEqualTypeOf<z.infer<typeof eventSchema>['type']>();
});
