import type { ContestedDecision, Impact, Sketch, Synthesis } from '../../base/schema/judgements/design.ts';
import { pathsIn } from '../../base/text/citations.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { groupSimilar } from './similarity.ts';
import type { Study } from './study.ts';
import { counted, headed, joined } from './wording.ts';

export type SeatSketch = { seat: string; sketch: Sketch };

type Held = { seat: string; title: string; choice: string; reason: string; files: number };
type Side = { choice: string; reason: string; seats: string[]; files: number };

const sameQuestion = 0.5;
const sameChoice = 0.6;

/**
 * Brings sketches together by counting: positions on the same question are grouped, the one most seats hold is called, and on
 * a tie the one whose sketches touch fewer files. Every idea keeps its seats.
 */
export function synthesise(
  study: Study,
  sketches: readonly SeatSketch[],
  withHighlights: boolean,
): Synthesis {
  const held: Held[] = sketches.flatMap(({ seat, sketch }) =>
    sketch.decisions.map(({ title, choice, reason }) => ({
      seat,
      title,
      choice,
      reason,
      files: sketch.files.length,
    })),
  );
  const questions = groupSimilar(held, ({ title }) => title, sameQuestion).map((group) => ({
    title: group[0]?.title ?? '',
    sides: sidesOf(group),
  }));
  const [agreed, disputed] = [
    questions.filter(({ sides }) => sides.length === 1),
    questions.filter(({ sides }) => sides.length > 1),
  ];
  const shared = sharedFiles(sketches);
  return {
    summary: headed(summaryOf(study, sketches, questions, shared)),
    agreements: [
      ...agreed.flatMap(({ title, sides }) =>
        sides.map(({ choice, seats }) => ({ point: `${title}: ${choice}`, seats })),
      ),
      ...shared.map(({ path, seats }) => ({ point: `${path} changes`, seats })),
    ].slice(0, 60),
    divergences: disputed.map(({ title, sides }) => ({
      topic: title,
      positions: sides.map(({ choice, seats }) => ({ position: choice, seats })).slice(0, 12),
      call: sides[0]?.choice ?? '',
      reason: reasonFor(sides),
    })),
    ideas: ideasOf(questions, sketches, shared),
    highlights: withHighlights ? highlightsOf(sketches) : null,
    contested: disputed.flatMap(({ title, sides }) => contestedOf(study.index, title, sides)),
  };
}

function sidesOf(held: readonly Held[]): Side[] {
  return groupSimilar(held, ({ choice }) => choice, sameChoice)
    .map((group) => ({
      choice: group[0]?.choice ?? '',
      reason: group[0]?.reason ?? '',
      seats: [...new Set(group.map(({ seat }) => seat))],
      files: Math.min(...group.map(({ files }) => files)),
    }))
    .sort((a, b) => b.seats.length - a.seats.length || a.files - b.files);
}

function reasonFor([first, second]: readonly Side[]): string {
  if (first === undefined || second === undefined) return 'no other position';
  const why =
    first.seats.length > second.seats.length
      ? `${counted(first.seats.length, 'seat')} against ${second.seats.length} hold it`
      : 'the seats are even and it touches fewer files';
  return `Counted: ${why}. ${first.reason}`;
}

function sharedFiles(sketches: readonly SeatSketch[]): { path: string; seats: string[] }[] {
  const seats = new Map<string, string[]>();
  for (const { seat, sketch } of sketches) {
    for (const { path } of sketch.files) seats.set(path, [...new Set([...(seats.get(path) ?? []), seat])]);
  }
  const needed = Math.max(2, Math.ceil((sketches.length + 1) / 2));
  return [...seats]
    .filter(([, list]) => list.length >= Math.min(needed, sketches.length))
    .map(([path, list]) => ({ path, seats: list }))
    .sort((a, b) => b.seats.length - a.seats.length);
}

function ideasOf(
  questions: readonly { title: string; sides: Side[] }[],
  sketches: readonly SeatSketch[],
  shared: readonly { path: string }[],
): Synthesis['ideas'] {
  const common = new Set(shared.map(({ path }) => path));
  const positions = questions.flatMap(({ title, sides }) =>
    sides.map(({ choice, reason, seats }, place) => ({
      idea: `${title}: ${choice}`,
      seats,
      use: place === 0 ? ('adopted' as const) : ('preserved' as const),
      reason: place === 0 ? reasonFor(sides) : `Kept as the alternative: ${reason}`,
    })),
  );
  const seatsOf = new Map<string, { reason: string; seats: string[] }>();
  for (const { seat, sketch } of sketches) {
    for (const { path, reason } of sketch.files) {
      const known = seatsOf.get(path);
      if (known === undefined) seatsOf.set(path, { reason, seats: [seat] });
      else if (!known.seats.includes(seat)) known.seats.push(seat);
    }
  }
  const files = [...seatsOf]
    .filter(([path]) => !common.has(path))
    .map(([path, { reason, seats }]) => ({
      idea: `${path}: ${reason}`.slice(0, 2000),
      seats,
      use: 'preserved' as const,
      reason: 'Too few sketches name this file; the plan decides by its own search.',
    }));
  return [...positions, ...files].slice(0, 100);
}

function highlightsOf(sketches: readonly SeatSketch[]): NonNullable<Synthesis['highlights']> {
  const risks = sketches.flatMap(({ seat, sketch }) =>
    sketch.risks.map(({ risk, mitigation }) => ({ seat, text: `${risk} ${mitigation}` })),
  );
  const unique = groupSimilar(risks, ({ text }) => text, 0.7).flatMap(([first]) =>
    first === undefined ? [] : [first.text],
  );
  return {
    architecture: unique.filter((text) => /public|import/i.test(text)).slice(0, 10),
    pragmatism: unique.filter((text) => /signature|often|earlier commit/i.test(text)).slice(0, 10),
    edgeCases: unique.slice(0, 10),
    innovation: sketches
      .flatMap(({ sketch }) => sketch.decisions.map(({ title, choice }) => `${title}: ${choice}`))
      .filter((text, at, all) => all.indexOf(text) === at && all.lastIndexOf(text) === at)
      .slice(0, 10),
  };
}

function contestedOf(
  index: RepositoryIndex,
  title: string,
  [chosen, ...others]: readonly Side[],
): ContestedDecision[] {
  const alternative = others[0];
  if (chosen === undefined || alternative === undefined) return [];
  const affected = [
    ...new Set(
      [chosen, ...others].flatMap(({ choice, reason }) =>
        pathsIn(`${choice} ${reason}`).map(({ path }) => path),
      ),
    ),
  ];
  const others_seats = [...new Set(others.flatMap(({ seats }) => seats))];
  return [
    {
      title,
      chosen: chosen.choice,
      alternative: alternative.choice,
      tension:
        `${joined(chosen.seats)}: ${chosen.reason} Against it ${joined(others_seats)}: ${alternative.reason}`.slice(
          0,
          3000,
        ),
      impact: impactOf(index, affected, chosen.seats.length, others_seats.length),
      affectedFiles: affected.slice(0, 60),
      chosenSeats: chosen.seats,
      alternativeSeats: others_seats,
    },
  ];
}

/** High: many depend on an affected source, or a new one is made. Medium: the seats are nearly even. Low: the rest. */
function impactOf(index: RepositoryIndex, affected: readonly string[], on: number, against: number): Impact {
  const sources = affected.filter((path) => !/(?:^|\/)tests?\/|[._](?:test|spec)\./.test(path));
  const depends = Math.max(0, ...sources.map((path) => index.graph.importers.get(path)?.length ?? 0));
  const creates = sources.some((path) => !index.byPath.has(path));
  if (depends >= 12 || creates) return 'High';
  return Math.abs(on - against) <= 1 ? 'Medium' : 'Low';
}

function summaryOf(
  study: Study,
  sketches: readonly SeatSketch[],
  questions: readonly { title: string; sides: Side[] }[],
  shared: readonly { path: string }[],
): string {
  const calls = questions.flatMap(({ title, sides }) =>
    sides[0] === undefined ? [] : [`${title}: ${sides[0].choice}.`],
  );
  return [
    `"${study.feature.title}", counted over ${counted(sketches.length, 'sketch').replace('sketchs', 'sketches')}.`,
    ...calls,
    shared.length === 0
      ? 'No file is named by most of them.'
      : `Named by most: ${joined(shared.slice(0, 10).map(({ path }) => path))}.`,
  ].join(' ');
}
