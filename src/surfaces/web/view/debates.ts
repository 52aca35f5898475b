import { isRecord } from '../../../base/safe-json.ts';
import { readDecisions } from '../../../council/decisions.ts';
import { defenceTags, readDefence } from '../../../council/defence.ts';
import { type Resolution, readResolutions } from '../../../council/resolutions.ts';
import type { RunFiles } from './run-files.ts';

export type DefenceView = {
  side: 'THESIS' | 'ANTI_THESIS';
  /** The position of this side. */
  position: string;
  parts: { name: string; text: string }[];
  /** Who argued it. Only there once the decision is settled. */
  agent?: string;
  /** The sketches that were on this side. Only there once the decision is settled. */
  seats?: string[];
};

export type JudgeView = {
  judge: string;
  /** What the judge said per order of presentation; one who changed sides counts as a tie. */
  votes: { order: 'first' | 'swapped'; vote: string; rationale: string }[];
};

/** One contested decision from its two sides to its verdict. */
export type DebateView = {
  number: number;
  title: string;
  tension: string;
  impact: string;
  files: string[];
  /** In the order in which the judges saw them: A, B. */
  sides: [DefenceView, DefenceView];
  judges: JudgeView[];
  resolution?: Pick<Resolution, 'resolution' | 'disposition' | 'tally'> & {
    why: string;
    winner?: DefenceView['side'];
  };
};

const partNames: Record<(typeof defenceTags)[number][0], string> = {
  steelman: 'Best case for the other side',
  claim: 'Claim',
  evidence: 'Evidence',
  strongest_concession: 'Strongest concession',
  counter_to_opposition: 'Answer to the other side',
  risk_if_wrong: 'Risk if wrong',
};

export function debateViews(files: RunFiles): DebateView[] {
  const { artifacts } = files;
  const reading = readDecisions(artifacts['contested-decisions.md'] ?? '');
  if (!reading.ok) return [];
  const resolved = readResolutions(artifacts['dialectic-resolutions.md'] ?? '');
  const resolutions = resolved.ok ? resolved.resolutions : [];
  return reading.decisions.map((decision) => {
    const { number, title, tension, impact, affectedFiles } = decision;
    const resolution = resolutions.find((each) => each.number === number);
    const settled = resolution !== undefined;
    const thesis = sideView(files, decision, 'THESIS', settled);
    const antithesis = sideView(files, decision, 'ANTI_THESIS', settled);
    return {
      number,
      title,
      tension,
      impact,
      files: affectedFiles,
      sides: thesisFirst(artifacts['dialectic-ballot.txt'] ?? '', number)
        ? [thesis, antithesis]
        : [antithesis, thesis],
      judges: judgeViews(files, number),
      ...(resolution && { resolution: resolutionView(resolution) }),
    };
  });
}

function resolutionView(resolution: Resolution): NonNullable<DebateView['resolution']> {
  const { disposition, tally, why } = resolution;
  const winner =
    disposition !== 'voted' ? undefined : why.label === 'Why thesis prevails' ? 'THESIS' : 'ANTI_THESIS';
  return {
    resolution: resolution.resolution,
    disposition,
    ...(tally && { tally }),
    ...(winner && { winner }),
    why: why.text,
  };
}

type Decision = { number: number; title: string; chosen: string; alternative: string };

function sideView(
  files: RunFiles,
  decision: Decision,
  side: DefenceView['side'],
  settled: boolean,
): DefenceView {
  const word = side === 'THESIS' ? 'thesis' : 'antithesis';
  const name = Object.keys(files.artifacts).find(
    (each) => each.startsWith(`debate-${decision.number}-`) && each.endsWith(`-${word}.txt`),
  );
  const { tags } = readDefence(name === undefined ? '' : (files.artifacts[name] ?? ''));
  const lane = `debate-${decision.number}-${word}`;
  const spoken = files.events.findLast((event) => event.type === 'lane-end' && event.lane === lane);
  const seats = seatsOn(files.answers['synthesis'], decision.title, side);
  return {
    side,
    position: side === 'THESIS' ? decision.chosen : decision.alternative,
    parts: defenceTags.flatMap(([tag]) => {
      const text = tags[tag];
      return text === undefined ? [] : [{ name: partNames[tag], text }];
    }),
    ...(settled && spoken?.type === 'lane-end' && { agent: spoken.agent }),
    ...(settled && seats.length > 0 && { seats }),
  };
}

/** Only the synthesis names the sketches of a side, as the agent gave it. */
function seatsOn(synthesis: unknown, title: string, side: DefenceView['side']): string[] {
  const contested = isRecord(synthesis) ? synthesis['contested'] : undefined;
  if (!Array.isArray(contested)) return [];
  const decision: unknown = contested.find((each) => isRecord(each) && each['title'] === title);
  const seats = isRecord(decision) ? decision[side === 'THESIS' ? 'chosenSeats' : 'alternativeSeats'] : [];
  return Array.isArray(seats) ? seats.filter((seat) => typeof seat === 'string') : [];
}

function judgeViews({ events, answers }: RunFiles, number: number): JudgeView[] {
  const judges = new Map<string, JudgeView>();
  for (const event of events) {
    if (event.type !== 'lane-queue' || event.task !== 'judge') continue;
    const view = judges.get(event.label) ?? { judge: event.label, votes: [] };
    const order = event.lane.endsWith('-swapped') ? 'swapped' : 'first';
    const cast = voteOn(answers[event.lane], number);
    if (cast !== undefined && !view.votes.some((vote) => vote.order === order))
      view.votes.push({ order, ...cast });
    judges.set(event.label, view);
  }
  return [...judges.values()].filter(({ votes }) => votes.length > 0);
}

function voteOn(answer: unknown, number: number): { vote: string; rationale: string } | undefined {
  const verdicts = isRecord(answer) ? answer['verdicts'] : undefined;
  if (!Array.isArray(verdicts)) return undefined;
  const found: unknown = verdicts.find((each) => isRecord(each) && each['decision'] === number);
  if (!isRecord(found)) return undefined;
  const { vote, rationale } = found;
  return typeof vote === 'string'
    ? { vote, rationale: typeof rationale === 'string' ? rationale : '' }
    : undefined;
}

function thesisFirst(ballot: string, number: number): boolean {
  const block = ballot.split(/^### DECISION_/m).find((each) => each.startsWith(`${number}:`)) ?? '';
  return !/^Defense A .*\[ANTI_THESIS\]/m.test(block);
}
