import { z } from 'zod';
import { plainPath } from '../text/strings.ts';

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
