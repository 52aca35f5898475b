import { createHash } from 'node:crypto';
import { type Document, fenceAt, lineKind, linesText, lineText } from '../../base/markdown/document.ts';
import { parseDocument } from '../../base/markdown/parse.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { findCalls } from '../model/calls.ts';
import { closeFence } from './source-part.ts';

/** C-02: the only edits a conversion may make. Each is recorded one by one. */
export const allowedEdits = [
  'frontmatter-removed',
  'title-removed',
  'argument-access',
  'self-routing',
  'invocation-removed',
  'provenance-removed',
  'compact-migrated',
  'step-renumbered',
  'moved-to-skill',
] as const;

type EditKind = (typeof allowedEdits)[number];

/** One recorded change: the text of the source and the text in the phase. */
export type Edit = { kind: EditKind; line: number; before: string; after: string };

/** The lines that a change took away, as edits of one kind. */
export function droppedLines(kind: EditKind, before: string, after: string): Edit[] {
  const left = new Map<string, number>();
  for (const line of after.split('\n')) left.set(line.trimEnd(), (left.get(line.trimEnd()) ?? 0) + 1);
  return before.split('\n').flatMap((line, index): Edit[] => {
    const count = left.get(line.trimEnd()) ?? 0;
    if (count > 0) left.set(line.trimEnd(), count - 1);
    return count > 0 || line.trim() === '' ? [] : [{ kind, line: index, before: `${line}\n`, after: '' }];
  });
}

type Measures = {
  lines: number;
  fences: number;
  agentCalls: number;
  shellBlocks: number;
  tableRows: number;
  questions: number;
};

/** S-068: what a body is made of, counted. */
export function measure(body: string): Measures {
  const document = parseDocument('body.md', body);
  return {
    lines: body === '' ? 0 : body.trimEnd().split('\n').length,
    fences: document.fences.length,
    agentCalls: agentCallCount(body),
    shellBlocks: document.fences.filter(({ language }) => /^(?:bash|sh|shell|zsh)$/.test(language)).length,
    tableRows: document.tables.reduce((sum, { rows }) => sum + rows.length, 0),
    questions: findCalls(body, ['AskUserQuestion']).length,
  };
}

/** `Task(` and `Agent(` calls; a call that only names a subagent_type is the same call. */
function agentCallCount(text: string): number {
  return findCalls(text, ['Task', 'Agent']).length;
}

type Block = { kind: 'fence' | 'table'; line: number; text: string; hash: string };

/** S-069: every fenced block and table of a body with a hash of its characters. */
export function blocksOf(body: string): Block[] {
  const document = parseDocument('body.md', body);
  const fences = document.fences.map(
    ({ openLine, closeLine }) => ['fence', openLine, closeLine + 1] as const,
  );
  const tables = document.tables.map(({ line, endLine }) => ['table', line, endLine] as const);
  return [...fences, ...tables]
    .sort((a, b) => a[1] - b[1])
    .map(([kind, from, to]) => {
      const text = trimmedLines(linesText(document, from, to));
      return { kind, line: from, text, hash: createHash('sha256').update(text).digest('hex') };
    });
}

function trimmedLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

export type Fidelity = {
  ratio: number;
  source: Measures;
  phase: Measures;
  /** Blocks of the source that are neither in the phase nor explained by an edit. */
  lostBlocks: readonly Block[];
  /** Lines of the source likewise. */
  lostLines: readonly { line: number; text: string }[];
};

/** The bodies of the parts that a phase was made from as one text to compare with. */
export function joinParts(bodies: readonly string[]): string {
  return bodies.map(closeFence).join('\n');
}

/** Compares a source body with the phase made from it, recorded edits applied. */
export function compareBodies(
  source: string,
  phase: string,
  edits: readonly Pick<Edit, 'before' | 'after'>[],
): Fidelity {
  const edited = applyEdits(source, edits);
  // What a recorded edit moved or took away is not missing.
  const sourceMeasures = measure(edited);
  const phaseMeasures = measure(phase);
  return {
    ratio: sourceMeasures.lines === 0 ? 1 : phaseMeasures.lines / sourceMeasures.lines,
    source: sourceMeasures,
    phase: phaseMeasures,
    lostBlocks: lostBlocks(source, edited, [phase]),
    lostLines: lostLines(edited, phase),
  };
}

/** Whole lines are looked for as such; one that is removed leaves an empty line, so that nothing around it grows together. */
function applyEdits(source: string, edits: readonly Pick<Edit, 'before' | 'after'>[]): string {
  let text = `\n${source.replaceAll('\r\n', '\n')}\n`;
  for (const edit of edits) {
    const [before, after] = [edit.before, edit.after].map((side) =>
      side.replaceAll('\r\n', '\n').replace(/\r$/, ''),
    );
    if (before === undefined || after === undefined || before === '') continue;
    const line = text.indexOf(`\n${before}${before.endsWith('\n') ? '' : '\n'}`);
    const position = line >= 0 ? line + 1 : text.indexOf(before);
    if (position < 0) continue;
    const kept = after === '' && before.endsWith('\n') ? '\n' : after;
    text = text.slice(0, position) + kept + text.slice(position + before.length);
  }
  return text.slice(1);
}

/** S-069, S-070: what whole sources say and no file of a package says, recorded edits applied. */
export function lostText(
  sources: readonly string[],
  files: readonly string[],
  edits: readonly Pick<Edit, 'before' | 'after'>[],
): Pick<Fidelity, 'lostBlocks' | 'lostLines'> {
  const closed = sources.map(closeFence).join('\n');
  return {
    lostBlocks: lostBlocks(closed, applyEdits(closed, edits), files),
    lostLines: lostLines(applyEdits(sources.join('\n'), edits), files.join('\n')),
  };
}

/**
 * S-069: blocks of the source that no file has, line after line. A fence in a list ends where the list does, so that other text
 * below it can change its extent while each of its lines is kept. The closing mark is compared as a line. An edit names a line, which
 * may be in a block too: one that is kept as the source has it is not lost.
 */
function lostBlocks(source: string, edited: string, files: readonly string[]): Block[] {
  const have = new Set(files.flatMap(blocksOf).map(({ hash }) => hash));
  const texts = files.map(trimmedLines);
  const isKept = ({ hash, text }: Block) =>
    have.has(hash) || texts.some((file) => file.includes(text.replace(/\n[\s>]*[`~]{3,}$/, '')));
  const blocks = blocksOf(edited);
  const before = blocksOf(source);
  return blocks.filter((block, index) => {
    const asWritten = before.length === blocks.length ? before[index] : undefined;
    return !isKept(block) && (asWritten === undefined || !isKept(asWritten));
  });
}

/** Lines of the source that the phase has less often. */
function lostLines(source: string, phase: string): { line: number; text: string }[] {
  const left = new Map<string, number>();
  for (const line of phase.split('\n')) {
    const key = line.trim();
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  const lost: { line: number; text: string }[] = [];
  source.split('\n').forEach((text, line) => {
    const key = text.trim();
    if (key === '') return;
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    else lost.push({ line, text: key });
  });
  return lost;
}

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
