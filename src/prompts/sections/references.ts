import { markdownLines } from '../../base/markdown/lines.ts';
import { outline } from '../../base/markdown/sections.ts';
import type { Trace } from './tasks.ts';

/** A place in a document that a reference can mean. */
export type Entry = {
  source: 'heading' | 'item';
  title: string;
  line: number;
  start: number;
  end: number;
  /** Something follows the title line. */
  hasBody: boolean;
  /** Columns before an item; 0 for headings. */
  indent: number;
  /** Found among remarks about the steps (risks, tests, dependencies), not among the steps. */
  aside: boolean;
};

const asideTitle =
  /\b(?:risks?|mitigations?|test(?:ing)? strategy|dependenc(?:y|ies)|definition of done|rollback|summary|notes?|questions?|assumptions?|coverage|out of scope)\b/i;

/** lean/C-29: headings, and numbered or bold items, which many plans use instead of headings. */
export function indexEntries(text: string): Entry[] {
  const sections = outline(text);
  const asides = sections.filter(
    ({ level, title }) => level > 1 && asideTitle.test(title.replace(/\([^()]*\)/g, '')),
  );
  const headings = sections.map(
    ({ title, line, start, end, bodyStart }): Entry => ({
      source: 'heading',
      title: stripMarks(title),
      line,
      start,
      end,
      hasBody: text.slice(bodyStart, end).trim() !== '',
      indent: 0,
      aside: false,
    }),
  );
  const items = itemEntries(text).map((item) => ({ ...item, aside: isAside(item.start) }));
  function isAside(start: number): boolean {
    while ((asides[0]?.end ?? Number.POSITIVE_INFINITY) <= start) asides.shift();
    return (asides[0]?.start ?? Number.POSITIVE_INFINITY) < start;
  }
  return [...headings, ...items];
}

/** `1.2 Title`, `1. **Title**`, `- **C9: Title**`, `**Step 3: Title**` at the start of a line. */
const itemPattern =
  /^(\s{0,12})(?:[-*+]\s+(?:\[[ xX]\]\s+)?)?(?:\*\*(?=\S)(.{1,160}?)\*\*|(\d+(?:\.\d+)*)[.)]?\s+(?=\S)(.{0,160}))/;

type OpenItem = { title: string; line: number; start: number; indent: number; first: number };

function itemEntries(text: string): Entry[] {
  const entries: Entry[] = [];
  const open: OpenItem[] = [];
  const close = (item: OpenItem, end: number) => {
    const { title, line, start, first, indent } = item;
    const hasBody = text.slice(first, end).trim() !== '';
    entries.push({ source: 'item', title, line, start, end, hasBody, indent, aside: false });
  };
  const closeFrom = (indent: number, end: number) => {
    while (open.length > 0 && (open.at(-1)?.indent ?? -1) >= indent) {
      const item = open.pop();
      if (item !== undefined) close(item, end);
    }
  };
  let afterBlank = false;
  for (const { kind, start, end, next, number } of markdownLines(text)) {
    if (kind !== 'text') continue;
    const line = text.slice(start, Math.min(end, start + 400));
    if (/^ {0,3}#{1,6}(?:\s|$)/.test(line)) closeFrom(0, start);
    const item = itemOf(line);
    if (item !== undefined) {
      closeFrom(item.indent, start);
      open.push({ ...item, line: number, start, first: next });
    } else if (afterBlank && line.trim() !== '' && !line.startsWith(' ')) {
      // A paragraph at the margin ends every list, bold lead-ins at the margin excepted.
      const last = open.at(-1);
      if (last !== undefined && !text.startsWith('**', last.start)) closeFrom(0, start);
    }
    afterBlank = line.trim() === '';
  }
  closeFrom(0, text.length);
  return entries.sort((left, right) => left.start - right.start);
}

function itemOf(line: string): { title: string; indent: number } | undefined {
  const match = itemPattern.exec(line);
  if (match === null) return undefined;
  const indent = (match[1] ?? '').length;
  if (match[2] !== undefined) return { title: stripMarks(match[2]), indent };
  return { title: stripMarks(`${match[3] ?? ''} ${match[4] ?? ''}`), indent };
}

/** The words of a title without emphasis, code marks and links' brackets. */
function stripMarks(title: string): string {
  return title.replace(/[*`[\]]/g, '').trim();
}

type ReferenceArtifact = 'plan' | 'design' | 'spec';

/** A pointer from a task into another document. */
export type Reference = {
  artifact: ReferenceArtifact;
  id: string;
  /** The word before the id: `step`, `phase`, `component`. */
  kind?: string;
};

/** lean/C-14: what separates references. A dash with spaces begins prose. */
const separators = /\s*(?:,|;|\s\/\s|\+|&|\band\b)\s*/i;
const proseStart = /\s[—–]\s|\s-\s/;

/** Field names that say which artifact their bare ids belong to. */
const fieldArtifacts: readonly (readonly [RegExp, ReferenceArtifact, string | undefined])[] = [
  [/^plan items?$/, 'plan', 'item'],
  [/^plan steps?$/, 'plan', 'step'],
  [/^plan/, 'plan', undefined],
  [/^design/, 'design', undefined],
];

const id = String.raw`[A-Za-z]{0,4}-?\d+[A-Za-z]?(?:[.-][A-Za-z]{0,3}\d+[A-Za-z]?)*`;
const kinds =
  'steps?|stages?|phases?|items?|tasks?|components?|interfaces?|sections?|decisions?|groups?|changes?';
const typed = new RegExp(
  String.raw`\b(plan|design|spec)(?:\.md)?\s+(?:§\s*)?(?:(${kinds})\s+)?(${id})(?![\w.-]*\w)`,
  'i',
);
/** `Design Component Resolver`: a name counts as an id only after the word that says what it is. */
const named = /\bdesign\s+(component|interface)\s+([A-Za-z][\w-]{3,})/i;
const bare = new RegExp(String.raw`^(?:(${kinds})\s+)?(${id})(?=$|\s*[(.:]|\s+\()`, 'i');
/** In a field that names its document the id may be followed by more: `P1 change 1`. */
const leading = new RegExp(String.raw`^(?:(${kinds})\s+)?(${id})(?=$|[\s(.:])`, 'i');
/** A piece that is nothing but a reference, remarks in parentheses aside. */
const whole = new RegExp(
  String.raw`^(?:implements\s+)?(?:(?:plan|design|spec)(?:\.md)?\s+)?(?:§\s*)?(?:(?:${kinds})\s+)?${id}\s*(?:\([^)]*\)?)?\.?$`,
  'i',
);
const designId = /^[CI]-?\d/i;
/** Requirement ids point into the specification whatever was named before them. */
const specId = /^(?:AC|FR|NFR|SC|FS|US|REQ|R)-?\d/i;
const decisionId = /^TD-?\d/i;

/** T-060, lean/C-14: the references of a task's trace fields, without repetitions, in order. */
export function parseReferences(traces: readonly Trace[]): Reference[] {
  const first = new Map<string, Reference>();
  for (const reference of traces.flatMap(referencesOfField)) {
    const key = `${reference.artifact} ${canonicalId(reference.id)}`;
    if (!first.has(key)) first.set(key, reference);
  }
  return [...first.values()];
}

function referencesOfField(trace: Trace): Reference[] {
  const row = fieldArtifacts.find(([pattern]) => pattern.test(trace.field));
  const start: Carried = {
    artifact: row?.[1],
    kind: row?.[2],
    byField: row !== undefined,
    afterWords: false,
  };
  const [before = '', ...after] = trace.value.replace(/\s+/g, ' ').split(proseStart);
  const found = referencesIn(before, start);
  return found.length > 0 ? found : after.flatMap((prose) => typedIn(prose));
}

/** What bare ids belong to at this point of a value. */
type Carried = {
  artifact: ReferenceArtifact | undefined;
  kind: string | undefined;
  /** The field's name says which document is meant. */
  byField: boolean;
  /** The piece before had words after its id, so a bare number may count those: `P5 rows 2-4, 6`. */
  afterWords: boolean;
};

function referencesIn(text: string, start: Carried): Reference[] {
  let carried = start;
  return text.split(separators).flatMap((piece) => {
    const found = [leadingOf(piece.trim(), carried), referenceOf(piece.trim(), carried)].flatMap(rangeOf);
    const first = found[0];
    if (first === undefined) return [];
    const kind = first.artifact === carried.artifact ? (first.kind ?? carried.kind) : first.kind;
    carried = {
      artifact: first.artifact,
      kind,
      byField: carried.byField && first.artifact === carried.artifact,
      afterWords: !whole.test(piece.trim()),
    };
    return found;
  });
}

/** In prose only a reference that names its document counts. */
function typedIn(prose: string): Reference[] {
  return prose.split(separators).flatMap((piece) => {
    const match = typed.exec(piece);
    if (match?.[1] === undefined || match[3] === undefined) return [];
    return [reference(match[1].toLowerCase() as ReferenceArtifact, match[3], match[2])];
  });
}

/** `P2 step 1 (design I5)` in a plan field: its own id, besides the one that names its document. */
function leadingOf(piece: string, { artifact, byField }: Carried): Reference | undefined {
  const id = byField && typed.test(piece) ? leading.exec(piece)?.[2] : undefined;
  return id === undefined || artifact === undefined ? undefined : reference(artifact, id, undefined);
}

function referenceOf(piece: string, carried: Carried): Reference | undefined {
  const match = typed.exec(piece);
  if (match?.[1] !== undefined && match[3] !== undefined) {
    return reference(match[1].toLowerCase() as ReferenceArtifact, match[3], match[2]);
  }
  const name = named.exec(piece);
  if (name?.[2] !== undefined) return reference('design', name[2], name[1]);
  const alone = (carried.byField ? leading : bare).exec(piece);
  if (alone?.[2] === undefined) return undefined;
  if (specId.test(alone[2])) return reference('spec', alone[2], undefined);
  if (decisionId.test(alone[2])) return reference('design', alone[2], undefined);
  if (carried.artifact === undefined) return undefined;
  if (carried.afterWords && alone[1] === undefined && /^\d/.test(alone[2])) return undefined;
  if (alone[1] !== undefined && !belongs(alone[1], carried.artifact)) return undefined;
  // `Plan 2.1 / C2`: components and interfaces are the design's, unless the field itself says plan.
  const artifact = !carried.byField && designId.test(alone[2]) ? 'design' : carried.artifact;
  return reference(
    artifact,
    alone[2],
    alone[1] ?? (artifact === carried.artifact ? carried.kind : undefined),
  );
}

/** `C3-C4` and `I1–I3` are several ids. */
function rangeOf(found: Reference | undefined): Reference[] {
  const match = found === undefined ? null : /^([a-z]+)(\d+)-\1(\d+)$/i.exec(found.id);
  if (found === undefined || match === null) return found === undefined ? [] : [found];
  const [from, to] = [Number(match[2]), Number(match[3])];
  if (to <= from || to - from > 20) return [found];
  return Array.from({ length: to - from + 1 }, (_, step) => ({ ...found, id: `${match[1]}${from + step}` }));
}

/** `Step 1, items 1-2`: the items are inside the step, not another reference. */
function belongs(kind: string, carried: ReferenceArtifact): boolean {
  const word = kind.toLowerCase();
  if (/^(?:item|change|section|group|decision)/.test(word)) return false;
  const isDesignWord = /^(?:component|interface)/.test(word);
  return isDesignWord ? carried === 'design' : carried === 'plan';
}

function reference(artifact: ReferenceArtifact, found: string, kind: string | undefined): Reference {
  const word = kind?.toLowerCase().replace(/s$/, '');
  if (specId.test(found)) return { artifact: 'spec', id: found };
  return word === undefined ? { artifact, id: found } : { artifact, id: found, kind: word };
}

/** `I-1` and `I1`, `c9` and `C9` are one id. */
export function canonicalId(text: string): string {
  return text.toLowerCase().replace(/^([a-z]+)-(?=\d)/, '$1');
}
