/** A place in the repository named in running text: `src/a.ts:12` or `src/a.ts:12-20`. */
export type TextCitation = { file: string; line: number; endLine?: number };

/** Extensions that count as a path by themselves. */
const longExtensions =
  'astro bash bat bazel bzl cc cfg cjs clj cmake conf cpp cs css csv cts cxx dart dockerfile eex el ex exs fs fsx gleam go gradle graphql groovy hcl heex hpp hs html ini ipynb java jl js json json5 jsonc jsx kt kts less lua markdown md mdx mjs ml mli mm mod mts nim nix php pl proto ps1 py pyi rb rego rs rst sass scala scss sh sol sql sum svelte svg swift tf tfvars toml ts tsx vue xml yaml yml zig zsh'.split(
    ' ',
  );

/** L-371: short extensions that also end ordinary words; they need a path-like stem or a line number. */
const shortExtensions = 'c env h lock m r txt'.split(' ');

const extension = [...longExtensions, ...shortExtensions].join('|');
const plainNames = 'Makefile|Dockerfile|Justfile|Rakefile|Gemfile|Procfile|CMakeLists';

/** What stands between blanks, quotes and separators; longer tokens are no paths, and are skipped to stay linear. */
const tokenPattern = /[^\s`"'<>,;|*]+/g;
const longestToken = 400;

/** L-371: after the extension come the end, `:digits`, or a character that cannot continue a path. */
const pathPattern = new RegExp(
  `^((?:[A-Za-z0-9_@.+~/[\\]()-]*[A-Za-z0-9_)\\]-]\\.(?:${extension})|(?:[A-Za-z0-9_./-]*/)?(?:${plainNames})))` +
    '(?::(\\d{1,7})(?:-(\\d{1,7}))?(?![\\d:-])|:?$|(?![A-Za-z0-9_:/-]))',
  'i',
);

/** Every `path` or `path:line` in a text, with the extension rules that keep prose and banners out (F-06). */
export function pathsIn(text: string): { path: string; line?: number; endLine?: number }[] {
  return (text.match(tokenPattern) ?? [])
    .filter((token) => token.length <= longestToken)
    .map((token) => pathPattern.exec(withoutOpeningBracket(token)))
    .filter((match) => match !== null)
    .map((match) => ({
      path: match[1] ?? '',
      ...(match[2] === undefined ? {} : { line: Number(match[2]) }),
      ...(match[3] === undefined ? {} : { endLine: Number(match[3]) }),
    }))
    .filter(isPathLike);
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
