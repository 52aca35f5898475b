import { markdownLines } from '../../base/markdown/lines.ts';
import { outline, type Section, sectionText } from '../../base/markdown/sections.ts';
import { entryFinder, groupName, groupsOf, type Match } from './match.ts';
import { type Entry, indexEntries, parseReferences, type Reference } from './references.ts';

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
  /** Titles of the headings above it, nearest first. */
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

/** T-061, T-062: the section an id means, heading and subsections included; `undefined` when there is none. */
export function extractSection(document: Indexed, id: string): string | undefined {
  const match = document.find({ artifact: 'design', id });
  return match === undefined ? undefined : document.text.slice(match.entry.start, match.entry.end);
}

/** What a task's prompt shows of one artifact. */
export type ScopedArtifact =
  | { kind: 'sections'; text: string; sections: readonly ScopedSection[] }
  /** lean/C-15, lean/C-16: the agent reads the whole file. */
  | { kind: 'whole'; reason: 'not referenced' | 'reference without a section' };

type ScopedSection = { id: string; title: string; line: number; ambiguous: boolean };

export type TaskScope = {
  references: readonly Reference[];
  plan: ScopedArtifact;
  design: ScopedArtifact;
  warnings: readonly string[];
};

/** A document with its index, built once for all tasks. */
type Indexed = {
  text: string;
  find: (reference: Reference) => Match | undefined;
  groups: ReadonlyMap<string | undefined, readonly Entry[]>;
};

export function indexed(text: string): Indexed {
  const entries = indexEntries(text);
  return { text, find: entryFinder(entries), groups: groupsOf(entries) };
}

/** T-060…T-065: the sections of plan and design that a task points at. */
export function scopeTask(task: Task, plan: Indexed, design: Indexed): TaskScope {
  const references = parseReferences(task.traces);
  const warnings: string[] = [];
  const points = references.some(({ artifact }) => artifact !== 'spec');
  const group = points ? undefined : groupSection(task, plan);
  if (!points && group === undefined && plan.text + design.text !== '') {
    warnings.push(`task ${task.number} refers to no section of plan or design`);
  }
  return {
    references,
    plan: group ?? scopeArtifact('plan', plan, references, task, warnings),
    design: scopeArtifact('design', design, references, task, warnings),
    warnings,
  };
}

/** A task without references belongs to the part of the plan that its group is named after, if exactly one is. */
function groupSection(task: Task, { text, groups }: Indexed): ScopedArtifact | undefined {
  for (const title of task.groups) {
    const name = groupName(title);
    const hits = (name === undefined ? undefined : groups.get(name)) ?? [];
    const [entry] = hits;
    if (entry === undefined || hits.length > 1) continue;
    return {
      kind: 'sections',
      text: text.slice(entry.start, entry.end).trimEnd(),
      sections: [{ id: title, title: entry.title, line: entry.line, ambiguous: false }],
    };
  }
  return undefined;
}

function scopeArtifact(
  artifact: 'plan' | 'design',
  { text, find }: Indexed,
  references: readonly Reference[],
  task: Task,
  warnings: string[],
): ScopedArtifact {
  const own = references.filter((reference) => reference.artifact === artifact);
  if (own.length === 0) return { kind: 'whole', reason: 'not referenced' };
  const matches = own.map((reference) => ({ reference, match: find(reference) }));
  const unmatched = matches.filter(({ match }) => match === undefined).map(({ reference }) => reference.id);
  if (unmatched.length > 0) {
    warnings.push(`task ${task.number}: ${artifact} has no section ${unmatched.join(', ')}`);
    return { kind: 'whole', reason: 'reference without a section' };
  }
  const found = matches.flatMap(({ reference, match }) =>
    match === undefined ? [] : [{ id: reference.id, ...match }],
  );
  for (const { id, entry, ambiguous } of found) {
    if (ambiguous)
      warnings.push(
        `task ${task.number}: ${artifact} has several sections for ${id}; took line ${entry.line}`,
      );
  }
  const distinct = withoutNested(found.map(({ entry }) => entry));
  return {
    kind: 'sections',
    text: distinct.map(({ start, end }) => text.slice(start, end).trimEnd()).join('\n\n'),
    sections: found.map(({ id, entry, ambiguous }) => ({
      id,
      title: entry.title,
      line: entry.line,
      ambiguous,
    })),
  };
}

/** T-063: in the order of the references; a section inside another that is shown is not shown twice. */
function withoutNested(entries: readonly Entry[]): Entry[] {
  const outer = new Set<Entry>();
  let reached = -1;
  for (const entry of entries.toSorted((one, two) => one.start - two.start || two.end - one.end)) {
    if (entry.end > reached) outer.add(entry);
    reached = Math.max(reached, entry.end);
  }
  return [...new Set(entries)].filter((entry) => outer.has(entry));
}
