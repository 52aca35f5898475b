import type { Document } from '../document/document.ts';

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
  /** Lines of the older three-layer form. */
  legacy: readonly number[];
};

const readPath = /Read\(\s*["'`]([^"'`\n]{1,300})["'`]\s*\)/;
const range = /step\s+(\w+(?:\.\w+)*)\s*(?:—|–|--|-|to|→)\s*(?:step\s+)?(\w+(?:\.\w+)*)/i;

/** S-080…S-089: sentinel, checkpoints, directive and leftovers of the older form, from the blockquotes of a file. */
export function readCompactMarks(document: Document): CompactMarks {
  let sentinel: Sentinel | undefined;
  const checkpoints: Checkpoint[] = [];
  let directive: number | undefined;
  const legacy: number[] = [];
  for (const { line, endLine, text } of document.quotes) {
    if (/COMPACT\s+PROTECTION/i.test(text)) legacy.push(line);
    if (/COMPACT\s+DIRECTIVE/i.test(text)) directive ??= line;
    if (/COMPACT\s+SENTINEL/i.test(text)) sentinel ??= readSentinel(line, endLine, text);
    else if (/\bCHECKPOINT\b/.test(text)) checkpoints.push(readCheckpoint(line, endLine, text));
  }
  return { sentinel, checkpoints, directive, legacy };
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
    recovery: readPath.exec(text)?.[1],
  };
}
