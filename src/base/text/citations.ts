/** A place in the repository named in running text: `src/a.ts:12` or `src/a.ts:12-20`. */
export type TextCitation = { file: string; line: number; endLine?: number };

/** Extensions that count as a path by themselves. */
const longExtensions =
  'astro bash bat bazel bzl cc cfg cjs clj cmake conf cpp cs css csv cts cxx dart dockerfile eex el ex exs fs fsx gleam go gradle graphql groovy hcl heex hpp hs html ini ipynb java jl js json json5 jsonc jsonl jsx kt kts less lua markdown md mdx mjs ml mli mm mod mts nim nix php pl proto ps1 py pyi rb rego rs rst sass scala scss sh sol sql sum svelte svg swift tf tfvars toml ts tsv tsx vue xml yaml yml zig zsh'.split(
    ' ',
  );

/** L-371: short extensions that also end ordinary words; they need a path-like stem or a line number. */
const shortExtensions = 'c env h lock m r txt'.split(' ');

const extension = [...longExtensions, ...shortExtensions].join('|');
const plainNames = 'Makefile|Dockerfile|Justfile|Rakefile|Gemfile|Procfile|CMakeLists';
/** Names that are also words: with a line they are files. */
const wordNames = new Set(
  'AUTHORS BUILD Brewfile CHANGELOG CODEOWNERS COPYING Jenkinsfile LICENCE LICENSE NOTICE README VERSION Vagrantfile WORKSPACE'.split(
    ' ',
  ),
);

/** What ends the names of machines: after these the number is a port. */
const hostEndings = new Set(
  'app cloud com corp dev edu example gov home host info internal invalid lan local localhost net org svc test'.split(
    ' ',
  ),
);

/** Text between blanks, quotes and separators. Longer tokens cannot be paths, and are skipped to stay linear. */
const tokenPattern = /[^\s`"'<>,;|*]+/g;
const maxToken = 400;

/** `:12`, `:12-20`, `:12:5` (line and column), `:L12`, `#L12-L20`; a colon may follow. */
const lineSuffix = '(?::L?|#L)(\\d{1,7})(?:-L?(\\d{1,7})|:\\d{1,7})?(?![\\d-])';

/** L-371: after the extension come the end, a line, or a character that cannot continue a path. */
const pathPattern = new RegExp(
  `^((?:[A-Za-z0-9_@.+~/[\\]()-]*[A-Za-z0-9_)\\]-]\\.(?:${extension})|(?:[A-Za-z0-9_./-]*/)?(?:${plainNames})))` +
    `(?:${lineSuffix}|:?$|(?![A-Za-z0-9_:/-]))`,
  'i',
);

const citedPattern = new RegExp(`^([A-Za-z0-9_@.+~/[\\]()-]+)${lineSuffix}(?![A-Za-z/])`);

/** Every `path` or `path:line` in a text, with the extension rules that keep prose and banners out (F-06). */
export function pathsIn(text: string): { path: string; line?: number; endLine?: number }[] {
  return (text.match(tokenPattern) ?? [])
    .filter((token) => token.length <= maxToken)
    .map((token) => withoutOpeningBracket(token))
    .map((token) => pathPattern.exec(token) ?? otherFile(token))
    .filter((match) => match !== null)
    .map((match) => ({
      path: match[1] ?? '',
      ...(match[2] === undefined ? {} : { line: Number(match[2]) }),
      ...(match[3] === undefined ? {} : { endLine: Number(match[3]) }),
    }))
    .filter(isPathLike);
}

/**
 * With a line everything that is named like a file is one: any extension, names that begin with a dot, names that are also
 * words. Not a port of a machine (two letters may be a country), nor `file.mdjunk:42`.
 */
function otherFile(token: string): RegExpExecArray | null {
  const match = citedPattern.exec(token);
  if (match === null) return null;
  const [, folder = '', name = ''] = /^(.*\/)?([^/]*)$/.exec(match[1] ?? '') ?? [];
  if (/^\.[A-Za-z]/.test(name) || wordNames.has(name)) return match;
  const dot = name.lastIndexOf('.');
  const [stem, kind] = [name.slice(0, Math.max(0, dot)), name.slice(dot + 1).toLowerCase()];
  if (!/[A-Za-z_]/.test(stem) || !/^[a-z][a-z0-9]{0,9}$/.test(kind) || hostEndings.has(kind)) return null;
  if (longExtensions.some((known) => kind.startsWith(known))) return null;
  const isPlace = folder !== '' && !folder.startsWith('//');
  return kind.length > 2 || isPlace ? match : null;
}

/** Every `file:line` in a text. */
export function citationsIn(text: string): TextCitation[] {
  return pathsIn(text).flatMap(({ path, line, endLine }) =>
    line === undefined || line === 0
      ? []
      : [{ file: path, line, ...(endLine === undefined || endLine < line ? {} : { endLine }) }],
  );
}

function isPathLike({ path, line }: { path: string; line?: number }): boolean {
  const match = /^(.*)\.([A-Za-z0-9]+)$/.exec(path);
  if (!match || !shortExtensions.includes(match[2]?.toLowerCase() ?? '')) return true;
  return line !== undefined || /[/_-]/.test(match[1] ?? '');
}

/** `(src/a.ts:3)` is a bracket around a path; `(group)/page.tsx` is a path. */
function withoutOpeningBracket(token: string): string {
  const closedEarly = /^[([{][^)\]}]*[)\]}][^)\]}.,]*\//.test(token);
  return closedEarly ? token : token.replace(/^[([{]+/, '');
}
