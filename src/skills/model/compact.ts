import { type Document, lineKind, lineText } from '../../base/markdown/document.ts';

export type Sentinel = {
  line: number;
  endLine: number;
  phase: string | undefined;
  name: string | undefined;
  count: number | undefined;
  first: string | undefined;
  last: string | undefined;
  recovery: string | undefined;
};

export type Checkpoint = {
  line: number;
  endLine: number;
  /** Names that the phase must be in progress. */
  namesStatus: boolean;
  /** Names that the steps must be fully present. */
  namesProtocol: boolean;
  recovery: string | undefined;
};

export type CompactMarks = {
  sentinel: Sentinel | undefined;
  checkpoints: readonly Checkpoint[];
  /** Line of the directive blockquote. */
  directive: number | undefined;
  legacy: readonly LegacyMark[];
};

/** S-089: a mark of the older three-layer form: its directive, its anchor text, its one-line checkpoint or its handoff comment. */
export type LegacyMark = {
  form: 'directive' | 'anchor' | 'checkpoint' | 'comment';
  line: number;
  endLine: number;
};

const readPath = /Read\(\s*["'`]([^"'`\n]{1,300})["'`]\s*\)/;
/** The older checkpoint names its file without a call. */
const rereadPath = /\bre-?read\s+`([^`\s{}<>$*]{1,300}\.md)`/i;
const range = /step\s+(\w+(?:\.\w+)*)\s*(?:—|–|--|-|to|→)\s*(?:step\s+)?(\w+(?:\.\w+)*)/i;

/** S-080…S-089: sentinel, checkpoints, directive and marks of the older form, in file order. */
export function readCompactMarks(document: Document): CompactMarks {
  let sentinel: Sentinel | undefined;
  const checkpoints: Checkpoint[] = [];
  let directive: number | undefined;
  const legacy: LegacyMark[] = [];
  for (const { line, endLine, text } of document.quotes) {
    if (/COMPACT\s+PROTECTION/i.test(text)) legacy.push({ form: 'directive', line, endLine });
    if (/COMPACT\s+DIRECTIVE/i.test(text)) directive ??= line;
    if (/COMPACT\s+SENTINEL/i.test(text)) sentinel ??= readSentinel(line, endLine, text);
    else if (/\bCHECKPOINT\b/.test(text)) {
      checkpoints.push(readCheckpoint(line, endLine, text));
      if (endLine === line + 1 && /\bonly (?:a |the )?summary remains\b/i.test(text))
        legacy.push({ form: 'checkpoint', line, endLine });
    }
  }
  legacy.push(...readAnchors(document), ...readHandoffComments(document));
  return { sentinel, checkpoints, directive, legacy };
}

/** The paragraph below the phase table that forbids to compress one phase. */
function readAnchors(document: Document): LegacyMark[] {
  if (!document.text.includes(' Compact Rule**')) return [];
  return document.kinds.flatMap((kind, line): LegacyMark[] =>
    kind === lineKind.text && /^\*\*Phase \d+ Compact Rule\*\*/.test(lineText(document, line))
      ? [{ form: 'anchor', line, endLine: line + 1 }]
      : [],
  );
}

const commentHead = /^\s*(?:\/\/|#)\s*/;

/** The comment above the `Read` of a handoff. Markdown fences and "Phase N" are templates. */
function readHandoffComments(document: Document): LegacyMark[] {
  if (!document.text.includes('COMPACT PROTECTION')) return [];
  return document.fences.flatMap(({ language, openLine, closeLine }): LegacyMark[] => {
    if (language === 'md' || language === 'markdown') return [];
    const found: LegacyMark[] = [];
    for (let line = openLine + 1; line < closeLine; line += 1) {
      const text = lineText(document, line);
      if (!commentHead.test(text) || !/COMPACT PROTECTION/.test(text) || /\bPhase N\b/.test(text)) continue;
      let endLine = line + 1;
      while (
        endLine < closeLine &&
        /^\s*(?:\/\/|#).*(?:\bcompact|\bre-?read\b)/i.test(lineText(document, endLine))
      )
        endLine += 1;
      found.push({ form: 'comment', line, endLine });
    }
    return found;
  });
}

function readSentinel(line: number, endLine: number, text: string): Sentinel {
  const title = /\[\s*Phase\s+([\d.]+)\s*(?:[::]\s*([^\]\n]*))?\]/i.exec(text);
  const count =
    /(?<!\d)(\d{1,6})\s+(?:execution\s+)?steps?\b/i.exec(text) ??
    /(?<!\d)(\d{1,6})\s*个[^\n]{0,12}(?:step|步)/i.exec(text);
  const span = range.exec(text);
  return {
    line,
    endLine,
    phase: title?.[1],
    name: title?.[2]?.trim(),
    count: count?.[1] === undefined ? undefined : Number(count[1]),
    first: span?.[1],
    last: span?.[2],
    recovery: readPath.exec(text)?.[1],
  };
}

function readCheckpoint(line: number, endLine: number, text: string): Checkpoint {
  return {
    line,
    endLine,
    namesStatus: /in_progress|in progress/i.test(text),
    namesProtocol:
      /\bsteps?\b|protocol/i.test(text) &&
      /active memory|fully|full\b|complete|whole|present|in context/i.test(text),
    recovery: (readPath.exec(text) ?? rereadPath.exec(text))?.[1],
  };
}

/** S-080…S-087: the texts of compact recovery. Readers key on their words; tests pin them. */

export const directiveText = [
  '> **⚠️ COMPACT DIRECTIVE**: Context compression MUST check TodoWrite phase status.',
  '> The phase currently marked `in_progress` is the active execution phase — preserve its FULL content.',
  '> Only compress phases marked `completed` or `pending`.',
].join('\n');

export function compactCell(guarded: boolean): string {
  return guarded ? 'TodoWrite 驱动 + 🔄 sentinel' : 'TodoWrite 驱动';
}

export function compactRules(example: string): string {
  return [
    '**Compact Rules**:',
    '',
    '1. **TodoWrite `in_progress`** → keep the whole phase document, never compress it',
    '2. **TodoWrite `completed`** → may be reduced to a summary',
    `3. **🔄 sentinel fallback** → when only the sentinel is left of a phase, run \`Read("${example}")\` (with that phase's path) at once, before the next step`,
  ].join('\n');
}

export type SentinelFacts = {
  number: number;
  name: string;
  path: string;
  count: number;
  first: string;
  last: string;
};

export function sentinelText({ number, name, path, count, first, last }: SentinelFacts): string {
  const range = count === 0 ? '' : ` (Step ${first} — ${last})`;
  return [
    `> **📌 COMPACT SENTINEL [Phase ${number}: ${name}]**`,
    `> This phase contains ${count} execution steps${range}.`,
    '> If you can read this sentinel but cannot find the full Step protocol below, context has been compressed.',
    `> Recovery: \`Read("${path}")\``,
  ].join('\n');
}

export function checkpointText({ first, last, path }: { first: string; last: string; path: string }): string {
  return [
    '> **⚠️ CHECKPOINT**: Before proceeding, verify:',
    '> 1. This phase is TodoWrite `in_progress` (active phase protection)',
    `> 2. Full protocol (Step ${first} — ${last}) is in active memory, not just sentinel`,
    `> If only sentinel remains → \`Read("${path}")\` now.`,
  ].join('\n');
}

/** The comment above the `Read` of a handoff (S-087), without the marks of a comment. */
export function handoffComment(phase: string): string[] {
  const subject = /^\d/.test(phase) ? `Phase ${phase}` : phase;
  return [
    `${subject} is tracked by TodoWrite: active phase protection applies.`,
    'Sentinel fallback: if it was compressed anyway, read it again.',
  ];
}

export function handoffText(number: number, path: string): string {
  return [...handoffComment(String(number)).map((line) => `// ${line}`), `Read("${path}")`].join('\n');
}
