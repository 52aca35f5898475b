import { expect, test } from 'vitest';
import type { Synthesis } from '../base/schema/judgements/design.ts';
import { synthesisProblems } from './sketch.ts';

const highlights = { architecture: [], pragmatism: [], edgeCases: ['A clock goes back.'], innovation: [] };
const synthesis: Synthesis = {
  summary: 'A bucket.',
  agreements: [{ point: 'One each.', seats: ['Cursor-Arch'] }],
  divergences: [],
  ideas: [],
  highlights,
  contested: [
    {
      title: 'Where it lives',
      chosen: 'in memory',
      alternative: 'in a file',
      tension: 'restart',
      impact: 'High',
      affectedFiles: [],
      chosenSeats: ['Cursor-Arch'],
      alternativeSeats: ['Codex-Pragmatic'],
    },
  ],
};
const labels = ['Cursor-Arch', 'Codex-Pragmatic'];

test('L-451: highlights exactly where they were asked for', () => {
  const problems = (value: Synthesis['highlights'], asked: boolean) =>
    synthesisProblems({ ...synthesis, highlights: value }, { labels, highlights: asked });
  expect(problems(highlights, true)).toEqual([]);
  expect(problems(null, false)).toEqual([]);
  expect(problems(null, true)).toEqual(['highlights: the four highlights are missing']);
  expect(problems(highlights, false)).toEqual(['highlights: must be null, the sketches have no stances']);
});

test('L-450, L-453: ideas come from seats that sketched, and a decision has two sides', () => {
  expect(synthesisProblems(synthesis, { labels: ['Cursor-Arch'], highlights: true })).toEqual([
    'seats: Codex-Pragmatic did not sketch; the labels are Cursor-Arch',
  ]);
  const [decision] = synthesis.contested;
  const same = decision === undefined ? [] : [{ ...decision, alternative: 'In memory.' }];
  expect(synthesisProblems({ ...synthesis, contested: same }, { labels, highlights: true })).toEqual([
    'contested "Where it lives": chosen and alternative are the same',
  ]);
});
