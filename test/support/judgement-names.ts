import { type JudgementName, judgements } from '../../src/schema/judgements.ts';

export const judgementNames = Object.keys(judgements) as JudgementName[];
