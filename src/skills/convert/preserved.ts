import { createHash } from 'node:crypto';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { type Document, fenceAt, lineKind, lineText } from '../document/document.ts';
import { parseDocument } from '../document/parse.ts';

/** S-072: the conversion report is a file of the package, so that it moves with it. */
export const reportFile = 'conversion-report.json';

/** Blocks of a package file that a conversion copied from one source, as hashes of their lines. */
export type Preserved = { file: string; source: string; blocks: readonly string[] };

/** The block of each line: a fence, a heading, or a run of lines without a blank one. */
function blocksByLine(document: Document): (string | undefined)[] {
  const { kinds } = document;
  const found: (string | undefined)[] = kinds.map(() => undefined);
  for (let line = 0; line < kinds.length; line += 1) {
    if (kinds[line] === lineKind.blank) continue;
    const end = blockEnd(document, line);
    const lines = Array.from({ length: end - line }, (_, index) =>
      lineText(document, line + index).trimEnd(),
    );
    found.fill(createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16), line, end);
    line = end - 1;
  }
  return found;
}

function blockEnd(document: Document, start: number): number {
  const { kinds } = document;
  const fence = fenceAt(document, start);
  if (fence !== undefined) return fence.closeLine + 1;
  let end = start + 1;
  if (kinds[start] === lineKind.heading) return end;
  const ends = [lineKind.blank, lineKind.heading, lineKind.fenceMark] as readonly (number | undefined)[];
  while (end < kinds.length && !ends.includes(kinds[end])) end += 1;
  return end;
}

/** Hashes of all blocks of a text, each once. */
export function blockHashes(text: string): string[] {
  return [...new Set(blocksByLine(parseDocument('text.md', text)))].filter((hash) => hash !== undefined);
}

/** Where the text of a line was copied from; undefined when it was written or edited here. */
export type OriginOf = (file: string, line: number) => string | undefined;

/** Reads the report of a package and tells copied lines from others. */
export function originsIn(report: string | undefined, documents: readonly Document[]): OriginOf {
  const sources = new Map(
    readPreserved(report).flatMap(({ file, source, blocks }) =>
      blocks.map((hash) => [`${file} ${hash}`, source] as const),
    ),
  );
  if (sources.size === 0) return () => undefined;
  const lines = new Map(documents.map((document) => [document.path, blocksByLine(document)]));
  return (file, line) => sources.get(`${file} ${lines.get(file)?.[line] ?? ''}`);
}

function readPreserved(report: string | undefined): Preserved[] {
  const reading = report === undefined ? undefined : readJson(report);
  const list = reading?.ok === true && isRecord(reading.value) ? reading.value['preserved'] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item): Preserved[] => {
    if (!isRecord(item) || !Array.isArray(item['blocks'])) return [];
    return [
      { file: String(item['file']), source: String(item['source']), blocks: item['blocks'].map(String) },
    ];
  });
}
