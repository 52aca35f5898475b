import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isRecord, readJson } from '../base/safe-json.ts';
import { toLines } from '../base/text/labelled-block.ts';

/** What the real mermaid parser says; `unavailable` when it cannot be run here. */
export type ParserVerdict =
  | { kind: 'ok' }
  | { kind: 'error'; message: string }
  | { kind: 'unavailable'; message: string };

export type DiagramParser = (mermaid: string) => Promise<ParserVerdict>;

/** C-14: the outcome is a value of the run, not something to be found in a log. */
export type DiagramOutcome =
  | { status: 'ok'; file: string; parsed: boolean }
  | { status: 'rejected'; tokens: ReasonToken[]; message?: string }
  | { status: 'generation-failed'; reason: string }
  | { status: 'skipped'; reason: string };

/** L-742: the candidate file: heading, then one fence longer than any run of backticks in the diagram. */
export function diagramFile(mermaid: string): string {
  const source = unwrapFence(mermaid);
  const longest = Math.max(2, ...(source.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `## Architecture Diagram\n\n${fence}mermaid\n${source}\n${fence}\n`;
}

/** The file without its heading, for places that put one above it. */
export function diagramBody(file: string): string {
  return file.replace(/^## Architecture Diagram\n+/, '');
}

/** L-742…L-744, L-760: own rules first, then the real parser; only a diagram that passes both is promoted. */
export async function checkDiagram(
  mermaid: string | null,
  reason: string | null,
  parse?: DiagramParser,
): Promise<DiagramOutcome> {
  if (mermaid === null || mermaid.trim() === '') {
    return { status: 'generation-failed', reason: reason ?? 'the author gave no diagram' };
  }
  const file = diagramFile(mermaid);
  const result = sanitizeDiagramFile(file);
  if (result.status !== 'ok') {
    const { error: message } = result;
    return { status: 'rejected', tokens: tokensOf(result), ...(message === undefined ? {} : { message }) };
  }
  const verdict = (await parse?.(unwrapFence(mermaid))) ?? {
    kind: 'unavailable',
    message: 'no parser was given',
  };
  if (verdict.kind === 'error')
    return { status: 'rejected', tokens: ['mermaid-parse-error'], message: verdict.message };
  return { status: 'ok', file, parsed: verdict.kind === 'ok' };
}

/**
 * L-743, L-758: the entries for the execution-issues log, of the sanitizer and of the step. A later caller searches
 * for the words of the first (C-14). Tokens only, never diagram text.
 */
export function diagramIssues(outcome: DiagramOutcome): string[] {
  if (outcome.status !== 'rejected') return [];
  return [
    `- **Step 3b — mermaid sanitizer rejected:** ${outcome.tokens.join(' ')}`,
    `- **Step 3b — architecture diagram rejected:** ${outcome.tokens.join(',')}`,
  ];
}

/** Agents often send the fence along although only its inside was asked for. */
function unwrapFence(text: string): string {
  const lines = text.trim().split('\n');
  const opener = /^(`{3,}|~{3,})\s*(?:mermaid)?\s*$/i.exec(lines[0] ?? '')?.[1];
  const wrapped = opener !== undefined && lines.length > 2 && lines.at(-1)?.trim() === opener;
  return (wrapped ? lines.slice(1, -1).join('\n') : text).trim();
}

/** L-759, and ours: exactly one fence, nothing that acts where it is shown, and a diagram the real parser understands. */
export const reasonTokens = [
  'pipe-in-node-label',
  'br-in-participant-alias',
  'dollar-in-participant-alias',
  'unclosed-frontmatter',
  'directive',
  'link-or-script',
  'html-in-label',
  'not-one-fence',
  'unclosed-fence',
  'mermaid-parse-error',
  'internal-error',
] as const;
export type ReasonToken = (typeof reasonTokens)[number];

/** Token and position are separate fields, so that no caller parses a line (F-28). */
export type DiagramReason = { token: ReasonToken; fence: number; line: number };

/** L-756, L-757: only `ok` lets a diagram pass. */
export type SanitizerResult = {
  status: 'ok' | 'rejected' | 'internal-error';
  reasons: DiagramReason[];
  fenceCount: number;
  /** Only in markdown mode. */
  headings: FenceHeading[];
  error?: string;
};

export type SanitizerMode = 'raw' | 'markdown';

/** L-750…L-757: checks diagram text for what breaks published pages. It never throws; internal errors fail closed. */
export function sanitizeDiagram(text: string, mode: SanitizerMode = detectMode(text)): SanitizerResult {
  try {
    const fences =
      mode === 'markdown' ? mermaidFences(text) : [{ lines: toLines(text), heading: 'unknown' as const }];
    const reasons = fences.flatMap(({ lines }, index) =>
      checkFence(lines).map(({ token, line }) => ({ token, fence: index + 1, line })),
    );
    return {
      status: reasons.length === 0 ? 'ok' : 'rejected',
      reasons,
      fenceCount: fences.length,
      headings: mode === 'markdown' ? fences.map(({ heading }) => heading) : [],
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: 'internal-error', reasons: [], fenceCount: 0, headings: [], error: message };
  }
}

/** L-760: what a diagram file of ours must be besides: one closed mermaid fence. */
export function sanitizeDiagramFile(text: string): SanitizerResult {
  const result = sanitizeDiagram(text, 'markdown');
  if (result.status === 'internal-error') return result;
  const fences = mermaidFences(text);
  const extra: DiagramReason[] = [];
  if (fences.length !== 1) extra.push({ token: 'not-one-fence', fence: fences.length, line: 0 });
  fences.forEach(({ closed }, index) => {
    if (!closed) extra.push({ token: 'unclosed-fence', fence: index + 1, line: 0 });
  });
  const reasons = [...result.reasons, ...extra];
  return { ...result, reasons, status: reasons.length === 0 ? 'ok' : 'rejected' };
}

/** C-15, L-758: the distinct tokens of a result, sorted; an internal error has the token of that name. */
export function tokensOf({ status, reasons }: SanitizerResult): ReasonToken[] {
  return status === 'internal-error'
    ? ['internal-error']
    : [...new Set(reasons.map(({ token }) => token))].sort();
}

type Hit = { token: ReasonToken; line: number };

function detectMode(text: string): SanitizerMode {
  return toLines(text).find((line) => line.trim() !== '') === '```mermaid' ? 'markdown' : 'raw';
}

function checkFence(lines: readonly string[]): Hit[] {
  const start = bodyStart(lines);
  if (start === 'unclosed') return [{ token: 'unclosed-frontmatter', line: 1 }];
  const first = lines[start]?.trim() ?? '';
  const acting = lines.flatMap((text, index) => actingHits(text, index + 1, first));
  const body = lines.slice(start + 1).map((text, index) => ({ text, line: start + index + 2 }));
  if (/^(?:flowchart|graph)(?:\s|$)/.test(first)) {
    // What follows the type on its own line, or after a semicolon, is part of the graph too.
    const hit = [{ text: first, line: start + 1 }, ...body].find(
      ({ text }) => !/^\s*%%/.test(text) && hasPipeInLabel(text),
    );
    return [...(hit ? [{ token: 'pipe-in-node-label' as const, line: hit.line }] : []), ...acting];
  }
  if (/^sequenceDiagram(?:\s|$)/.test(first))
    return [...body.flatMap(({ text, line }) => aliasHits(text, line)), ...acting];
  return acting;
}

/** Statements of each diagram type that link or call something. */
const linkStatements: readonly [RegExp, RegExp][] = [
  [/^(?:flowchart|graph|gantt|stateDiagram)/, /(?:^|;)\s*click\s+\w/],
  [/^classDiagram/, /(?:^|;)\s*(?:click|link|callback)\s+\w/],
  [/^sequenceDiagram/, /(?:^|;)\s*(?:links?|properties|details)\s+\S+\s*:/],
];
const scriptAddress = /\b(?:java|vb)script\s*:|\bdata\s*:\s*\w+\/|\bon\w+\s*=\s*["']/i;
/** Elements with attributes, and those that act without any; `Map<String>` and `<Button>` are words. */
const element = /<\/?(?:script|iframe|object|embed|style|svg|math|meta|base)\b|<[a-z][\w-]*\s[^<>]*=/i;

/** Other pages show the diagram with their settings: it must not set options, link, call scripts or add elements. */
function actingHits(text: string, line: number, first: string): Hit[] {
  if (/%%\{/.test(text)) return [{ token: 'directive', line }];
  if (/^\s*%%/.test(text)) return [];
  const leads = linkStatements.some(([kind, statement]) => kind.test(first) && statement.test(text));
  if (leads || scriptAddress.test(text)) return [{ token: 'link-or-script', line }];
  return element.test(text) ? [{ token: 'html-in-label', line }] : [];
}

/** L-752: the first line that is neither blank, nor a comment, nor leading front matter. */
function bodyStart(lines: readonly string[]): number | 'unclosed' {
  const skip = (from: number) => {
    const found = lines.slice(from).findIndex((line) => !/^\s*(?:%%.*)?$/.test(line));
    return found === -1 ? lines.length : from + found;
  };
  const start = skip(0);
  if (lines[start]?.trim() !== '---') return start;
  const end = lines.slice(start + 1).findIndex((line) => line.trim() === '---');
  return end === -1 ? 'unclosed' : skip(start + end + 2);
}

/** L-754: a bare `|` inside a node's brackets. Edge labels between pipes at depth 0 may hold anything (L-760). */
function hasPipeInLabel(text: string): boolean {
  let depth = 0;
  let quoted = false;
  let edgeLabel = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (edgeLabel) edgeLabel = character !== '|';
    else if (quoted) {
      if (character === '\\') index += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = depth > 0;
    else if ('[({'.includes(character)) depth += 1;
    else if ('])}'.includes(character)) depth = Math.max(0, depth - 1);
    else if (character === '|') {
      if (depth > 0) return true;
      edgeLabel = text.indexOf('|', index + 1) !== -1;
    }
  }
  return false;
}

/** L-755 */
function aliasHits(text: string, line: number): Hit[] {
  const alias = /^\s*(?:create\s+)?(?:participant|actor)\s+\S+\s+as\s+(.+)$/i.exec(text)?.[1];
  if (alias === undefined) return [];
  const hits: Hit[] = [];
  if (/<br\s*\/?>/i.test(alias)) hits.push({ token: 'br-in-participant-alias', line });
  if (alias.includes('$')) hits.push({ token: 'dollar-in-participant-alias', line });
  return hits;
}

const wallMs = 20_000;
const maximumOutput = 64 * 1024;

/** The parser program: the built file, which starts three times as fast, or the source next to this file. */
const places = import.meta.url.endsWith('.ts')
  ? ['../../dist/mermaid-program.js', './mermaid-program.ts']
  : ['./mermaid-program.js', '../mermaid-program.js'];

/** L-760: parses a diagram with the real mermaid parser in a short-lived process. What cannot be run is `unavailable`, never `ok`. */
export function parseMermaid(mermaid: string): Promise<ParserVerdict> {
  const program = places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((file) => existsSync(file));
  if (program === undefined) {
    return Promise.resolve({
      kind: 'unavailable',
      message: 'the mermaid parser is not part of this installation',
    });
  }
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--max-old-space-size=512', program], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '' },
      timeout: wallMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < maximumOutput) output += text;
    });
    child.on('error', (error) => resolve({ kind: 'unavailable', message: error.message }));
    child.on('close', (code, signal) => resolve(readVerdict(output, code, signal)));
    child.stdin.on('error', () => undefined);
    child.stdin.end(mermaid);
  });
}

function readVerdict(output: string, code: number | null, signal: NodeJS.Signals | null): ParserVerdict {
  const reading = readJson(output, maximumOutput * 2);
  if (!reading.ok || !isRecord(reading.value)) {
    return {
      kind: 'unavailable',
      message: `the mermaid parser ended without a verdict (${signal ?? `exit ${code}`})`,
    };
  }
  if (reading.value['ok'] === true) return { kind: 'ok' };
  return { kind: 'error', message: String(reading.value['message'] ?? 'not understood') };
}

export type FenceHeading = 'architecture' | 'code-flow' | 'unknown';

type MermaidFence = {
  /** The lines between opener and closer. */
  lines: string[];
  heading: FenceHeading;
  closed: boolean;
};

type OpenFence = { mark: string; length: number; mermaid: MermaidFence | undefined };

/** L-751: every mermaid fence of a document; fences inside another open fence are content. An unclosed one runs to the end. */
export function mermaidFences(text: string): MermaidFence[] {
  const fences: MermaidFence[] = [];
  const outside: string[] = [];
  let open: OpenFence | undefined;
  for (const line of toLines(text)) {
    if (open) {
      if (closes(line, open)) {
        if (open.mermaid) open.mermaid.closed = true;
        open = undefined;
      } else open.mermaid?.lines.push(line);
      continue;
    }
    open = opens(line, outside);
    if (open?.mermaid) fences.push(open.mermaid);
    else if (!open && line.trim() !== '') outside.push(line);
  }
  return fences;
}

/** Up to three spaces, three or more marks, an info string; an info string after backticks has no backtick. */
function opens(line: string, outside: readonly string[]): OpenFence | undefined {
  const match = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
  const [, marks = '', info = ''] = match ?? [];
  const mark = marks[0];
  if (mark === undefined || (mark === '`' && info.includes('`'))) return undefined;
  const mermaid = info.trim().toLowerCase() === 'mermaid';
  return {
    mark,
    length: marks.length,
    mermaid: mermaid ? { lines: [], heading: headingOf(outside), closed: false } : undefined,
  };
}

function closes(line: string, { mark, length }: OpenFence): boolean {
  const marks = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return marks !== undefined && marks[0] === mark && marks.length >= length;
}

/** L-756: the heading among the last five non-blank lines before the fence. */
function headingOf(outside: readonly string[]): FenceHeading {
  const near = outside.slice(-5).map((line) => line.trim().toLowerCase());
  if (near.includes('## code flow diagram')) return 'code-flow';
  return near.includes('## architecture diagram') ? 'architecture' : 'unknown';
}
