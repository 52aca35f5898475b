import {
  type Finding,
  type FocusArea,
  focusAreas,
  type Severity,
  severities,
} from '../base/schema/judgements/review.ts';
import { tidyLine, tidyProse } from '../base/schema/primitives.ts';
import { citationsIn } from '../base/text/citations.ts';
import { splitLabel, toLines, unwrapBold } from '../base/text/labelled-block.ts';

/** One finding of an answer in text, before anything in it is understood. */
export type FindingItem = { outOfScope: boolean; lines: string[] };

/** L-584: the mark of what is worth tracking but not for this change. */
export const outOfScopeTag = /^(?:\*\*|__)?\[OUT_OF_SCOPE\](?:\*\*|__)?:?\s*/i;

const areas = focusAreas.join('|');
const leadingArea = new RegExp(`^(?:\\*\\*|\`|\\[|\\()+(?:${areas})\\b`, 'i');

/** Cuts an answer into its findings: numbered items, `FINDING_1:` blocks, tagged bullets or headings, in one list or in two. */
export function splitItems(text: string): FindingItem[] {
  const items: FindingItem[] = [];
  let outOfScope = false;
  let fenced = false;
  let body: Body = 'none';
  let before = '';
  for (const line of toLines(text)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const start = fenced ? undefined : itemStart(line);
    const section = fenced || start ? undefined : sectionScope(line);
    if (section !== undefined) outOfScope = section === 'out';
    if (start) {
      items.push({ outOfScope: outOfScope || start.outOfScope, lines: [start.rest] });
      body = 'none';
    } else if (
      section !== undefined ||
      (!fenced && (/^#{1,6}\s/.test(line) || isAfterword(line, before, body)))
    ) {
      body = 'closed';
    }
    if (!start && body !== 'closed') {
      items.at(-1)?.lines.push(line);
      body = bodyAfter(body, line);
    }
    before = line;
  }
  return items;
}

/** The lines below the first line of an item: none yet, only indented ones, some at the margin; `closed`: no more. */
type Body = 'none' | 'indented' | 'margin' | 'closed';

function bodyAfter(body: Body, line: string): Body {
  if (line.trim() === '' || body === 'margin') return body;
  return /^\s{2}/.test(line) ? 'indented' : 'margin';
}

/** Closing words after a list whose items are indented: a new paragraph at the margin that is not a label. */
function isAfterword(line: string, before: string, body: Body): boolean {
  const newParagraph = before.trim() === '' && !/^\s*$|^\s{2}|^[-*+]\s/.test(line);
  return newParagraph && body === 'indented' && splitLabel(line) === undefined;
}

function itemStart(line: string): { rest: string; outOfScope: boolean } | undefined {
  const [, title] = /^#{2,5}\s+(\S.*)$/.exec(line) ?? [];
  if (title !== undefined) {
    return (
      numbered(title, true) ?? (leadingArea.test(title) ? { rest: title, outOfScope: false } : undefined)
    );
  }
  const [, bullet] = /^[-*+]\s+(\S.*)$/.exec(line) ?? [];
  if (bullet !== undefined) {
    return outOfScopeTag.test(bullet) || leadingArea.test(bullet)
      ? { rest: bullet, outOfScope: false }
      : undefined;
  }
  return numbered(line, false);
}

/** `1. title`, `**2) title**`, `Finding 3 — title`, `OOS_1: title`. */
function numbered(text: string, heading: boolean): { rest: string; outOfScope: boolean } | undefined {
  const named = /^(?:\*\*)?(FINDING|OOS)[_ ]?#?\d{1,3}\s?[.):—–-](?:\*\*)?\s*(\S.*)$/i.exec(text);
  if (named) return { rest: named[2] ?? '', outOfScope: named[1]?.toUpperCase() === 'OOS' };
  const plain = (
    heading ? /^(?:\*\*)?\d{1,3}[.):](?:\*\*)?\s*(\S.*)$/ : /^(?:\*\*)?\d{1,3}[.):](?:\*\*)?\s+(\S.*)$/
  ).exec(text);
  return plain ? { rest: plain[1] ?? '', outOfScope: false } : undefined;
}

function sectionScope(line: string): 'in' | 'out' | undefined {
  const title = /^(?:#{1,6}\s+|\*\*)(.*?)(?:\*\*)?:?$/s.exec(line.trimEnd())?.[1]?.toLowerCase() ?? '';
  if (/\bout[- ]of[- ]scope\b/.test(title)) return 'out';
  return /\bin[- ]scope\b/.test(title) ? 'in' : undefined;
}

/** L-584: the whole answer of a reviewer that found nothing. */
export const noIssuesFound = 'NO_ISSUES_FOUND';

export type FindingsReading =
  | { ok: true; findings: Finding[] }
  /** The answer has text but no finding can be made out; never taken for "no issues" (F-23). */
  | { ok: false; problem: string };

const noSuggestion = 'No revision was suggested.';

/** L-590, L-379: findings out of a numbered list, blocks, or the two lists of in-scope findings and observations. */
export function readFindings(text: string): FindingsReading {
  const first = toLines(text)
    .map((line) => unwrapBold(line))
    .find((line) => line !== '');
  if (first === undefined) return { ok: false, problem: 'the answer is empty' };
  const items = splitItems(text);
  if (items.length > 0) return { ok: true, findings: items.map(readItem) };
  const says = toLines(text).some((line) => unwrapBold(line).replace(/[.`]/g, '') === noIssuesFound);
  if (says) return { ok: true, findings: [] };
  return {
    ok: false,
    problem: `neither a numbered finding nor ${noIssuesFound} in ${text.length} characters`,
  };
}

/** L-584: a reviewer's findings as one numbered list, or the words for none. */
export function renderFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return `${noIssuesFound}\n`;
  return findings
    .map(({ title, focusArea, severity, concern, suggestedRevision, citations, outOfScope }, index) => {
      const places = citations.map(({ file, line, endLine }) => `${file}:${line}-${endLine ?? line}`);
      const fields = [
        `- **Concern**: ${concern}`,
        `- **Suggested revision**: ${suggestedRevision}`,
        ...(places.length === 0 ? [] : [`- **Location**: ${places.join(', ')}`]),
      ];
      const head = `${index + 1}. ${outOfScope ? '[OUT_OF_SCOPE] ' : ''}**${focusArea}** [${severity}] ${title}`;
      return `${head}\n${fields.join('\n').replace(/^(?=.)/gm, '   ')}\n`;
    })
    .join('\n');
}

function readItem({ outOfScope, lines }: FindingItem): Finding {
  const text = tidyProse(lines.join('\n'));
  const tagged = outOfScopeTag.test(text);
  const body = text.replace(outOfScopeTag, '');
  const parts = labelled(body);
  const [concern, inline] = splitSuggestion(parts.concern || parts.lead || body);
  const title = titleOf(parts.lead || parts.concern || body);
  return {
    title,
    focusArea: areaOf(body),
    severity: severityOf(body),
    concern: cut(concern || title, 8000),
    suggestedRevision: cut(parts.suggestion || inline || noSuggestion, 8000),
    citations: citationsIn(body)
      .slice(0, 40)
      .map(({ file, line, endLine }) => ({ file, line, endLine: endLine ?? null, quote: null })),
    outOfScope: outOfScope || tagged,
  };
}

const labels: readonly [RegExp, 'concern' | 'suggestion' | 'other'][] = [
  [/^(?:concern|problem|issue|what|description)$/i, 'concern'],
  [/^(?:suggested (?:revision|fix|change)|suggestion|revision|fix|recommendation)$/i, 'suggestion'],
  [/^(?:focus[- ]area|focus|severity|location|files?|tag)$/i, 'other'],
];

function labelled(body: string): { lead: string; concern: string; suggestion: string } {
  const parts = {
    lead: [] as string[],
    concern: [] as string[],
    suggestion: [] as string[],
    other: [] as string[],
  };
  let current: keyof typeof parts = 'lead';
  for (const line of body.split('\n')) {
    const found = splitLabel(line.trimStart());
    const kind = labels.find(([pattern]) => found && pattern.test(found.label))?.[1];
    if (kind) current = kind;
    parts[current].push(kind && found ? found.rest : line.replace(/^ {2,4}/, ''));
  }
  const join = (lines: string[]) => tidyProse(lines.join('\n'));
  return { lead: join(parts.lead), concern: join(parts.concern), suggestion: join(parts.suggestion) };
}

/** `… Suggested revision: …` in the middle of a line. */
function splitSuggestion(text: string): [concern: string, suggestion: string] {
  const match = /\s\**(?:Suggested(?: (?:revision|fix|change))?|Suggestion|Fix)\**:\**\s/i.exec(text);
  if (!match) return [text, ''];
  return [text.slice(0, match.index).trim(), text.slice(match.index + match[0].length).trim()];
}

const tagWords = [...focusAreas, ...severities].join('|');
const tagsBefore = new RegExp(
  `^(?:[\\s*_\`[(]*(?:focus-area\\s*[:=]\\s*)?(?:${tagWords})[\\]*_\`)]*[\\s:—–-]*)+`,
  'i',
);
const tagsAfter = new RegExp(`\\s*[[(](?:focus-area\\s*[:=]\\s*)?(?:${tagWords})[\\])]\\s*$`, 'i');

function titleOf(text: string): string {
  const [firstLine = ''] = text.split('\n');
  const plain = tidyLine(firstLine.slice(0, 1000))
    .replace(/[*_]{2}/g, '')
    .replace(tagsBefore, '')
    .replace(tagsAfter, '');
  const sentence = /^(.{3,}?)(?:\s[—–-]\s|[.!?](?=\s|$)|:\s)/.exec(plain)?.[1] ?? plain;
  return cut(tidyLine(sentence) || 'Untitled finding', 200);
}

function areaOf(text: string): FocusArea {
  const pattern = new RegExp(`(?<![A-Za-z-])(${focusAreas.join('|')})(?![A-Za-z-])`, 'i');
  const tagged = new RegExp(`focus[- ]area\\W{1,6}(${focusAreas.join('|')})(?![A-Za-z-])`, 'i').exec(
    text,
  )?.[1];
  const found = (tagged ?? pattern.exec(text.split('\n')[0] ?? '')?.[1] ?? 'correctness').toLowerCase();
  return focusAreas.find((area) => area === found) ?? 'correctness';
}

function severityOf(text: string): Severity {
  const found = new RegExp(`(?:severity\\W{1,6}|\\[|\\*\\*)(${severities.join('|')})\\b`, 'i').exec(
    text,
  )?.[1];
  return severities.find((severity) => severity.toLowerCase() === found?.toLowerCase()) ?? 'Important';
}

function cut(text: string, maximum: number): string {
  return text.length <= maximum ? text : `${text.slice(0, maximum - 1).toWellFormed()}…`;
}
