import { markdownLines } from '../../base/markdown/lines.ts';
import { outline, type Section, sectionText } from '../../base/markdown/sections.ts';

/** One task of tasks.md. */
export type Task = {
  /** `1`, `2.3`, `4a`, `A.1`: a name, not a number. */
  number: string;
  title: string;
  level: number;
  line: number;
  /** Heading included (T-056). */
  text: string;
  doneWhen?: string;
  /** Values of the fields that say where the task comes from, in order. */
  traces: readonly Trace[];
  /** Titles of the headings it stands under, nearest first. */
  groups: readonly string[];
};

/** A field such as `**Plan ref:** Step 1.1`; some names say by themselves which artifact is meant. */
export type Trace = { field: string; value: string };

/** T-055. */
const strictHeading = /^Task\s+(\d+(?:\.\d+)*):?\s*(.+)$/s;
/** What people write: `T3`, `Task 2b.1`, `Task A.1`. */
const looseHeading = /^(?:Task\s+|T-?)((?:[A-Z]\.?)?\d+[a-z]?(?:\.\d+[a-z]?)*)(?![\w.])\s*[:.—–-]?\s*(.*)$/is;

/** Fields read besides T-057's own two; the key is the field in lower case. */
const traceFields = new Set([
  'why',
  'source',
  'plan',
  'plan ref',
  'plan refs',
  'plan reference',
  'plan item',
  'plan items',
  'plan step',
  'plan steps',
  'design',
  'design ref',
  'design refs',
  'design reference',
  'implements',
  'traces',
  'traces to',
  'traceability',
  'ref',
  'refs',
  'references',
]);

const doneFields = new Set([
  'done when',
  'done',
  'done criteria',
  'dod',
  'acceptance',
  'acceptance criteria',
]);

/** T-055…T-058: the tasks of a file in order. `strict` takes only the canonical heading at levels 3 and 4. */
export function parseTasks(text: string, strict = false): Task[] {
  const open: Section[] = [];
  return outline(text).flatMap((section): Task[] => {
    while (open.length > 0 && (open.at(-1)?.level ?? 0) >= section.level) open.pop();
    const groups = open.map(({ title }) => title).reverse();
    open.push(section);
    const heading = taskHeading(section, strict);
    if (heading === undefined) return [];
    const body = sectionText(text, section);
    const fields = fieldsOf(ownText(body));
    const doneWhen = fields.find(({ field, value }) => doneFields.has(field) && value !== '')?.value;
    return [
      {
        ...heading,
        level: section.level,
        line: section.line,
        text: body,
        ...(doneWhen === undefined ? {} : { doneWhen }),
        traces: tracesOf(fields, strict),
        groups,
      },
    ];
  });
}

function taskHeading(section: Section, strict: boolean): { number: string; title: string } | undefined {
  const [lowest, highest] = strict ? [3, 4] : [2, 5];
  if (section.level < lowest || section.level > highest) return undefined;
  const match = (strict ? strictHeading : looseHeading).exec(section.title);
  const number = match?.[1];
  return number === undefined ? undefined : { number, title: (match?.[2] ?? '').trim() };
}

function tracesOf(fields: readonly Trace[], strict: boolean): Trace[] {
  if (!strict) {
    const wanted = new Set(traceFields);
    return fields.filter(({ field }) => wanted.delete(field));
  }
  const first = fields.find(({ field }) => field === 'why' || field === 'source');
  return first === undefined ? [] : [first];
}

/** The task without tasks nested in it. */
function ownText(body: string): string {
  const nested = outline(body)
    .slice(1)
    .find(({ title }) => looseHeading.test(title));
  return nested === undefined ? body : body.slice(0, nested.start);
}

const fieldPattern = /\*\*([A-Za-z][A-Za-z /-]{1,40}?)\s{0,4}(?::\s{0,4}\*\*|\*\*\s{0,4}:)/g;
const plainFieldPattern = /^\s*[-*]\s+(Plan (?:ref|item|step)s?|Design refs?|Implements|Traceability):/i;

/** `**Name:** value` and `**Name**: value` outside code; without a value on its line, the list below it is the value. */
function fieldsOf(text: string): Trace[] {
  const lines = markdownLines(text)
    .filter(({ kind }) => kind === 'text')
    .map(({ start, end }) => text.slice(start, end));
  return lines.flatMap((line, index) => {
    const fields = fieldsOfLine(line);
    const last = fields.at(-1);
    if (last?.value !== '') return fields;
    return [...fields.slice(0, -1), { ...last, value: listBelow(lines.slice(index + 1, index + 60)) }];
  });
}

function listBelow(lines: readonly string[]): string {
  const first = lines[0]?.trim() === '' ? 1 : 0;
  const end = lines.findIndex((line, index) => index >= first && !/^\s*(?:[-*+]|\d+[.)])\s/.test(line));
  const list = lines.slice(first, end < 0 ? undefined : end);
  return list.some((line) => fieldsOfLine(line).length > 0) ? '' : list.join('\n').trim();
}

function fieldsOfLine(line: string): Trace[] {
  if (line.length > longestLine) return [];
  const plain = plainFieldPattern.exec(line);
  if (plain?.[1] !== undefined) return [trace(plain[1], line.slice(plain[0].length))];
  // A field quoted as code is an example, not a field.
  const found = [...line.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length)).matchAll(fieldPattern)];
  return found.map((match, index) => {
    const from = match.index + match[0].length;
    const to = found[index + 1]?.index ?? line.length;
    return trace(match[1] ?? '', line.slice(from, to));
  });
}

const longestLine = 4_000;

function trace(field: string, value: string): Trace {
  return {
    field: field.trim().toLowerCase(),
    value: value
      .replace(/\s+/g, ' ')
      .replace(/[ |·-]+$/, '')
      .trim(),
  };
}
