import path from 'node:path';
import { type Document, lineAt, lineText } from '../../base/markdown/document.ts';
import { isTeaching, occurrences } from '../lint/occurrences.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import { findCalls } from '../model/calls.ts';
import type { SkillPackage } from '../model/package.ts';
import { isPlaceholder, type Reference } from '../model/references.ts';

const hostBuiltIns = new Set([
  'compact',
  'clear',
  'help',
  'init',
  'review',
  'model',
  'config',
  'context',
  'cost',
]);

/** Where a reference leads inside the package, or `undefined` when it leads out of it. */
function resolveReference({ document, target, kind }: Reference): string[] | undefined {
  const folder = path.posix.dirname(document.path);
  const clean = target.replaceAll('\\', '/').replace(/\/$/, '');
  const fromFile = path.posix.normalize(path.posix.join(folder, clean));
  const fromRoot = path.posix.normalize(clean);
  const candidates = kind === 'link' ? [fromFile, fromRoot] : [fromRoot, fromFile];
  const inside = [...new Set(candidates)].filter((candidate) => !candidate.startsWith('..'));
  return inside.length === 0 || path.posix.isAbsolute(clean) ? undefined : inside;
}

function exists(subject: SkillPackage, candidates: readonly string[]): boolean {
  return candidates.some(
    (candidate) => candidate === '.' || candidate === '' || subject.files.listing.has(candidate),
  );
}

/** References a rule may judge: paths, no placeholders, and for `Read` only those that mean the package. */
function judged(subject: SkillPackage): Reference[] {
  // Without frontmatter and phases it is a fragment that something else assembles; its links are not relative to here.
  if (subject.skill?.frontmatter.state === 'absent' && subject.phases.length === 0) return [];
  return subject.references.filter((reference) => {
    const { target, kind, document, line, zone } = reference;
    if (target === '' || isPlaceholder(target) || zone === 'comment') return false;
    // `[0,2](MON/WED)` has the form of a link and means something else.
    if (kind === 'link' && !looksLikePath(target)) return false;
    if (kind === 'read' && !meansPackage(subject, reference)) return false;
    // `.workflow/plan.md` lies in the user's project, not in the package.
    if (/^\.[A-Za-z]/.test(target)) return false;
    if (kind === 'ref' && zone === 'fence' && subject.profile === 'single') return false;
    return !isTeaching(document, line);
  });
}

/** Most files that are read lie in the project. The package is meant by its folders, and by a way out of it. */
function meansPackage({ files }: SkillPackage, reference: Reference): boolean {
  const { target } = reference;
  if (/(?:^|\/)phases\//.test(target)) return true;
  const inside = resolveReference(reference);
  if (inside === undefined) return target.split(/[\\/]/).includes('..');
  // A plain path is one from the root of the package; only dots make it one from the file.
  const [folder = ''] = (/^\.\.?\//.test(target) ? (inside.at(-1) ?? '') : target).split('/', 1);
  return target.includes('/') && files.listing.has(folder);
}

/** A file has an ending; a folder without one is known by its dots, its slash at the end or by lower case. */
function looksLikePath(target: string): boolean {
  return (
    /\.[A-Za-z0-9]{1,12}$|\/$|^\.|^[/~]|^[A-Za-z]:/.test(target) || /^[a-z0-9_-]+(?:\/[\w.-]+)*$/.test(target)
  );
}

/** The text itself says what to do when the file is not there: it comes into being at run time. */
function mayBeAbsent({ document, line }: Reference): boolean {
  return /\b(?:does not|doesn['’]t) (?:yet )?exist\b|\bif (?:it |the file |present|available)|\bif it exists\b/i.test(
    lineText(document, line).slice(0, 2_000),
  );
}

function isAbsolute(target: string): boolean {
  return target.startsWith('/') || target.startsWith('~') || /^[A-Za-z]:[\\/]/.test(target);
}

/** A title by its letters and digits alone. */
export const normal = (title: string) => title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

export const targetRules: readonly Rule[] = [
  {
    id: 'RF001',
    severity: 'error',
    fence: 'everywhere',
    summary: 'Every Ref, link, picture and Read in a folder of the package leads to a file that exists.',
    why: 'A dead reference is a phase that never runs. Placeholders such as 0N-xxx are taken as teaching text.',
    hint: 'Correct the path or add the file.',
    bad: 'Ref: phases/03-missing.md',
    check: (subject) => {
      const references = judged(subject);
      const optional = new Set(references.filter(mayBeAbsent).map(({ target }) => target));
      return references.flatMap((reference): Draft[] => {
        const { document, line, target } = reference;
        if (isAbsolute(target) || optional.has(target)) return [];
        const candidates = resolveReference(reference);
        if (candidates === undefined || exists(subject, candidates)) return [];
        return [at(document, line, `${target} does not exist in the package.`)];
      });
    },
  },
  {
    id: 'RF008',
    severity: 'warning',
    fence: 'everywhere',
    summary: 'A section that is cited by name or anchor exists.',
    why: 'The reader is sent to text that is not there and makes it up.',
    hint: 'Cite the heading as it is written now.',
    bad: 'see SKILL.md "Compact Protection" section',
    check: (subject) => [...citedSections(subject), ...deadAnchors(subject)],
  },
  {
    id: 'RF009',
    severity: 'warning',
    fence: 'fences',
    summary: 'Other skills and commands that are called are installed.',
    why: 'A call to a skill that is not there fails in the middle of a run.',
    hint: 'Install it, or lint with --all over the root where it lives.',
    bad: 'Skill(skill="workflow:status")',
    check: (subject, { installed }) => {
      if (installed === undefined) return [];
      const own = new Set(subject.ownNames);
      const seen = new Set<string>();
      return subject.documents.flatMap((document) =>
        findCalls(document.text, ['Skill', 'SlashCommand']).flatMap(({ body, start }): Draft[] => {
          const name = /^\s*(?:\{?\s*)?(?:(?:skill|command)\s*[=:]\s*)?["'`]\/?([\w:.-]+)/.exec(body)?.[1];
          if (name === undefined || own.has(name) || seen.has(name) || hostBuiltIns.has(name)) return [];
          if (installed.has(name) || installed.has(name.replaceAll(':', '-'))) return [];
          seen.add(name);
          const line = lineAt(document, start);
          return isTeaching(document, line)
            ? []
            : [at(document, line, `The skill ${name} is not installed.`)];
        }),
      );
    },
  },
  {
    id: 'RF010',
    severity: 'error',
    in: { single: 'warning' },
    fence: 'everywhere',
    summary: 'Paths are relative and stay inside the package.',
    why: 'A package is copied as a folder; a path out of it breaks on the next machine.',
    hint: 'Copy the file into the package and refer to it relatively.',
    bad: 'Read("/home/me/phases/01.md")',
    check: (subject) =>
      judged(subject).flatMap((reference): Draft[] => {
        const { document, line, target } = reference;
        if (isAbsolute(target)) return [at(document, line, `${target} is an absolute path.`)];
        if (resolveReference(reference) !== undefined) return [];
        return [at(document, line, `${target} leads out of the package.`)];
      }),
  },
];

function citedSections(subject: SkillPackage): Draft[] {
  const titles = new Set(
    subject.documents.flatMap(({ headings }) => headings.map(({ title }) => normal(title))),
  );
  const pattern = /\b(?:see|refer to|per|follow)\b[^\n"“]{0,60}["“]([^"”\n]{3,80})["”]\s+section\b/gi;
  return subject.documents.flatMap((document) =>
    occurrences(document, pattern, 'everywhere', ' section')
      .filter(({ match }) => {
        const wanted = normal(match[1] ?? '');
        return ![...titles].some((title) => title === wanted || title.startsWith(wanted));
      })
      .map(({ line, match }) => at(document, line, `There is no section "${match[1]}".`)),
  );
}

function deadAnchors(subject: SkillPackage): Draft[] {
  return subject.references.flatMap((reference): Draft[] => {
    const { document, line, anchor, target, kind } = reference;
    if (kind !== 'link' || anchor === undefined || anchor === '' || target === '') return [];
    const candidates = resolveReference(reference) ?? [];
    const found = subject.documents.find(({ path: own }) => candidates.includes(own));
    if (found === undefined || anchorsOf(found).has(anchor.toLowerCase())) return [];
    return [at(document, line, `${target} has no section #${anchor}.`)];
  });
}

const cache = new WeakMap<Document, Set<string>>();

/** Anchors of a document's headings as GitHub makes them, doubles numbered, plus explicit `id` and `name` attributes. */
function anchorsOf(document: Document): Set<string> {
  const known = cache.get(document);
  if (known !== undefined) return known;
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const { title } of document.headings) {
    const slug = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  for (const [, id = ''] of document.text.matchAll(/\b(?:id|name)="([^"\n]{1,100})"/g))
    anchors.add(id.toLowerCase());
  cache.set(document, anchors);
  return anchors;
}

/** Whether one of the texts contains a name as a whole word. The words are read once, when the first name is asked for. */
export function mentionsIn(read: () => readonly string[]): (name: string) => boolean {
  let texts: readonly string[] | undefined;
  let words = new Set<string>();
  const dotted = new Map<string, boolean>();
  return (name) => {
    if (texts === undefined) {
      texts = read();
      words = new Set(texts.flatMap((text) => text.match(/[\w$]+/g) ?? []));
    }
    const parts = name.split('.').filter((part) => part !== '');
    if (!parts.every((part) => words.has(part))) return false;
    if (parts[0] === name) return true;
    const known = dotted.get(name) ?? texts.some((text) => standsIn(text, name));
    dotted.set(name, known);
    return known;
  };
}

function standsIn(text: string, name: string): boolean {
  for (let from = text.indexOf(name); from >= 0; from = text.indexOf(name, from + name.length)) {
    if (!/[\w$]/.test(text[from - 1] ?? '') && !/[\w$]/.test(text[from + name.length] ?? '')) return true;
  }
  return false;
}
