import { parseDocument } from 'yaml';
import { type Document, frontmatterLines, lineText, opensFrontmatter } from '../../base/markdown/document.ts';
import { isRecord } from '../../base/safe-json.ts';
import { yamlValue } from '../../base/text/frontmatter.ts';

export type FrontmatterField = {
  key: string;
  value: unknown;
  /** Counted from 0. */
  line: number;
  /** The line after the last one of its value. */
  endLine: number;
};

export type Frontmatter = {
  state: 'absent' | 'unclosed' | 'closed';
  fields: ReadonlyMap<string, FrontmatterField>;
  /** Why strict YAML refuses it; the fields were then read line by line (S-045). */
  problem: { message: string; line: number } | undefined;
  /** Lines whose plain value YAML misreads: `: `, ` #` or a leading bracket. */
  unquoted: readonly { key: string; line: number; endLine: number; raw: string }[];
};

const entry = /^([A-Za-z_][\w.-]*):(?:[ \t]+(.*)|[ \t]*)$/;
const ambiguous = /^(?:true|false|yes|no|on|off|null|~|[-+.\d].*)$/i;
const special = /^[&*!|>%@`{[\]},#?"']|^-(?:\s|$)/;

/** Reads frontmatter whatever its state: strict YAML first, else `key: rest of line`. */
export function readFrontmatter(document: Document): Frontmatter {
  const count = frontmatterLines(document.text, document.lineStarts);
  if (count === 0) {
    const state = opensFrontmatter(document.text) ? 'unclosed' : 'absent';
    return state === 'absent' ? empty(state) : { ...lineWise(document, unclosedLines(document)), state };
  }
  const simple = readSimple(document, count - 1);
  if (simple !== undefined) return simple;
  const raw = document.text.slice(document.lineStarts[1] ?? 0, document.lineStarts[count - 1] ?? 0);
  const strict = readYaml(raw);
  if (strict.problem !== undefined)
    return { ...lineWise(document, beforeHeading(document, count - 1)), problem: strict.problem };
  const loose = lineWise(document, count - 1);
  const fields = new Map<string, FrontmatterField>();
  for (const [key, value] of Object.entries(strict.data)) {
    const { line = 1, endLine = 2 } = loose.fields.get(key) ?? {};
    fields.set(key, { key, value, line, endLine });
  }
  return {
    state: 'closed',
    fields,
    problem: undefined,
    unquoted: loose.unquoted.filter((item) => item.raw.includes(' #')),
  };
}

function empty(state: 'absent' | 'unclosed'): Frontmatter {
  return { state, fields: new Map(), problem: undefined, unquoted: [] };
}

/** The common case, plain `key: text` lines, needs no YAML library and costs next to nothing. */
function readSimple(document: Document, end: number): Frontmatter | undefined {
  const fields = new Map<string, FrontmatterField>();
  for (let line = 1; line < end; line += 1) {
    const text = lineText(document, line);
    if (text === '') continue;
    const match = entry.exec(text);
    const key = match?.[1];
    if (key === undefined || fields.has(key)) return undefined;
    const value = simpleScalar((match?.[2] ?? '').trimEnd());
    if (value === undefined) return undefined;
    fields.set(key, { key, value, line, endLine: line + 1 });
  }
  return { state: 'closed', fields, problem: undefined, unquoted: [] };
}

function simpleScalar(raw: string): string | undefined {
  const quoted = /^"([^"\\]*)"$/.exec(raw) ?? /^'([^']*)'$/.exec(raw);
  if (quoted !== null) return quoted[1] ?? '';
  if (raw === '' || special.test(raw) || ambiguous.test(raw)) return undefined;
  return raw.includes(': ') || raw.includes(' #') || raw.endsWith(':') ? undefined : raw;
}

function unclosedLines(document: Document): number {
  let line = 1;
  while (line < Math.min(document.lineStarts.length, 60) && entry.test(lineText(document, line))) line += 1;
  return line;
}

/** Where the body begins when the frontmatter is never closed: at the next rule further down. */
function beforeHeading(document: Document, end: number): number {
  for (let line = 2; line < end; line += 1) {
    if (/^#{1,6} /.test(lineText(document, line)) && lineText(document, line - 1).trim() === '') return line;
  }
  return end;
}

/** S-045: every `key: rest` line; indented and list lines go to the key above, unless other text is between them. */
function lineWise(document: Document, end: number): Frontmatter {
  const fields = new Map<string, FrontmatterField>();
  const unquoted: { key: string; line: number; endLine: number; raw: string }[] = [];
  let last: FrontmatterField | undefined;
  let takesList = false;
  for (let line = 1; line < end; line += 1) {
    const text = lineText(document, line);
    const match = entry.exec(text);
    const key = match?.[1];
    if (key === undefined) {
      if (!(takesList ? /^(?:[ \t]|- |#|$)/ : /^(?:[ \t]|#|$)/).test(text)) last = undefined;
      if (last === undefined || !/^[ \t]|^- /.test(text)) continue;
      last.value = joined(String(last.value), text.trim());
      last.endLine = line + 1;
      const open = unquoted.at(-1);
      if (open?.line === last.line) {
        open.raw = joined(open.raw, text.trim());
        open.endLine = line + 1;
      }
      continue;
    }
    const raw = (match?.[2] ?? '').trim();
    const value = raw.replace(/^(["'])(.*)\1$/, '$2').replace(/^[|>][+-]?$/, '');
    last = { key, value, line, endLine: line + 1 };
    takesList = raw === '';
    if (!fields.has(key)) fields.set(key, last);
    if (needsQuotes(raw)) unquoted.push({ key, line, endLine: line + 1, raw });
  }
  return { state: 'closed', fields, problem: undefined, unquoted };
}

function joined(text: string, more: string): string {
  return text === '' || more === '' ? text + more : `${text} ${more}`;
}

/** Whether YAML reads a plain value as something else than its characters. */
export function needsQuotes(raw: string): boolean {
  if (raw === '' || /^["'|>{]/.test(raw)) return false;
  // One list is YAML; two groups, as in `[-y] [task]`, are not.
  if (/^\[[^[\]]*\]$/.test(raw)) return false;
  return /^[[&*!%@`]/.test(raw) || raw.includes(': ') || raw.includes(' #') || raw.endsWith(':');
}

type YamlReading = { data: Record<string, unknown>; problem: { message: string; line: number } | undefined };

function readYaml(raw: string): YamlReading {
  try {
    const document = parseDocument(raw, { logLevel: 'silent', prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) {
      const line = 1 + raw.slice(0, error.pos[0]).split('\n').length - 1;
      return { data: {}, problem: { message: error.message.split('\n', 1)[0] ?? error.message, line } };
    }
    const data: unknown = yamlValue(document);
    if (isRecord(data)) return { data, problem: undefined };
    if (data === null || data === undefined) return { data: {}, problem: undefined };
    return { data: {}, problem: { message: 'it is not a list of keys and values', line: 1 } };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    return { data: {}, problem: { message, line: 1 } };
  }
}

/** A field as text; lists are joined the way people write them. */
export function fieldText(frontmatter: Frontmatter, key: string): string | undefined {
  const value = frontmatter.fields.get(key)?.value;
  if (value === undefined || value === null) return undefined;
  const text = (item: unknown) => (typeof item === 'object' ? JSON.stringify(item) : String(item));
  return Array.isArray(value) ? value.map(text).join(', ') : text(value);
}
