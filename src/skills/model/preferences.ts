import { type Document, lineAt, zoneAt } from '../../base/markdown/document.ts';
import { closingBracket, findCalls } from './calls.ts';

export type PreferenceUse = { key: string; document: Document; line: number; offset: number };

/** One `workflowPreferences = { … }`: a path on which preferences are set. */
export type PreferencePath = { keys: readonly string[]; spreads: boolean; line: number };

export type Question = {
  line: number;
  text: string | undefined;
  header: string | undefined;
  labels: readonly string[];
  /** Options are computed or spread, so their number is unknown. */
  open: boolean;
};

export type QuestionCall = {
  line: number;
  offset: number;
  questions: readonly Question[];
  variable: string | undefined;
};

/** Python's `get` names no key, and allows for a missing one. */
const use = /\bworkflowPreferences\s*(?:\?\.|\.)\s*(?!get\()([A-Za-z_][\w]*)/g;
const assignment = /\bworkflowPreferences\s*=\s*\{/g;

/** Every `workflowPreferences.key` that is read or assigned one by one. */
export function readPreferenceUses(document: Document): { reads: PreferenceUse[]; writes: PreferenceUse[] } {
  const reads: PreferenceUse[] = [];
  const writes: PreferenceUse[] = [];
  if (!document.text.includes('workflowPreferences')) return { reads, writes };
  for (const match of document.text.matchAll(use)) {
    const after = document.text.slice(match.index + match[0].length, match.index + match[0].length + 4);
    // 'workflowPreferences.x' in quotes is a text about the key, not a use of it.
    if (/["'`]/.test(document.text[match.index - 1] ?? '') && zoneAt(document, match.index) === 'fence')
      continue;
    const found = { key: match[1] ?? '', document, line: lineAt(document, match.index), offset: match.index };
    if (/^\s*=(?![=>])/.test(after)) writes.push(found);
    else reads.push(found);
  }
  return { reads, writes };
}

/** Every object literal assigned to `workflowPreferences`. */
export function readPreferencePaths(document: Document): PreferencePath[] {
  if (!document.text.includes('workflowPreferences')) return [];
  return [...document.text.matchAll(assignment)].flatMap((match): PreferencePath[] => {
    const start = match.index + match[0].length;
    const end = closingBracket(document.text, start, '{', '}');
    if (end === undefined) return [];
    const body = document.text.slice(start, end);
    const keys = topLevelKeys(body);
    return [{ keys, spreads: body.includes('...'), line: lineAt(document, match.index) }];
  });
}

/** Keys of an object literal's own level: `{ a: x, b, c: { d: 1 } }` has a, b, c. */
export function topLevelKeys(body: string): string[] {
  const flat = flattenNested(body.replace(/\/\/[^\n]*/g, ''));
  return flat
    .split(',')
    .map((part) => /^\s*["']?([A-Za-z_$][\w$]*)["']?\s*(?::|$)/.exec(part)?.[1])
    .filter((key): key is string => key !== undefined);
}

function flattenNested(body: string): string {
  let depth = 0;
  let quote = '';
  let flat = '';
  for (let index = 0; index < body.length; index += 1) {
    const character = body[index] ?? '';
    if (quote !== '') {
      if (character === '\\') index += 1;
      else if (character === quote) quote = '';
      continue;
    }
    if (character === '"' || character === "'" || character === '`') {
      const key = depth === 0 ? /^(["'])([A-Za-z_$][\w$]*)\1\s*:/.exec(body.slice(index, index + 100)) : null;
      if (key !== null) {
        flat += `${key[2]}:`;
        index += key[0].length - 1;
      } else quote = character;
    } else if ('{[('.includes(character)) depth += 1;
    else if ('}])'.includes(character)) depth -= 1;
    else if (depth <= 0) flat += character;
  }
  return flat;
}

const questionKey = /(?:^|[{,\s])["']?question["']?\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`]*)`)?/g;

/** `AskUserQuestion({ questions: [ … ] })` calls with their questions and labels. */
export function readQuestionCalls(document: Document): QuestionCall[] {
  return findCalls(document.text, ['AskUserQuestion']).map((call) => {
    const starts = [...call.body.matchAll(questionKey)];
    const questions = starts.map((match, index): Question => {
      const end = starts[index + 1]?.index ?? call.body.length;
      const part = call.body.slice(match.index, end);
      const header = /["']?header["']?\s*:\s*(?:"([^"\n$]*)"|'([^'\n$]*)')/.exec(part);
      const options = optionsOf(part);
      return {
        line: lineAt(document, call.bodyStart + match.index),
        text: match[1] ?? match[2] ?? match[3],
        header: header?.[1] ?? header?.[2],
        labels: options.labels,
        open: options.open,
      };
    });
    const before = document.text.slice(Math.max(0, call.start - 80), call.start);
    const variable = /(?:const|let|var)?\s*([A-Za-z_$][\w$]*)\s*=\s*(?:await\s+)?$/.exec(before)?.[1];
    return { line: lineAt(document, call.start), offset: call.start, questions, variable };
  });
}

function optionsOf(part: string): { labels: string[]; open: boolean } {
  const found = /["']?options["']?\s*:\s*\[/.exec(part);
  if (found === null) return { labels: [], open: true };
  const start = found.index + found[0].length;
  const end = closingBracket(part, start, '[', ']') ?? part.length;
  const list = part.slice(start, end);
  const labels = [...list.matchAll(/["']?label["']?\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)')/g)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  return { labels, open: labels.length === 0 || /\.\.\.|…|\$\{|\.map\(/.test(list) };
}

/** C-12: a label without its recommendation mark. */
export function bareLabel(label: string): string {
  return label
    .split(/[((]\s*(?:recommended|推荐|default)\s*[))]/i)
    .map((part) => part.trim())
    .join('')
    .replace(/[★⭐]/gu, '')
    .trim();
}
