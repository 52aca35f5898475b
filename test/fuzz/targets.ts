import type { Target } from './target.ts';
import { answers } from './targets/answers.ts';
import { documents } from './targets/documents.ts';
import { files } from './targets/files.ts';
import { plans } from './targets/plans.ts';
import { skills } from './targets/skills.ts';
import { streams } from './targets/streams.ts';
import { surfaces } from './targets/surfaces.ts';

/** Every reader of text that agents, people or repositories wrote. */
export const targets: readonly Target[] = [
  ...answers,
  ...documents,
  ...plans,
  ...skills,
  ...files,
  ...surfaces,
  ...streams,
];
