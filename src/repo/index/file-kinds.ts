/** What a file is for. */
export type FileKind = 'source' | 'test' | 'document' | 'configuration' | 'other';

export type Language = 'javascript' | 'typescript' | 'other';

const testPath =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing|fixtures)\/|(?:[._-](?:test|spec|test-d|bench|cy)|_test|Tests?)\.[a-zA-Z]+$|(?:^|\/)test_[^/]+\.py$|(?:^|\/)conftest\.py$/;
const documentPath = /\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)(?:LICENSE|NOTICE|AUTHORS|CHANGES|CHANGELOG)[^/]*$/i;
const configurationPath =
  /\.(?:json|jsonc|ya?ml|toml|ini|cfg|conf|env|properties|lock|editorconfig)$|(?:^|\/)(?:Makefile|Dockerfile|\.[^/]+)$|(?:^|\/)[^/]*\.config\.[cm]?[jt]s$|(?:^|\/)\.(?:github|circleci|vscode)\//;
const sourcePath =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|pyi|rb|go|rs|java|kt|kts|scala|cs|fs|swift|m|mm|c|h|cc|cpp|hpp|cxx|php|pl|pm|lua|ex|exs|erl|hs|ml|clj|dart|r|jl|sh|bash|zsh|ps1|sql|graphql|proto|css|scss|less|html|ejs|hbs|j2|jinja2?)$/i;

export function fileKind(path: string): FileKind {
  if (documentPath.test(path)) return 'document';
  if (testPath.test(path)) return 'test';
  if (configurationPath.test(path)) return 'configuration';
  return sourcePath.test(path) ? 'source' : 'other';
}

export function languageOf(path: string): Language {
  if (/\.[cm]?tsx?$/.test(path)) return 'typescript';
  return /\.[cm]?jsx?$/.test(path) ? 'javascript' : 'other';
}

/** Whether the file can be parsed as JavaScript or TypeScript. */
export const isScript = (path: string): boolean => languageOf(path) !== 'other';
