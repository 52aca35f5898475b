import { isDeepStrictEqual } from 'node:util';
import { extractAnswer, readJsonAnswer, wantedBy } from '../../agents/extract-json.ts';
import type { Agent, JsonSchema, LaneResult } from '../../agents/port.ts';
import { isRecord } from '../../base/safe-json.ts';
import type { Defence, Side, Verdict } from '../../base/schema/judgements/debate.ts';
import type { Sketch, Synthesis } from '../../base/schema/judgements/design.ts';
import type { CodeReview, Exploration, LitePlanAnswer } from '../../base/schema/judgements/lite.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Revision, Vote } from '../../base/schema/judgements/review.ts';
import {
  type Judgement,
  type JudgementName,
  type JudgementReading,
  judgementJsonSchema,
  judgements,
  readJudgement,
} from '../../base/schema/judgements.ts';
import type { Complexity } from '../../base/schema/lite/plan.ts';
import { citationsIn, pathsIn } from '../../base/text/citations.ts';
import { toLines, unwrapBold } from '../../base/text/labelled-block.ts';
import { mermaidFences } from '../../plan/diagram.ts';
import type { DecidedPoint } from '../../plan/grounding/grounding.ts';
import { decisionProblems, planProblems, readPlan, revisionProblems } from '../../plan/plan-text.ts';
import { filesFromAnswer } from '../../plan/tasks/plan-files.ts';
import { checkSide, defenceReading, readDefence, sideOf } from '../defence.ts';
import { readFindings } from '../findings-text.ts';
import { readJudgeVotes, votesOfVerdict, withJudgeRepair } from '../judge.ts';
import { readSynthesisInWords, synthesisProblems } from '../sketch.ts';
import { readVotes, votesOf, withRepair } from '../vote.ts';
import type { AnswerForm } from './call.ts';

/** Demands on an answer that its schema cannot express: the problems, none when it is right. */
export type AnswerCheck<Name extends JudgementName> = (
  value: Judgement<Name>,
  input: Record<string, unknown>,
) => string[];

/** By task. */
type Check = (value: never, input: Record<string, unknown>) => string[];

const checks: Readonly<Record<string, Check>> = {
  // L-373: at least a paragraph.
  sketch: (value: Sketch) => {
    const verdict = checkSketchText(value.approach);
    return verdict.ok ? [] : [`approach: ${verdict.reason}`];
  },
  // L-451, L-453: highlights where they were asked for, seats that sketched, two sides to every decision.
  synthesis: (value: Synthesis, input) =>
    synthesisProblems(value, {
      labels: seatsIn(input['sketches']),
      highlights: input['highlights'] === true,
    }),
  // L-566: the plan can go to review.
  plan: (value: Plan, input) => planProblems(value, { decided: decidedIn(input) }),
  // L-690, L-698: every accepted finding is dealt with, and nothing else; L-562: voted resolutions are still followed.
  'revise-plan': (value: Revision, input) => {
    const accepted = idsOf(input['accepted']);
    return [
      ...(accepted.length === 0 ? [] : revisionProblems(accepted, input['plan'] as Plan, value)),
      ...decisionProblems(value.plan, decidedIn(input)),
    ];
  },
  // L-501: a defence that could not go before the judges gets its corrective turn.
  'debate-thesis': (value: Defence) => sideProblems(value, 'THESIS'),
  'debate-antithesis': (value: Defence) => sideProblems(value, 'ANTI_THESIS'),
  // C-21: a missing line, or two that differ, is a fault of the voter and gets the repair turn.
  vote: (value: Vote, input) => {
    const { missing } = votesOf(value, idsOf(input['items']));
    return missing.length === 0 ? [] : [unclearVotes(missing)];
  },
  // L-518: before a decision without a clear vote is an abstention, the judge is asked once more.
  judge: (value: Verdict, input) => {
    const numbers = debateNumbers(input);
    const { votes } = votesOfVerdict('', value, numbers);
    const missing = numbers.filter((number) => votes[number] === undefined);
    return missing.length === 0 ? [] : [unclearVotes(missing.map((number) => `DECISION_${number}`))];
  },
  // P-046: a reason is more than a word.
  explore: (value: Exploration) =>
    (value.relevant_files ?? [])
      .filter(({ rationale }) => rationale.length < 10)
      .map(({ path }) => `relevant_files ${path}: the rationale says too little`),
  // P-068, P-069: tasks that can be executed and checked.
  'lite-plan': (value: LitePlanAnswer, input) => {
    const facts = { session: 'check', timestamp: 'now', angles: [], baseCommit: undefined };
    const complexity = (input['complexity'] as Complexity | undefined) ?? 'Medium';
    const quality = filesFromAnswer(value, { ...facts, complexity }).plan._metadata.quality_check;
    return [...(quality?.critical ?? []), ...(quality?.minor ?? [])];
  },
  // P-150: a criterion without a verdict is not verified.
  'code-review': (value: CodeReview, input) => {
    const said = new Set(value.criteria.map(({ task_id, number }) => `${task_id}#${number}`));
    const missing = idsOf(input['criteria']).filter((id) => !said.has(id));
    return missing.length === 0 ? [] : [`criteria ${missing.join(', ')} are missing`];
  },
  // C-32: every id exactly once.
  'merge-findings': (value: { clusters: { ids: string[] }[] }, input) => {
    const given = value.clusters.flatMap(({ ids }) => ids);
    const wanted = idsOf(input['items']);
    const problems = wanted.filter((id) => given.filter((other) => other === id).length !== 1);
    const unknown = given.filter((id) => !wanted.includes(id));
    return [
      ...(problems.length === 0 ? [] : [`each of ${problems.join(', ')} must be in exactly one cluster`]),
      ...(unknown.length === 0 ? [] : [`${unknown.join(', ')} are not among the findings`]),
    ];
  },
};

/** What a repair turn adds to an answer that was right as far as it went; elsewhere it takes its place. */
const completions: Readonly<Record<string, (first: never, repair: never) => unknown>> = {
  vote: withRepair,
  judge: withJudgeRepair,
};

/** Tasks whose answer is of no use when it fails its check; for the others the rest of the run copes with what there is. */
const strict: readonly string[] = ['sketch', 'evaluate'];

/** The answer of a task as a judgement of this name. `check`: demands of a workflow's own task. */
export function judgementForm<Name extends JudgementName>(
  judgement: Name,
  { kind, facts, check }: { kind: string; facts: unknown; check?: AnswerCheck<Name> | undefined },
): AnswerForm<Judgement<Name>> {
  const schema = judgementJsonSchema(judgement);
  const input = isRecord(facts) ? facts : {};
  const demands = check ?? (Object.hasOwn(checks, kind) ? (checks[kind] as AnswerCheck<Name>) : undefined);
  const complete = Object.hasOwn(completions, kind) ? completions[kind] : undefined;
  return {
    schema,
    strict: strict.includes(kind),
    find: (agent, result, prompt) => findJudgement(agent, result, { judgement, prompt, input, schema }),
    check(answer, earlier) {
      try {
        const reading = readJudgement(judgement, answer);
        if (!reading.ok) return { problems: reading.problems };
        const completed =
          earlier === undefined || complete === undefined
            ? reading.value
            : complete(earlier as never, reading.value as never);
        const value = completed as Judgement<Name>;
        return { value, problems: problemsIn(() => demands?.(value, input) ?? []) };
      } catch (error) {
        return { problems: [unreadable(error)] };
      }
    },
  };
}

function problemsIn(check: () => string[]): string[] {
  try {
    return check();
  } catch (error) {
    return [unreadable(error)];
  }
}

function unclearVotes(ids: readonly string[]): string {
  return `votes on ${ids.join(', ')} are missing or contradict each other`;
}

function sideProblems(defence: Defence, side: Side): string[] {
  const failure = checkSide(defenceReading(defence), side);
  return failure === undefined ? [] : [`${failure.reason}: ${failure.detail}`];
}

function decidedIn({ decided }: Record<string, unknown>): DecidedPoint[] {
  return Array.isArray(decided) ? (decided as DecidedPoint[]) : [];
}

function seatsIn(sketches: unknown): string[] {
  return Array.isArray(sketches)
    ? sketches.flatMap((item) => (isRecord(item) && typeof item['seat'] === 'string' ? [item['seat']] : []))
    : [];
}

function idsOf(list: unknown): string[] {
  return Array.isArray(list)
    ? list.flatMap((item) => (isRecord(item) && typeof item['id'] === 'string' ? [item['id']] : []))
    : [];
}

type Asked = {
  judgement: JudgementName;
  /** What the agent was asked: all JSON in it is by others. */
  prompt: string;
  input: unknown;
  schema: JsonSchema;
};

/**
 * Reads the judgement out of an answer, before the answer is saved. JSON goes first, and words around it never count. An answer
 * without any JSON is read as plain text, but only from an agent whose end of answer is reliable: half a text looks like a whole one.
 */
export function findJudgement(
  { capabilities }: Pick<Agent, 'capabilities'>,
  result: LaneResult,
  asked: Asked,
): LaneResult {
  const { message: _, value, ...answer } = result;
  if (result.kind !== 'ok' && result.kind !== 'bad_output') return result;
  try {
    const { judgement, schema, prompt } = asked;
    // Some programs give the value next to the text; it is final.
    if (value !== undefined && !isDeepStrictEqual(extractAnswer(result.text, schema), value)) return result;
    const inJson = readJsonAnswer(result.text, {
      ...wantedBy(schema),
      fits: (each) => readJudgement(judgement, each).ok,
      shown: [prompt],
      whole: ballots.includes(judgement),
    });
    if (inJson.kind === 'found') return { ...answer, kind: 'ok', value: inJson.value };
    // The repair turn says what is wrong with it.
    if (inJson.kind === 'unfit') return { ...result, value: inJson.value };
    if (inJson.kind === 'repeated') return { ...answer, kind: 'bad_output', message: repetition };
    if (inJson.kind === 'cut-off') return { ...answer, kind: 'bad_output', message: 'The JSON is cut off.' };
    if (inJson.value !== undefined && ballots.includes(judgement)) return result;
    const inText = textReading(result.text, asked);
    return inText.ok && capabilities.trust === 'terminal-event'
      ? { ...answer, kind: 'ok', value: inText.value }
      : result;
  } catch (error) {
    return { ...result, kind: 'bad_output', message: unreadable(error) };
  }
}

/** These need no snippets: any object in such an answer is meant as the answer, also one of the wrong form. */
const ballots: readonly JudgementName[] = ['vote', 'verdict', 'comparison'];

const repetition = 'The JSON in the answer only repeats what was shown.';

/** A text made to break its reader is a bad answer of one lane, not the end of the run. */
function unreadable(error: unknown): string {
  return `the answer cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

function textReading(text: string, { judgement, input }: Asked): JudgementReading<unknown> {
  if (text.trim() === '') return { ok: false, problems: [] };
  return readJudgement(judgement, readTextAnswer(judgement, text, input));
}

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
