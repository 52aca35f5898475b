import { pathsIn } from '../base/text/citations.ts';
import { toLines, unwrapBold } from '../base/text/labelled-block.ts';

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
