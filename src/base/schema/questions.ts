import { z } from 'zod';

export const questionSchema = z.looseObject({
  id: z.string().min(1).describe('Stable: an answer may come before the question is asked.'),
  text: z.string().min(1),
  detail: z.string().optional().describe('Why it is asked, or what hangs on it.'),
  options: z
    .array(z.looseObject({ value: z.string(), label: z.string() }))
    .optional()
    .describe('Closed choice. Absent: free text.'),
  recommended: z.string().optional().describe('Taken with --yes.'),
});

export const answerSchema = z.looseObject({
  question: z.string().min(1),
  value: z.string(),
  source: z.enum(['person', 'recommended', 'file']),
});

/** questions.json: what was asked in a run and what was answered. */
export const questionFileSchema = z.looseObject({
  schemaVersion: z.literal(1),
  run: z.string().min(1),
  questions: z.array(questionSchema),
  answers: z.array(answerSchema),
});

/** What `--answers FILE` and `answer --file FILE` read: question → answer, or questions.json with its answers filled in. */
export const answerFileSchema = z.union([
  z.looseObject({ answers: z.array(z.looseObject({ question: z.string().min(1), value: z.string() })) }),
  z.record(z.string(), z.string()),
]);
