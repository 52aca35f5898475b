import { type ReasonToken, sanitizeDiagramFile, tokensOf } from './diagram-sanitizer.ts';

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
 * L-743, L-758: the entries for the execution-issues log, the sanitizer's own and the step's: a caller that goes on later looks
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
