import { type JudgementName, judgements } from '../../src/base/schema/judgements.ts';

export const judgementNames = Object.keys(judgements) as JudgementName[];
