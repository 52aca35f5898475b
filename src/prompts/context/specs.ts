import { readFrontMatter } from '../../base/text/frontmatter.ts';
import { countCodePoints } from '../../base/text/strings.ts';

/** P-022: stages of work a spec can be for; `general` holds for all of them. */
export const specCategories = [
  'general',
  'exploration',
  'planning',
  'execution',
  'debug',
  'test',
  'review',
  'validation',
] as const;

export type SpecCategory = (typeof specCategories)[number];

const priorities = ['critical', 'high', 'medium', 'low'] as const;
const readModes = ['required', 'optional'] as const;

/** Where a spec comes from: the project, the person in this project, the person everywhere. */
export type SpecScope = 'project' | 'personal' | 'home';

export type ProjectSpec = {
  /** As cited. */
  path: string;
  scope: SpecScope;
  title: string;
  category: SpecCategory;
  keywords: string[];
  readMode: (typeof readModes)[number];
  priority: (typeof priorities)[number];
  body: string;
  /** Where the body begins in the file, in characters. */
  bodyOffset: number;
  /** What is wrong with its front matter. */
  problems: string[];
};

/** Reads one spec; what its front matter lacks or gets wrong falls back to optional, medium, general. */
export function parseSpec(path: string, scope: SpecScope, text: string): ProjectSpec {
  const { data, body, bodyStart, problems } = readFrontMatter(text);
  const start = bodyStart + (body.length - body.trimStart().length);
  const notes = problems.map(({ message, line }) => `line ${line}: ${message}`);
  const choose = <Value extends string>(key: string, allowed: readonly Value[], fallback: Value): Value => {
    const value = data[key];
    if (value === undefined || value === null) return fallback;
    const found = allowed.find(
      (candidate) => typeof value === 'string' && candidate === value.trim().toLowerCase(),
    );
    if (found === undefined) notes.push(`${key} is not one of ${allowed.join(', ')}`);
    return found ?? fallback;
  };
  const title = typeof data['title'] === 'string' ? oneLine(data['title']) : '';
  return {
    path,
    scope,
    title: title === '' ? (path.split('/').at(-1) ?? path).replace(/\.md$/i, '') : title,
    category: choose('category', specCategories, 'general'),
    keywords: readKeywords(data['keywords']),
    readMode: choose('readMode', readModes, 'optional'),
    priority: choose('priority', priorities, 'medium'),
    body: body.trim(),
    bodyOffset: countCodePoints(text.slice(0, start)),
    problems: notes,
  };
}

function readKeywords(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return list.flatMap((entry) => (typeof entry === 'string' && entry.trim() !== '' ? [entry.trim()] : []));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200);
}

/** P-020: required ones always, optional ones when a keyword is hit, of the asked category and `general`. */
export function selectSpecs(
  specs: readonly ProjectSpec[],
  wanted: { category?: SpecCategory; words: string },
): ProjectSpec[] {
  const words = wordsOf(wanted.words);
  return specs.filter(({ category, readMode, keywords, body }) => {
    if (body === '') return false;
    if (wanted.category !== undefined && category !== wanted.category && category !== 'general') return false;
    return readMode === 'required' || keywords.some((keyword) => isHit(keyword, words, wanted.words));
  });
}

const shortestPrefix = 4;

/** A keyword is hit by the same word, by a longer word it begins, or by a shorter one (four letters) that begins it. */
function isHit(keyword: string, words: ReadonlySet<string>, text: string): boolean {
  const wanted = keyword.toLowerCase();
  if (/[^\p{L}\p{N}]|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u.test(wanted))
    return text.toLowerCase().includes(wanted);
  if (words.has(wanted)) return true;
  for (const word of words) {
    if (wanted.length >= shortestPrefix && word.startsWith(wanted)) return true;
    if (word.length >= shortestPrefix && wanted.startsWith(word)) return true;
  }
  return false;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** Smaller is more important. Project rules come before personal ones, so that a cut never reaches them first. */
export function specRank(spec: ProjectSpec): number {
  const mode = readModes.indexOf(spec.readMode);
  const scope = spec.scope === 'project' ? 0 : 1;
  return mode * 100 + scope * 10 + priorities.indexOf(spec.priority);
}
