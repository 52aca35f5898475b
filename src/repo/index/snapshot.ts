/** One text file at the commit. */
export type SnapshotFile = { path: string; oid: string; size: number; text: string };

export type SkippedFile = { path: string; reason: SkipReason };

/** One commit of the history, with the files it touched. */
export type HistoryCommit = { id: string; time: number; message: string; files: readonly string[] };

/** A repository at one commit: everything evidence is drawn from. Nothing below reads the disk. */
export type Snapshot = {
  /** Full id of the commit; for a folder without git a digest of its contents. */
  commit: string;
  files: readonly SnapshotFile[];
  skipped: readonly SkippedFile[];
  /** Newest first, merges left out, up to and including `commit`. */
  history: readonly HistoryCommit[];
};

/** The first line of a text that is not blank, from 1; 1 when all are. */
export function firstFilledLine(text: string): number {
  return (
    Math.max(
      0,
      linesOf(text).findIndex((line) => line.trim() !== ''),
    ) + 1
  );
}

/** The lines of a text, without their ends; a final line end makes no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Why a file is not read. Each is counted and can be shown; none is silent. */
export type SkipReason =
  | 'symbolic link'
  | 'submodule'
  | 'too large'
  | 'binary'
  | 'vendored'
  | 'generated'
  | 'minified'
  | 'lock file'
  | 'over the memory limit';

type PathRule = { reason: SkipReason; pattern: RegExp };

const pathRules: readonly PathRule[] = [
  {
    reason: 'vendored',
    pattern: /(?:^|\/)(?:node_modules|vendor|third_party|third-party|bower_components|\.yarn|\.pnp)\//,
  },
  { reason: 'generated', pattern: /(?:^|\/)(?:dist|coverage|\.next|\.nuxt|\.svelte-kit|__pycache__)\// },
  { reason: 'generated', pattern: /\.(?:snap|pb\.go|g\.dart|designer\.cs|map)$/i },
  { reason: 'generated', pattern: /(?:_pb2(?:_grpc)?\.py|\.generated\.[a-z]+)$/i },
  { reason: 'minified', pattern: /[.-]min\.(?:js|css|mjs)$/i },
  {
    reason: 'lock file',
    pattern:
      /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|uv\.lock|poetry\.lock|Pipfile\.lock|Cargo\.lock|Gemfile\.lock|composer\.lock|go\.sum)$/,
  },
  {
    reason: 'binary',
    pattern:
      /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|bz2|xz|7z|jar|war|class|exe|dll|so|dylib|a|o|wasm|woff2?|ttf|otf|eot|mp[34]|mov|avi|webm|ogg|wav|flac|sqlite|db|bin|dat|node|pyc)$/i,
  },
];

/** Limits on what is held in memory, in bytes. */
export const readLimits = { fileBytes: 512 * 1024, totalBytes: 96 * 1024 * 1024 } as const;

/** Why a file need not be opened, judged by its path and size alone. */
export function skipByPath(path: string, size: number): SkipReason | undefined {
  const rule = pathRules.find(({ pattern }) => pattern.test(path));
  if (rule !== undefined) return rule.reason;
  return size > readLimits.fileBytes ? 'too large' : undefined;
}

const sampleLength = 8000;
const longestAverageLine = 400;
const generatedMark =
  /@generated\b|\bDO NOT EDIT\b|\bauto-?generated (?:file|by)\b|^(?:\/\/|#|\/\*) Code generated .* DO NOT EDIT/im;

/** Why a file that was opened is not evidence, judged by its beginning. */
export function skipByContent(bytes: Uint8Array): SkipReason | undefined {
  const sample = bytes.subarray(0, sampleLength);
  if (sample.includes(0)) return 'binary';
  const text = Buffer.from(sample.buffer, sample.byteOffset, sample.byteLength).toString('latin1');
  if (generatedMark.test(text.slice(0, 600))) return 'generated';
  const lines = text.split('\n').length;
  return text.length >= 4000 && text.length / lines > longestAverageLine ? 'minified' : undefined;
}

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
