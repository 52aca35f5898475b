import { type Document, type Heading, linesText } from '../../base/markdown/document.ts';
import { withoutLastNote } from '../../base/text/strings.ts';
import { type CompactMarks, readCompactMarks } from './compact.ts';

export type PhaseFile = {
  document: Document;
  /** File name inside `phases/`. */
  file: string;
  /** `2`, or `2.5` for an inserted half phase; undefined when the name has no number. */
  number: number | undefined;
  slug: string;
  /** S-002: `NN-slug.md`, two digits, kebab-case (half phases are read, S-003). */
  wellNamed: boolean;
  title: Heading | undefined;
  /** Number in the H1. */
  titleNumber: number | undefined;
  /** Name in the H1. */
  name: string;
  steps: readonly Step[];
  compact: CompactMarks;
  outputs: readonly Declared[];
  inputs: readonly Declared[];
  nextPhase: Heading | undefined;
  completion: Heading | undefined;
};

/** A variable or file named in an Input or Output section. */
type Declared = { name: string; kind: 'variable' | 'file'; line: number };

const fileName = /^(\d+(?:\.\d+)?)[-_](.+)\.md$/;
const goodFileName = /^\d{2}(?:\.\d)?-[a-z0-9]+(?:-[a-z0-9]+)*\.md$/;

/** Reads one file of `phases/`. */
export function readPhaseFile(document: Document): PhaseFile {
  const file = document.path.slice(document.path.lastIndexOf('/') + 1);
  const named = fileName.exec(file);
  const title = document.headings.find(({ level }) => level === 1);
  const heading = /^(?:[^\p{L}\p{N}]*)phase\s+(\d+(?:\.\d+)?)\s*(?:[:：—–-]\s*(.*))?$/iu.exec(
    title?.title ?? '',
  );
  const half = halfPhase(named, heading?.[1]);
  return {
    document,
    file,
    number: half ?? (named?.[1] === undefined ? undefined : Number(named[1])),
    slug: (half === undefined ? named?.[2] : named?.[2]?.slice(2)) ?? file.replace(/\.md$/, ''),
    wellNamed: goodFileName.test(file) && half === undefined,
    title,
    titleNumber: heading?.[1] === undefined ? undefined : Number(heading[1]),
    name: (heading?.[2] ?? title?.title ?? '').trim(),
    steps: readSteps(document),
    compact: readCompactMarks(document),
    outputs: readDeclared(document, /^outputs?$/i),
    inputs: readDeclared(document, /^inputs?$/i),
    nextPhase: findHeading(document, /^next\s+phase\b/i),
    completion: findHeading(document, /^completion\b/i),
  };
}

/** `06-5-auto-fix.md` headed "Phase 6.5" is a half phase in a wrong spelling, not a second phase 6. */
function halfPhase(named: RegExpExecArray | null, title: string | undefined): number | undefined {
  const digit = /^(\d)-/.exec(named?.[2] ?? '')?.[1];
  if (named?.[1] === undefined || digit === undefined || title === undefined) return undefined;
  const number = Number(`${named[1]}.${digit}`);
  return number === Number(title) ? number : undefined;
}

/** A heading by its words, numbering and decoration left out. */
export function findHeading(document: Document, wanted: RegExp): Heading | undefined {
  return document.headings.find((heading) => heading.level > 1 && wanted.test(plainHeading(heading)));
}

const plainTitles = new WeakMap<Heading, string>();

/** Every section rule asks for the plain title of every heading, so it is made once. */
function plainHeading(heading: Heading): string {
  const known = plainTitles.get(heading);
  if (known !== undefined) return known;
  const title = plainTitle(heading.title);
  plainTitles.set(heading, title);
  return title;
}

/** `## 6. Data Flow (details)` and `## Data Flow — Plan Mode` are "Data Flow". */
export function plainTitle(title: string): string {
  return withoutLastNote(title.replace(/^[^\p{L}]+/u, ''))
    .replace(/\s+/g, ' ')
    .replace(/ [—–] .*$/, '')
    .replace(/[*_`:]+/g, '')
    .trim();
}

/** The backticked names in an Input or Output section, one finding of a name enough. */
function readDeclared(document: Document, wanted: RegExp): Declared[] {
  const heading = findHeading(document, wanted);
  if (heading === undefined) return [];
  const found = new Map<string, Declared>();
  for (let line = heading.line + 1; line < heading.endLine; line += 1) {
    const text = linesText(document, line, line + 1);
    const lead = /\*\*\s*(variables?|files?)\s*\*\*|^\s*[-*]\s*(variables?|files?)\s*[::]/i.exec(text);
    const word = (lead?.[1] ?? lead?.[2] ?? '').toLowerCase();
    if (word === '') continue;
    for (const [, name = ''] of text.matchAll(/`([^`\n]{1,200})`/g)) {
      const isFile = word.startsWith('file');
      const clean = isFile ? name : (/^[A-Za-z_$][\w$.]*/.exec(name)?.[0] ?? '');
      if (clean !== '' && !found.has(clean))
        found.set(clean, { name: clean, kind: isFile ? 'file' : 'variable', line });
    }
  }
  return [...found.values()];
}

export type Step = { id: string; title: string; level: number; line: number; endLine: number };

const stepTitle = /^(?:[^\p{L}\p{N}]*)step\s+(\d+(?:\.\d+)*[a-z]?)(?=$|[\s:.)：—–-])\s*[:.)：—–-]*\s*(.*)$/iu;

/** S-084: step headings at the shallowest level (H2–H4) where this file has any; deeper ones are sub-steps. */
export function readSteps(document: Document): Step[] {
  const steps: Step[] = [];
  for (const { level, title, line, endLine } of document.headings) {
    if (level < 2 || level > 4) continue;
    const match = stepTitle.exec(title);
    if (match?.[1] !== undefined) steps.push({ id: match[1], title: match[2] ?? '', level, line, endLine });
  }
  const shallowest = Math.min(...steps.map(({ level }) => level));
  return steps.filter(({ level }) => level === shallowest);
}
