import { z } from 'zod';
import { counted, joinTruncated, plainPath } from '../text/strings.ts';

/** Controls of terminals and of writing direction, which no artifact may carry; tab and line feed stay. */
const unwanted = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Text as artifacts hold it: `\n` line ends, no control characters, no trailing blanks, nothing around it. */
export function tidyProse(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(unwanted, ' ')
    .split('\n')
    .map((each) => each.trimEnd())
    .join('\n')
    .trim();
}

/** Text on one line, runs of white space made one space. */
export function tidyLine(text: string): string {
  return text.toWellFormed().replace(unwanted, ' ').replace(/\s+/g, ' ').trim();
}

/** One line of text; line breaks in an answer become spaces, so that a title can never break a line format. */
export function line(maximum: number) {
  return z.string().overwrite(tidyLine).min(1).max(maximum);
}

/** Text of one or more paragraphs. */
export function prose(maximum: number) {
  return z.string().overwrite(tidyProse).min(1).max(maximum);
}

/** A value the agent may leave out. Strict providers see a required nullable key; a missing key is read as `null`. */
export function nullable<T extends z.ZodType>(schema: T) {
  return schema.nullable().default(null as never);
}

/** A list the agent may leave out. */
export function list<T extends z.ZodType>(schema: T, maximum: number) {
  return z.array(schema).max(maximum).default([]);
}

/** A repository path as an agent or a task file names it; whether it exists, and stays inside, is checked where it is used. */
export function repositoryPath() {
  return z.string().overwrite(tidyPath).min(1).max(400);
}

function tidyPath(text: string): string {
  return plainPath(tidyLine(text.replaceAll('`', '')));
}

/** The name of a function, class or constant. */
export function symbolName() {
  return z
    .string()
    .overwrite((text) => tidyLine(text.replaceAll('`', '')))
    .min(1)
    .max(200);
}

/** Labels of the seats an idea or a position came from. */
export function seats() {
  return list(line(80), 20);
}

/** `DECISION_3`, also when an answer writes `Decision 3`. */
export function decisionId() {
  return numberedId(['DECISION']);
}

/** `FINDING_3` or `OOS_3` as numbered on the ballot. */
export function itemId() {
  return numberedId(['FINDING', 'OOS']);
}

function numberedId(prefixes: readonly string[]) {
  const loose = new RegExp(`^\\W*(${prefixes.join('|')})[ _-]?0*(\\d{1,4})\\W*$`, 'i');
  return z
    .string()
    .overwrite((text) =>
      text.replace(loose, (_, prefix: string, digits: string) => `${prefix.toUpperCase()}_${digits}`),
    )
    .regex(new RegExp(`^(${prefixes.join('|')})_[1-9][0-9]{0,3}$`));
}

/** One thing in a value that its schema does not allow: where it is, and what was expected and found there. */
export type Problem = { path: PropertyKey[]; words: string };

export type Reading<Value> = { ok: true; value: Value } | { ok: false; problems: Problem[] };

/** Checks values of users, files and agents; problems never show the messages of the schema library. */
export function readAs<Schema extends z.ZodType>(schema: Schema, value: unknown): Reading<z.output<Schema>> {
  const result = schema.safeParse(value, { error: issueWords });
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, problems: result.error.issues.flatMap(problemsOf) };
}

/** What is wrong inside the form that was meant is named at its own place. */
function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const { path, message } = issue;
  const meant = issue.code === 'invalid_union' ? meantForm(issue) : undefined;
  if (meant === undefined || message !== insideWords(meant)) return [{ path, words: message }];
  return meant.flatMap((inner) => problemsOf({ ...inner, path: [...path, ...inner.path] }));
}

/** `files[0].path: expected a text, found nothing`; `whole` names the value itself. */
export function problemLine({ path, words }: Problem, whole: string): string {
  return `${path.length === 0 ? whole : z.core.toDotPath(path)}: ${words}`;
}

/** The first problems in a line, and how many there are besides. */
export function problemList(problems: readonly Problem[], whole: string): string {
  const lines = problems.slice(0, 5).map((problem) => problemLine(problem, whole));
  const more = problems.length > 5 ? [`and ${problems.length - 5} more`] : [];
  return [...lines, ...more].join('; ');
}

/** The message for an issue whose schema has none; it follows `path:` and precedes `at path`. */
export function issueWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue);
  if (issue.code === 'invalid_key') return `as a key: ${issue.issues[0]?.message}`;
  if (issue.code === 'invalid_union') return unionWords(issue);
  if (issue.code === 'custom' || issue.code === 'invalid_element') return 'not allowed';
  return `expected ${expected(issue)}, found ${found(issue, issue.input)}`;
}

type Issue<Code> = Extract<z.core.$ZodRawIssue, { code: Code }>;

const most = 40;

function unknownKeys(issue: Issue<'unrecognized_keys'>): string {
  const keys = joinTruncated(issue.keys.map(quoted));
  return `${issue.keys.length === 1 ? 'unknown key' : 'unknown keys'} ${keys}${knownKeys(issue)}`;
}

/** `; known are …`, as the end of a sentence about an unknown key. */
export function knownKeys({ inst }: z.core.$ZodRawIssue): string {
  const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
  return known.length === 0 ? '' : `; known are ${joinTruncated(known, most)}`;
}

const plainCodes: readonly string[] = ['invalid_type', 'invalid_value'];

type Issues = readonly z.core.$ZodIssue[];

/** What the form that was meant lacks; where none was, all that are allowed. */
function unionWords(issue: Issue<'invalid_union'>): string | undefined {
  if (issue.inclusive === false) return 'fits more than one of the forms of which one is expected';
  const meant = meantForm(issue);
  if (meant !== undefined) return insideWords(meant);
  const allowed = issue.errors.flatMap((issues) => issues.slice(0, 1).map(expected));
  return `expected ${either(allowed)}, found ${found({ code: 'invalid_value' }, issue.input)}`;
}

/** Of several forms the one whose kind is right and that lacks least. */
function meantForm({ errors }: Pick<z.core.$ZodIssueInvalidUnion, 'errors'>): Issues | undefined {
  return errors
    .filter((issues) => issues.some(({ path, code }) => path.length > 0 || !plainCodes.includes(code)))
    .sort((a, b) => a.length - b.length)[0];
}

function insideWords([first]: Issues): string | undefined {
  if (first === undefined || first.path.length === 0) return first?.message;
  return problemLine({ path: first.path, words: first.message }, '');
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  never: 'nothing',
  undefined: 'nothing',
};

const formats: Readonly<Record<string, string>> = {
  url: 'an address such as https://host/path',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
};

function expected(issue: z.core.$ZodRawIssue | z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return either(issue.values.map(quoted));
    case 'too_small':
      return amount(
        issue.origin,
        issue.inclusive === false ? 'more than' : 'at least',
        Number(issue.minimum),
      );
    case 'too_big':
      return amount(issue.origin, issue.inclusive === false ? 'less than' : 'at most', Number(issue.maximum));
    case 'invalid_format':
      if (issue.format === 'regex') return `a text that fits ${issue.pattern}`;
      return formats[issue.format] ?? `a text of the form ${issue.format}`;
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    default:
      return 'something else';
  }
}

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

function amount(origin: string, bound: string, limit: number): string {
  const unit = units[origin];
  return `${bound} ${unit === undefined ? limit : counted(limit, unit)}`;
}

/** A text is shown where it is one of few words or a name; elsewhere it may be long, or a secret. */
function found({ code, format }: { code: string; format?: unknown }, value: unknown): string {
  if (typeof value === 'string') {
    if (code === 'too_small' || code === 'too_big') return String(value.length);
    return code === 'invalid_value' || format === 'regex' ? quoted(value) : 'a text';
  }
  if (Array.isArray(value)) return code.startsWith('too_') ? String(value.length) : 'a list';
  if (value === undefined) return 'nothing';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function quoted(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > most ? `${value.slice(0, most)}…` : value);
}

function either(names: readonly string[]): string {
  const [last, ...others] = [...new Set(names)].reverse();
  return others.length === 0 ? (last ?? 'something else') : `${others.reverse().join(', ')} or ${last}`;
}
