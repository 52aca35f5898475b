/** A name that a file declares, where, and how sure we are: `parsed` by a real parser, `matched` by a word rule. */
export type Declaration = {
  name: string;
  kind: 'function' | 'class' | 'method' | 'type' | 'variable' | 'other';
  line: number;
  endLine: number;
  exported: boolean;
  /** The class or object it belongs to. */
  owner?: string;
  basis: 'parsed' | 'matched';
};

type MatchRule = { kind: Declaration['kind']; pattern: RegExp };

/** Declarations of languages we have no parser for, by the word before the name. */
const matchRules: readonly MatchRule[] = [
  {
    kind: 'class',
    pattern:
      /^[ \t]*(?:(?:public|private|protected|internal|abstract|final|sealed|static|data|export|pub(?:\([a-z]+\))?|partial|case|open)\s+)*(?:class|struct|interface|trait|enum|object|module|protocol|record|impl)\s+([A-Za-z_]\w*)/,
  },
  {
    kind: 'function',
    pattern:
      /^[ \t]*(?:(?:public|private|protected|internal|static|final|async|export|default|pub(?:\([a-z]+\))?|override|virtual|inline|suspend|open|unsafe|extern)\s+)*(?:def|func|fn|fun|function|sub|defp?|defmacro)\s+(?:\([^)]*\)\s*)?([A-Za-z_$]\w*[?!]?)/,
  },
  {
    kind: 'type',
    pattern: /^[ \t]*(?:export\s+|pub\s+)?(?:type|typedef|typealias|newtype)\s+([A-Za-z_]\w*)/,
  },
  {
    kind: 'variable',
    pattern: /^(?:export\s+)?(?:const|let|var|val|static)\s+([A-Za-z_$]\w*)|^([A-Z][A-Z0-9_]{2,})\s*=/,
  },
];

/** Names a text seems to declare, line by line; needs no parser and never fails. */
export function matchDeclarations(text: string): Declaration[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.length > 400) return [];
    for (const { kind, pattern } of matchRules) {
      const match = pattern.exec(line);
      const name = match?.[1] ?? match?.[2];
      if (name === undefined) continue;
      const at = index + 1;
      const exported = /^\s*(?:export|pub|public)\b/.test(line);
      return [{ name, kind, line: at, endLine: at, exported, basis: 'matched' as const }];
    }
    return [];
  });
}
