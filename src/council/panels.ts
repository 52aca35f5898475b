import type { Stance } from '../prompts/panel/sketch.ts';

/**
 * A chair is a place for one agent: `first` and `second` are the outside agents, of different families where possible;
 * `author` writes and replaces. The requirement's layout has Cursor, Codex and Claude on them.
 */
export const chairs = ['first', 'second', 'author'] as const;
export type Chair = (typeof chairs)[number];

export type SeatSpec = { chair: Chair; stance: Stance };

export type PanelSpec = {
  description: string;
  /** Agents without a chair share the seats of the outside agents, so that all of them have one. */
  shared?: true;
  /** L-202, in launch order. */
  sketches: readonly SeatSpec[];
  /** L-203 */
  quickSketches: readonly SeatSpec[];
  /** L-582 */
  reviewers: readonly SeatSpec[];
  /** L-479: odd decisions go to the first, even ones to the second. Empty: no debates. */
  debaters: readonly Chair[];
  /** L-512 */
  judges: readonly Chair[];
  /** L-630 */
  voters: readonly Chair[];
};

const seat = (chair: Chair, stance: Stance): SeatSpec => ({ chair, stance });

const diagonalSeats = [
  seat('first', 'arch'),
  seat('first', 'edge'),
  seat('second', 'innovation'),
  seat('second', 'pragmatic'),
];
const pairSeats = [seat('first', 'generic'), seat('second', 'generic')];
const wideSeats = (['first', 'second'] as const).flatMap((chair) =>
  (['arch', 'edge', 'innovation', 'pragmatic', 'requirements'] as const).map((stance) => seat(chair, stance)),
);

/** The panels that come with the program. */
export const panels = {
  diagonal: {
    description: 'four stances split over two agents, a third writes, judges and votes along',
    sketches: diagonalSeats,
    quickSketches: pairSeats,
    reviewers: diagonalSeats,
    debaters: ['first', 'second'],
    judges: ['first', 'second', 'author'],
    voters: ['first', 'second', 'author'],
  },
  wide: {
    description: 'five stances, each by two agents; every agent has a seat',
    shared: true,
    sketches: wideSeats,
    quickSketches: pairSeats,
    reviewers: wideSeats,
    debaters: ['first', 'second'],
    judges: ['first', 'second', 'author'],
    voters: ['first', 'second', 'author'],
  },
  pair: {
    description: 'one sketch and one review by each of two agents',
    sketches: pairSeats,
    quickSketches: pairSeats,
    reviewers: pairSeats,
    debaters: ['first', 'second'],
    judges: ['first', 'second', 'author'],
    voters: ['first', 'second', 'author'],
  },
  solo: {
    description: 'one agent plans alone; nothing is sketched, argued or voted on',
    sketches: [],
    quickSketches: [],
    reviewers: [],
    debaters: [],
    judges: [],
    voters: [],
  },
} as const satisfies Record<string, PanelSpec>;

export type PanelName = keyof typeof panels;
export const panelNames = Object.keys(panels) as PanelName[];

/** 0, 2 and 4 are the counts a person can ask for; 10 are all of the wide panel. */
export type SketchCount = 0 | 2 | 4 | 10;

/** L-005, L-201: the sketch seats of a run: all of the panel, two generic ones, or one for each of four stances. */
export function sketchSeats(panel: PanelSpec, count: SketchCount): readonly SeatSpec[] {
  if (count === 0 || panel.sketches.length === 0) return [];
  if (count === panel.sketches.length || count === 10) return panel.sketches;
  return count === 2 ? panel.quickSketches : diagonalSeats;
}
