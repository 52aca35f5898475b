import { isMap, parseDocument, stringify } from 'yaml';
import { frontMatterExtent } from '../markdown/lines.ts';
import { isRecord } from '../safe-json.ts';

/** As much of a YAML document as is needed here: its parser is loaded only by those who have some. */
type YamlDocument = { contents: unknown; toJS(options: { maxAliasCount: number }): unknown };

const maxAliases = 100;

/**
 * The value of a YAML document. A key that is a list or a mapping is refused: it would be written out as text, and one in another in
 * another takes minutes for a line.
 */
export function yamlValue(document: YamlDocument): unknown {
  const open = [document.contents];
  while (open.length > 0) {
    const node = open.pop();
    if (!isRecord(node) || !Array.isArray(node['items'])) continue;
    for (const item of node['items'] as unknown[]) {
      if (!isRecord(item) || !('key' in item)) open.push(item);
      else if (isText(item['key'])) open.push(item['value']);
      else throw new Error('a key is a list or a mapping instead of a text');
    }
  }
  return document.toJS({ maxAliasCount: maxAliases });
}

/** Scalars have a value; collections have items, and what refers to them elsewhere a name. */
function isText(key: unknown): boolean {
  return !isRecord(key) || 'value' in key;
}

type FrontMatterProblem =
  | { kind: 'unclosed'; message: string; line: number }
  | { kind: 'invalid-yaml'; message: string; line: number }
  | { kind: 'duplicate-key'; message: string; line: number }
  | { kind: 'not-a-mapping'; message: string; line: number }
  | { kind: 'too-large'; message: string; line: number };

type FrontMatter = {
  /** Whether the text begins with a closed front matter block, readable or not. */
  present: boolean;
  /** What could be read; empty when nothing could. */
  data: Record<string, unknown>;
  /** The text after the block, unchanged; the whole text (without BOM) when it has no block. */
  body: string;
  /** Offset of the body in the text. */
  bodyStart: number;
  /** The YAML between the two delimiter lines, as written. */
  raw: string;
  problems: FrontMatterProblem[];
};

/** Front matter is a few lines; more than this is not handed to the YAML parser. */
const rawLimit = 256 * 1024;
/** A block that is not YAML has a problem at every character; the first ones say enough. */
const maxProblems = 20;

/** Reads front matter whatever its state. Broken YAML and a missing end become problems, never exceptions. */
export function readFrontMatter(text: string): FrontMatter {
  const first = text.startsWith('\uFEFF') ? 1 : 0;
  const extent = frontMatterExtent(text, true);
  if (extent === undefined) {
    const problems: FrontMatterProblem[] = looksUnclosed(text, first)
      ? [{ kind: 'unclosed', message: 'the opening --- has no closing ---', line: 1 }]
      : [];
    return { present: false, data: {}, body: text.slice(first), bodyStart: first, raw: '', problems };
  }
  const raw = text.slice(extent.contentStart, extent.contentEnd);
  const { data, problems } = readYaml(raw);
  return { present: true, data, body: text.slice(extent.end), bodyStart: extent.end, raw, problems };
}

/** A text that begins with `---` and a key, but never closes. A lone rule does not count. */
function looksUnclosed(text: string, first: number): boolean {
  return /^---[ \t]*\r?\n[A-Za-z_][\w-]{0,80}[ \t]*:/.test(text.slice(first, first + 400));
}

function readYaml(raw: string): { data: Record<string, unknown>; problems: FrontMatterProblem[] } {
  if (raw.length > rawLimit) {
    const message = `${raw.length} characters of YAML, at most ${rawLimit} are read`;
    return { data: {}, problems: [{ kind: 'too-large', message, line: 2 }] };
  }
  try {
    const document = parseDocument(raw, { logLevel: 'silent', prettyErrors: false, uniqueKeys: true });
    const problems = document.errors.slice(0, maxProblems).map((error): FrontMatterProblem => {
      const kind = error.code === 'DUPLICATE_KEY' ? 'duplicate-key' : 'invalid-yaml';
      return { kind, message: firstLine(error.message), line: lineAt(raw, error.pos[0]) };
    });
    if (document.contents === null) return { data: {}, problems };
    if (!isMap(document.contents)) {
      problems.push({ kind: 'not-a-mapping', message: 'the YAML is not a list of keys and values', line: 2 });
      return { data: {}, problems };
    }
    const data: unknown = yamlValue(document);
    return { data: isRecord(data) ? data : {}, problems };
  } catch (error) {
    const message = firstLine(error instanceof Error ? error.message : String(error));
    return { data: {}, problems: [{ kind: 'invalid-yaml', message, line: 2 }] };
  }
}

/** Line in the whole text: the opening delimiter is line 1. */
function lineAt(raw: string, offset: number): number {
  let line = 2;
  for (let index = 0; index < Math.min(offset, raw.length); index += 1) {
    if (raw.charCodeAt(index) === 10) line += 1;
  }
  return line;
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

/** A document with the given front matter. Strict: the result reads back as the same data and body. */
export function writeFrontMatter(data: Readonly<Record<string, unknown>>, body: string): string {
  if (Object.keys(data).length === 0) return `---\n---\n${body}`;
  const yaml = stringify(data, { lineWidth: 0, aliasDuplicateObjects: false });
  // The YAML writer loses some blanks of texts with several lines; JSON is YAML too, and loses none.
  const readsBack = JSON.stringify(readYaml(yaml).data) === JSON.stringify(data);
  const entries = Object.entries(data).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}\n`,
  );
  return `---\n${readsBack ? yaml : entries.join('')}---\n${body}`;
}
