import { toLines } from '../base/text/labelled-block.ts';

export type FenceHeading = 'architecture' | 'code-flow' | 'unknown';

export type MermaidFence = {
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
