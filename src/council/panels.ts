/**
 * A chair is a place for one agent: `first` and `second` are the outside agents, of different families where possible;
 * `author` writes and replaces. The requirement's layout has Cursor, Codex and Claude on them.
 */
export const chairs = ['first', 'second', 'author'] as const;

/** `@claude` is the seat of that very agent, whatever others exist. */
export type Chair = (typeof chairs)[number] | `@${string}`;

export type SeatSpec = { chair: Chair; stance: string };

/** A seated panel: the built-in ones below, and those of the configuration once its seats have agents. */
export type PanelSpec = {
  description: string;
  /** Agents without a chair share the seats of the outside agents, so that all of them have one. */
  shared?: true;
  /** L-202, in launch order. */
  sketch: readonly SeatSpec[];
  /** Other seats for a smaller number of sketches (L-203). Default: the first ones. */
  fewer?: Readonly<Record<number, readonly SeatSpec[]>>;
  /** L-582 */
  review: readonly SeatSpec[];
  /** L-479: odd decisions go to the first, even ones to the second. Empty: no debates. */
  debate: readonly Chair[];
  /** L-512 */
  judge: readonly Chair[];
  /** L-630 */
  vote: readonly Chair[];
  /** The project's own words for stances that it names. */
  stances?: Readonly<Record<string, string>>;
  /** Agents that this panel made by giving another model or effort to one; they take no other seat. */
  variants?: readonly string[];
  /** With fewer families or reviewers a result is degraded. */
  quorum?: { families?: number; reviewers?: number };
};

const seat = (chair: Chair, stance: string): SeatSpec => ({ chair, stance });

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

const fewer = { 2: pairSeats, 4: diagonalSeats };

/** The panels that come with the program. */
export const panels = {
  diagonal: {
    description: 'four stances split over two agents, a third writes, judges and votes along',
    sketch: diagonalSeats,
    fewer,
    review: diagonalSeats,
    debate: ['first', 'second'],
    judge: ['first', 'second', 'author'],
    vote: ['first', 'second', 'author'],
  },
  wide: {
    description: 'five stances, each by two agents; every agent has a seat',
    shared: true,
    sketch: wideSeats,
    fewer,
    review: wideSeats,
    debate: ['first', 'second'],
    judge: ['first', 'second', 'author'],
    vote: ['first', 'second', 'author'],
  },
  pair: {
    description: 'one sketch and one review by each of two agents',
    sketch: pairSeats,
    fewer,
    review: pairSeats,
    debate: ['first', 'second'],
    judge: ['first', 'second', 'author'],
    vote: ['first', 'second', 'author'],
  },
  solo: {
    description: 'one agent plans alone; nothing is sketched, argued or voted on',
    sketch: [],
    review: [],
    debate: [],
    judge: [],
    vote: [],
  },
} satisfies Record<string, PanelSpec> as Record<'diagonal' | 'wide' | 'pair' | 'solo', PanelSpec>;

export type PanelName = keyof typeof panels;
export const panelNames = Object.keys(panels) as PanelName[];

/** The panel of a choice: one of the configuration, which comes with its seats, or a built-in one. */
export function specOf({ panel, seats }: { panel: string; seats?: PanelSpec | undefined }): PanelSpec {
  return seats ?? panels[panel as PanelName];
}

/** 0, 2 and 4 are the counts you can ask for; a panel of the configuration has as many as it has seats. */
export type SketchCount = number;

/** L-005, L-201: the sketch seats of a run: all of the panel, two generic ones, or one for each of four stances. */
export function sketchSeats(panel: PanelSpec, count: SketchCount): readonly SeatSpec[] {
  if (count === 0 || panel.sketch.length === 0) return [];
  if (count === panel.sketch.length) return panel.sketch;
  return panel.fewer?.[count] ?? panel.sketch.slice(0, count);
}
