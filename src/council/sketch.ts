import { CharretteError } from '../base/errors.ts';
import {
  type ContestedDecision,
  ideaUses,
  type Sketch,
  type Synthesis,
} from '../base/schema/judgements/design.ts';
import {
  type Field,
  type NamedSection,
  readFields,
  readItems,
  readSections,
  renderFields,
  renderItems,
  renderSections,
  toLines,
  unwrapBold,
} from '../base/text/labelled-block.ts';
import type { Commission } from '../prompts/panel/common.ts';
import { sketchPrompt, synthesisPrompt } from '../prompts/panel/sketch.ts';
import { askAuthor, type Council, type Reply, type Seat, warnOfFailures } from './council.ts';
import { type NumberedDecision, noContestedDecisions, rankDecisions, readDecisions } from './decisions.ts';

export type Sketched = { seat: Seat; sketch: Sketch };

/** Step 2a, the round: every seat sketches in parallel and sees no other sketch (L-023, L-201, L-204). Fails with too few (C-07). */
export async function sketch(
  council: Council,
  seats: readonly Seat[],
  commission: Commission,
  mode: keyof typeof sketchMinimum,
): Promise<{ sketches: Sketched[]; replies: Reply<'sketch'>[] }> {
  const replies = await council.ask(
    'sketch',
    seats.map((seat) => [
      seat,
      {
        key: seat.id,
        kind: 'sketch',
        judgement: 'sketch',
        draft: (schema, maximumEffort) =>
          sketchPrompt({
            ...{ commission, stance: seat.stance ?? 'generic', stanceText: seat.stanceText },
            ...{ schema, maximumEffort },
          }),
        facts: {},
      },
    ]),
    seats.some(({ stance = 'generic' }) => stance !== 'generic') ? 'sketches-regular' : 'sketches-quick',
  );
  await council.checkTree('sketch-collection');
  const sketches: Sketched[] = [];
  for (const [index, seat] of seats.entries()) {
    const reply = replies[index];
    if (reply === undefined) continue;
    warnOfFailures(council, seat.label, reply);
    if (reply.value === undefined) continue;
    sketches.push({ seat, sketch: reply.value });
    await council.artifact(seat.output ?? `${seat.id}-output.txt`, renderSketch(reply.value));
  }
  const shortage = sketchShortage(sketches.length, seats.length, mode);
  if (shortage === undefined) return { sketches, replies };
  throw new CharretteError({
    code: 'too-few-sketches',
    message: `${shortage}.`,
    fix: 'See the warnings above for each seat; fix the cause, then resume the run.',
    retryable: true,
  });
}

/** C-07: how many usable sketches a run needs. */
export const sketchMinimum = { regular: 2, quick: 1 } as const;

/** C-07: why the sketches do not suffice; `undefined` when they do. */
export function sketchShortage(
  usable: number,
  seats: number,
  mode: keyof typeof sketchMinimum,
): string | undefined {
  const needed = Math.min(sketchMinimum[mode], seats);
  return usable >= needed
    ? undefined
    : `${usable} of ${seats} sketches are usable, at least ${needed} are needed`;
}

/** A sketch as people and later prompts read it. */
export function renderSketch(sketch: Sketch): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', `## ${title}`, ...lines];
  return `${[
    sketch.summary,
    '',
    sketch.approach,
    ...section(
      'Decisions',
      sketch.decisions.map(({ title, choice, reason }) => `- **${title}**: ${choice} (${reason})`),
    ),
    ...section(
      'Files',
      sketch.files.map(({ path, reason }) => `- \`${path}\`: ${reason}`),
    ),
    ...section(
      'Risks',
      sketch.risks.map(({ risk, mitigation }) => `- ${risk} Mitigation: ${mitigation}`),
    ),
  ].join('\n')}\n`;
}

export type Approach = {
  /** Absent where nothing was sketched. */
  synthesis?: Synthesis;
  /** Contested decisions, the most contested first. */
  decisions: NumberedDecision[];
};

/** Step 2a.4: agreements, divergences with a call on each, and the decisions that are really contested (L-450…L-457). */
export async function synthesise(
  council: Council,
  author: Seat,
  commission: Commission,
  sketches: readonly Sketched[],
): Promise<Approach> {
  if (sketches.length === 0) return { decisions: [] };
  // L-451: highlights rest on stances; generic sketches have none.
  const highlights = sketches.some(({ seat }) => (seat.stance ?? 'generic') !== 'generic');
  const synthesis = await askAuthor(council, author, {
    key: 'synthesis',
    kind: 'synthesis',
    judgement: 'synthesis',
    draft: (schema) =>
      synthesisPrompt({
        commission,
        sketches: sketches.map(({ seat, sketch }) => ({ label: seat.label, text: renderSketch(sketch) })),
        highlights,
        schema,
      }),
    facts: { sketches: sketches.map(({ seat, sketch }) => ({ seat: seat.label, sketch })), highlights },
  });
  return {
    synthesis: highlights ? synthesis : { ...synthesis, highlights: null },
    decisions: rankDecisions(synthesis.contested),
  };
}

/** L-452: the headings of `approach-synthesis.txt`. */
const titles = {
  summary: 'Combined approach',
  agreements: 'Agreements',
  divergences: 'Divergences',
  ideas: 'Ideas and where they came from',
  architecture: 'Architecture and standards concerns',
  pragmatism: 'Pragmatism and safety warnings',
  edgeCases: 'Edge cases and failure risks',
  innovation: 'Alternatives worth keeping',
} as const;

const allTitles = Object.values(titles);
const highlightKeys = ['architecture', 'pragmatism', 'edgeCases', 'innovation'] as const;
const nothing = '(none)';

/** Every idea names the seats it came from; the highlights only exist for sketches with stances (L-451). */
export function renderSynthesis(synthesis: Synthesis): string {
  const { highlights } = synthesis;
  const sections: NamedSection[] = [
    { title: titles.summary, body: synthesis.summary },
    {
      title: titles.agreements,
      body: records(synthesis.agreements.map(({ point, seats }) => [['Point', point], seatField(seats)])),
    },
    {
      title: titles.divergences,
      body: records(
        synthesis.divergences.map(({ topic, positions, call, reason }) => [
          ['Topic', topic],
          [
            'Positions',
            records(positions.map(({ position, seats }) => [['Position', position], seatField(seats)])),
          ],
          ['Call', call],
          ['Reason', reason],
        ]),
      ),
    },
    {
      title: titles.ideas,
      body: records(
        synthesis.ideas.map(({ idea, seats, use, reason }) => [
          ['Idea', idea],
          seatField(seats),
          ['Use', use],
          ['Reason', reason],
        ]),
      ),
    },
    ...highlightKeys.flatMap((key) =>
      highlights ? [{ title: titles[key], body: renderItems(highlights[key]) || nothing }] : [],
    ),
  ];
  return renderSections(sections, allTitles, 3);
}

/** Reads the file back. The contested decisions are in their own file. */
export function readSynthesis(text: string): Omit<Synthesis, 'contested'> {
  const { sections } = readSections(text, allTitles);
  const body = (key: keyof typeof titles) => sections.get(titles[key]) ?? '';
  const hasHighlights = highlightKeys.some((key) => sections.has(titles[key]));
  const highlight = (key: (typeof highlightKeys)[number]) => readItems(body(key));
  return {
    summary: body('summary'),
    agreements: readRecords(body('agreements'), ['Point', 'Seats']).map((field) => ({
      point: field('Point'),
      seats: readSeats(field('Seats')),
    })),
    divergences: readRecords(body('divergences'), ['Topic', 'Positions', 'Call', 'Reason']).map((field) => ({
      topic: field('Topic'),
      positions: readRecords(field('Positions'), ['Position', 'Seats']).map((inner) => ({
        position: inner('Position'),
        seats: readSeats(inner('Seats')),
      })),
      call: field('Call'),
      reason: field('Reason'),
    })),
    ideas: readRecords(body('ideas'), ['Idea', 'Seats', 'Use', 'Reason']).map((field) => ({
      idea: field('Idea'),
      seats: readSeats(field('Seats')),
      use: ideaUses.find((use) => use === field('Use')) ?? 'preserved',
      reason: field('Reason'),
    })),
    highlights: hasHighlights
      ? {
          architecture: highlight('architecture'),
          pragmatism: highlight('pragmatism'),
          edgeCases: highlight('edgeCases'),
          innovation: highlight('innovation'),
        }
      : null,
  };
}

/**
 * L-457: reads a whole synthesis from text: the sections of the file, then its decisions or the sentinel for none. `undefined`
 * when either is missing or cannot be read: a banner is not a synthesis, and unreadable decisions are not "no decisions".
 */
export function readSynthesisInWords(text: string): Synthesis | undefined {
  const lines = toLines(text).map((line) => line.trimEnd());
  const at = lines.findIndex((line) => decisionsStart.test(line));
  if (at < 0) return undefined;
  const before = lines.slice(0, at).join('\n').trim();
  if (readSections(before, allTitles).sections.size === 0) return undefined;
  const contested = readContested(lines.slice(at));
  if (contested === undefined) return undefined;
  const body = readSynthesis(before);
  return { ...body, summary: body.summary === '' ? before : body.summary, contested };
}

const decisionsStart =
  /^(?:#{1,6} +)?(?:\*\*|__|`)?(?:DECISION_\d+ *:|NO_CONTESTED_DECISIONS\b|contested decisions(?:\*\*|__)?:?(?:\*\*|__)?$)/i;

function readContested(lines: readonly string[]): ContestedDecision[] | undefined {
  const isSentinel = (line: string) => unwrapBold(line).replaceAll('`', '') === noContestedDecisions;
  const rest = lines.filter((line) => !isSentinel(line)).join('\n');
  if (rest.length < lines.join('\n').length) return /DECISION_\d/i.test(rest) ? undefined : [];
  const reading = readDecisions(rest, { ranked: false });
  if (!reading.ok) return undefined;
  return rankDecisions(reading.decisions).map(({ number: _, ...decision }) => decision);
}

function records(items: readonly Field[][]): string {
  return items.length === 0 ? nothing : renderItems(items.map((fields) => renderFields(fields, 'plain')));
}

function readRecords(text: string, labels: readonly string[]): ((label: string) => string)[] {
  return readItems(text).map((item) => {
    const { fields } = readFields(item, labels);
    return (label) => fields.get(label) ?? '';
  });
}

function seatField(seats: readonly string[]): Field {
  return ['Seats', seats.join(', ') || nothing];
}

function readSeats(text: string): string[] {
  return text
    .split(',')
    .map((seat) => seat.trim())
    .filter((seat) => seat !== '' && seat !== nothing);
}

export type SynthesisTask = {
  /** Labels of the seats that sketched. */
  labels: readonly string[];
  /** L-451: asked for with stances, never of generic sketches. */
  highlights: boolean;
};

/** What a synthesis of the right form still gets wrong; none when it is right. */
export function synthesisProblems(synthesis: Synthesis, { labels, highlights }: SynthesisTask): string[] {
  const { agreements, divergences, ideas, contested } = synthesis;
  const named = [
    ...[...agreements, ...ideas, ...divergences.flatMap(({ positions }) => positions)].flatMap(
      ({ seats }) => seats,
    ),
    ...contested.flatMap(({ chosenSeats, alternativeSeats }) => [...chosenSeats, ...alternativeSeats]),
  ];
  const unknown = [...new Set(named)].filter((seat) => !labels.includes(seat));
  const oneSided = contested.filter(({ chosen, alternative }) => plain(chosen) === plain(alternative));
  const hasHighlights = synthesis.highlights !== null;
  return [
    ...(hasHighlights === highlights
      ? []
      : [
          highlights
            ? 'highlights: the four highlights are missing'
            : 'highlights: must be null, the sketches have no stances',
        ]),
    ...(unknown.length === 0
      ? []
      : [`seats: ${unknown.join(', ')} did not sketch; the labels are ${labels.join(', ')}`]),
    ...oneSided.map(({ title }) => `contested "${title}": chosen and alternative are the same`),
  ];
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
