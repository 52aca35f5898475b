import {
  type Finding,
  type FocusArea,
  focusAreas,
  type Severity,
  severities,
} from '../schema/judgements/finding.ts';
import { tidyLine, tidyProse } from '../schema/primitives.ts';
import { citationsIn } from '../text/citations.ts';
import { splitLabel, toLines, unwrapBold } from '../text/labelled-block.ts';

/** L-584: the whole answer of a reviewer that found nothing. */
export const noIssuesFound = 'NO_ISSUES_FOUND';

export type FindingsReading =
  | { ok: true; findings: Finding[] }
  /** The answer has text but no finding can be made out; never taken for "no issues" (F-23). */
  | { ok: false; problem: string };

const outOfScopeTag = /^(?:\*\*|__)?\[OUT_OF_SCOPE\](?:\*\*|__)?:?\s*/i;
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

type Item = { outOfScope: boolean; lines: string[] };

function splitItems(text: string): Item[] {
  const items: Item[] = [];
  let outOfScope = false;
  let fenced = false;
  for (const line of toLines(text)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const start = fenced ? undefined : itemStart(line);
    const section = fenced || start !== undefined ? undefined : sectionScope(line);
    if (section !== undefined) outOfScope = section === 'out';
    else if (start !== undefined)
      items.push({ outOfScope: outOfScope || start.outOfScope, lines: [start.rest] });
    else if (!/^#{1,6}\s/.test(line) || fenced) items.at(-1)?.lines.push(line);
  }
  return items;
}

function itemStart(line: string): { rest: string; outOfScope: boolean } | undefined {
  const heading = /^#{2,5}\s+(?:\*\*)?(?:(FINDING|OOS)[_ ]?\d{1,3}|\d{1,3})[.):]\s*(.*?)(?:\*\*)?$/i.exec(
    line,
  );
  if (heading) return { rest: heading[2] ?? '', outOfScope: heading[1]?.toUpperCase() === 'OOS' };
  const numbered = /^(?:\*\*)?(?:(FINDING|OOS)[_ ]?)?\d{1,3}[.):](?:\*\*)?\s+(\S.*)$/i.exec(line);
  if (numbered) return { rest: numbered[2] ?? '', outOfScope: numbered[1]?.toUpperCase() === 'OOS' };
  const bullet = /^[-*+]\s+(\S.*)$/.exec(line)?.[1];
  return bullet !== undefined && (outOfScopeTag.test(bullet) || leadingArea(bullet))
    ? { rest: bullet, outOfScope: false }
    : undefined;
}

function sectionScope(line: string): 'in' | 'out' | undefined {
  const title = /^(?:#{1,6}\s+|\*\*)(.*?)(?:\*\*)?:?\s*$/.exec(line)?.[1]?.toLowerCase() ?? '';
  if (/\bout[- ]of[- ]scope\b/.test(title)) return 'out';
  return /\bin[- ]scope\b/.test(title) ? 'in' : undefined;
}

function leadingArea(text: string): boolean {
  return new RegExp(`^(?:\\*\\*|\`|\\[|\\()+(?:${focusAreas.join('|')})\\b`, 'i').test(text);
}

function readItem({ outOfScope, lines }: Item): Finding {
  const text = tidyProse(lines.join('\n'));
  const tagged = outOfScopeTag.test(text);
  const body = text.replace(outOfScopeTag, '');
  const parts = labelled(body);
  const title = titleOf(parts.lead || parts.concern || body);
  return {
    title,
    focusArea: areaOf(body),
    severity: severityOf(body),
    concern: cut(parts.concern || parts.lead || body || title, 8000),
    suggestedRevision: cut(parts.suggestion || noSuggestion, 8000),
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

function titleOf(text: string): string {
  const plain = tidyLine(text)
    .replace(
      new RegExp(
        `^(?:[\\s*_\`[(]*(?:focus-area\\s*[:=]\\s*)?(?:${[...focusAreas, ...severities].join('|')})[\\]*_\`)]*[\\s:—–-]*)+`,
        'i',
      ),
      '',
    )
    .replace(/[*_]{2}/g, '');
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
