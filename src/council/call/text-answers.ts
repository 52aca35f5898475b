import { isRecord } from '../../base/safe-json.ts';
import { type JudgementName, judgements } from '../../base/schema/judgements.ts';
import { citationsIn, pathsIn } from '../../base/text/citations.ts';
import { toLines, unwrapBold } from '../../base/text/labelled-block.ts';
import { mermaidFences } from '../../plan/diagram.ts';
import { readPlan } from '../../plan/plan-text.ts';
import { readDefence, sideOf } from '../defence.ts';
import { readFindings } from '../findings-text.ts';
import { readJudgeVotes } from '../judge.ts';
import { readSynthesisInWords } from '../synthesis.ts';
import { readVotes } from '../vote.ts';

const choiceLine = /^[-* \t]*(?:BETTER|VERDICT|WINNER)\**:[* \t]*(?:PLAN )?(A|B|TIE)\b[* \t—–:-]*(.*)$/gim;

/**
 * Readers for answers that come as plain text in the panel's line formats instead of JSON. They give what could be
 * made out; whether that is enough, the schema and the checks of the task decide. `undefined`: nothing was.
 */
const readers: Partial<Record<JudgementName, (text: string, input: Record<string, unknown>) => unknown>> = {
  sketch: (text) => ({
    summary: firstSentence(text),
    approach: text,
    files: [...new Set(citationsIn(text).map(({ file }) => file))].map((path) => ({
      path,
      reason: 'Cited in the sketch.',
    })),
  }),
  // L-457: unreadable decisions differ from none; F-05: reject a banner as a synthesis.
  synthesis: readSynthesisInWords,
  defence: (text) => {
    const { tags, recommends } = readDefence(text);
    const [token] = recommends;
    return {
      steelman: tags.steelman,
      claim: tags.claim,
      evidence: tags.evidence,
      strongestConcession: tags.strongest_concession,
      counterToOpposition: tags.counter_to_opposition,
      riskIfWrong: tags.risk_if_wrong,
      recommend: token === undefined || recommends.length > 1 ? undefined : sideOf(token),
    };
  },
  verdict: (text, input) => {
    const numbers = debateNumbers(input);
    const { votes } = readJudgeVotes('judge', text, numbers);
    const verdicts = Object.entries(votes).map(([number, { vote, rationale }]) => ({
      decision: Number(number),
      vote,
      rationale: rationale || 'No reason was given.',
    }));
    return verdicts.length === 0 ? undefined : { verdicts };
  },
  plan: (text) => {
    const reading = readPlan(text);
    return reading.ok ? reading.plan : undefined;
  },
  revision: (text) => {
    const finding = /^[-* \t]*(FINDING_\d+)\**:\**[ \t]*(\S.*)$/gm;
    const reading = readPlan(text.replace(finding, ''));
    const resolutions = [...text.matchAll(/^[-* \t]*(FINDING_\d+)\**:\**[ \t]*(\S.*)$/gm)].map(
      ([, id, resolution]) => ({ id, resolution }),
    );
    return reading.ok ? { plan: reading.plan, resolutions } : undefined;
  },
  review: (text) => {
    // L-372, L-589: where no schema holds, a banner must not pass for a review.
    if (!checkSubstantive(text, 'validation').ok) return undefined;
    const reading = readFindings(text);
    return reading.ok ? { findings: reading.findings } : undefined;
  },
  vote: (text, input) => {
    const { votes } = readVotes(text, itemIds(input));
    const cast = Object.entries(votes).map(([id, { vote, reason }]) => ({
      id,
      vote,
      reason: reason || 'No reason was given.',
    }));
    return cast.length === 0 ? undefined : { votes: cast };
  },
  comparison: (text) => {
    const [first, ...others] = [...text.matchAll(choiceLine)].map(([, better = '', reason = '']) => ({
      better: better.toUpperCase(),
      reason: reason.trim() || 'No reason was given.',
    }));
    // A judge may quote a choice that a plan makes; two different choices are ambiguous.
    return others.every(({ better }) => better === first?.better) ? first : undefined;
  },
  diagram: (text) => {
    const fence = mermaidFences(text).find(({ closed }) => closed);
    return fence === undefined ? undefined : { mermaid: `${fence.lines.join('\n')}\n` };
  },
};

/**
 * The judgement that a plain-text answer holds, unchecked; `undefined` when this judgement has no text form, or when the
 * text was meant as JSON: what is broken or of the wrong form there has not turned into words.
 */
export function readTextAnswer(name: JudgementName, text: string, input: unknown): unknown {
  const keys = Object.keys(judgements[name].shape);
  return isMeantAsJson(text, keys) ? undefined : readers[name]?.(text, isRecord(input) ? input : {});
}

/**
 * Begins like an object or a list of values, in a fence or without one, ends within a fence of JSON, or opens an object with one of
 * the answer's keys. JSON that cannot be parsed is repaired, never read as text: the words around it do not count.
 */
function isMeantAsJson(text: string, keys: readonly string[]): boolean {
  if (/^\s*(?:(?:`{3,}|~{3,})\w*\s*)?(?:\{|\[\s*[{["])/.test(text)) return true;
  const names = keys.join('|');
  // Without quotes a key may be a snippet of code, unless the object begins its line.
  if (new RegExp(`\\{\\s*(["'])(?:${names})\\1\\s*:|^[ \\t]*\\{\\s*(?:${names})\\s*:`, 'm').test(text))
    return true;
  let open: { marks: string; json: boolean } | undefined;
  for (const line of toLines(text)) {
    const [, marks, info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (marks === undefined) continue;
    if (open === undefined) open = { marks, json: /^json/i.test(info) };
    else if (marks.startsWith(open.marks) && info.trim() === '') open = undefined;
  }
  return open?.json === true;
}

function firstSentence(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return (/^.{1,380}?[.!?](?= |$)/.exec(flat)?.[0] ?? flat.slice(0, 380)) || 'A sketch.';
}

/** The decisions on the ballot of a judge. */
export function debateNumbers(input: Record<string, unknown>): number[] {
  const debates = Array.isArray(input['debates']) ? input['debates'] : [];
  return debates.flatMap((debate) => {
    const number = isRecord(debate) ? debate['number'] : undefined;
    return typeof number === 'number' ? [number] : [];
  });
}

function itemIds(input: Record<string, unknown>): string[] {
  const items = Array.isArray(input['items']) ? input['items'] : [];
  return items.flatMap((item) => (isRecord(item) && typeof item['id'] === 'string' ? [item['id']] : []));
}

/** L-370: how much an answer must hold to be one. `validation` is for reviews, which may also find nothing. */
export const substantiveFloors = { research: 200, validation: 30 } as const;
export type SubstantiveMode = keyof typeof substantiveFloors;

export type SubstantiveVerdict = { ok: true } | { ok: false; reason: string };

/** L-370, L-371: whether a text is an answer and not a banner (F-05): enough words outside code, and one trace of where they come from. */
export function checkSubstantive(text: string, mode: SubstantiveMode): SubstantiveVerdict {
  if (mode === 'validation' && saysNoIssues(text)) return { ok: true };
  const { prose, hasCode } = splitFences(text);
  const words = countWords(prose);
  const floor = substantiveFloors[mode];
  if (words < floor) return { ok: false, reason: `${words} words, at least ${floor} are needed` };
  const traced =
    hasCode || pathsIn(text).length > 0 || /\bhttps?:\/\/[^\s<>"')\]]+\.[^\s<>"')\]]+/.test(text);
  return traced ? { ok: true } : { ok: false, reason: 'no file, code or address is named' };
}

/** L-373: a sketch is at least a paragraph: 80 words and the end of a sentence. */
export function checkSketchText(text: string): SubstantiveVerdict {
  const words = countWords(text);
  if (words < sketchFloor) return { ok: false, reason: `${words} words, at least ${sketchFloor} are needed` };
  return /[.!?。！？](?=\s|$|["'”’)\]*_`]|[^\x00-\x7f])/.test(text)
    ? { ok: true }
    : { ok: false, reason: 'no sentence ends' };
}

const sketchFloor = 80;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const longestCounted = 200_000;

/** Words of any script, also of those that write no spaces. */
export function countWords(text: string): number {
  let count = 0;
  for (const { isWordLike } of segmenter.segment(text.slice(0, longestCounted))) if (isWordLike) count += 1;
  return count;
}

function saysNoIssues(text: string): boolean {
  const first = toLines(text)
    .map(unwrapBold)
    .find((line) => line !== '');
  return first === 'NO_ISSUES_FOUND';
}

function splitFences(text: string): { prose: string; hasCode: boolean } {
  const prose: string[] = [];
  let fence: string | undefined;
  let hasCode = false;
  for (const line of toLines(text)) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark === undefined) prose.push(line);
    else if (fence === undefined) fence = mark;
    else if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length) fence = undefined;
    else if (line.trim() !== '') hasCode = true;
  }
  return { prose: prose.join('\n'), hasCode };
}
