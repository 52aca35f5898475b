import { CharretteError } from '../../../base/errors.ts';
import type { Offence } from './scan-entries.ts';

const codeBased =
  'To continue without the bundle, run `charrette refine --path code`, which builds from the design documents.';

export function notFound(file: string): CharretteError {
  return new CharretteError({
    code: 'DESIGN_IMPORT_NOT_FOUND',
    message: `Cannot read a bundle at ${file}.`,
    fix: `Give the path of a .zip or .html file. ${codeBased}`,
  });
}

export function unsupportedFormat(found: string): CharretteError {
  return new CharretteError({
    code: 'DESIGN_IMPORT_UNSUPPORTED_FORMAT',
    message: `The bundle is ${found}; supported are a ZIP archive (.zip) and one HTML page (.html, .htm).`,
    fix: `Export the design again as ZIP or HTML. ${codeBased}`,
  });
}

/** Other programs search for these three lines: version found, versions supported, alternative. */
export function unsupportedVersion(detected: string, supported: readonly string[]): CharretteError {
  return new CharretteError({
    code: 'DESIGN_IMPORT_UNSUPPORTED_VERSION',
    message: [
      'the version of the bundle is not supported',
      `Detected bundle version: v${detected}`,
      `Supported versions: ${supported.join(', ')}`,
      'Switch to path B: run charrette refine --path code',
    ].join('\n'),
    fix: 'Add the version to design.claude_design.supported_bundle_versions only when you know that it reads the same.',
  });
}

const shownOffences = 20;

export function securityReject(offences: readonly Offence[]): CharretteError {
  const lines = offences
    .slice(0, shownOffences)
    .map(({ entry, reason }) => `  ${JSON.stringify(entry)}: ${reason}`);
  const more = offences.length > shownOffences ? [`  and ${offences.length - shownOffences} more`] : [];
  return new CharretteError({
    code: 'DESIGN_IMPORT_SECURITY_REJECT',
    message: ['the bundle was refused and nothing was written:', ...lines, ...more].join('\n'),
    fix: `Take these entries out of the bundle, or export it again. ${codeBased}`,
  });
}

export function missingManifest(found: string): CharretteError {
  return new CharretteError({
    code: 'DESIGN_IMPORT_MISSING_MANIFEST',
    message: `The bundle ${found}; without manifest.json and its format_version its version is unknown.`,
    fix: `Export the design again. ${codeBased}`,
  });
}

/** What a person should know about an import that went through. */
export type ImportWarning = {
  code:
    | 'renamed'
    | 'conflict'
    | 'missing-group'
    | 'missing-part'
    | 'not-imported'
    | 'asset-type'
    | 'asset-content'
    | 'svg-cleaned'
    | 'svg-refused'
    | 'markup-cleaned'
    | 'too-large'
    | 'tokens-unreadable'
    | 'copy-shape'
    | 'external'
    | 'script'
    | 'brand-conflict';
  entry?: string;
  text: string;
  /** Ways out, where there is a choice. */
  options?: string[];
};

/** How large a bundle may be. What is over a limit is refused before anything is written. */
export const limits = {
  entries: 10_000,
  /** One file of the bundle, unpacked. */
  entryBytes: 256 * 1024 * 1024,
  /** All files of the bundle, unpacked. */
  totalBytes: 1024 * 1024 * 1024,
  /** Unpacked over packed; small files are let off, since a page of blanks packs as well as a bomb. */
  ratio: 200,
  ratioFrom: 1024 * 1024,
  nameBytes: 512,
  depth: 16,
  /** Files that are read whole. */
  manifestBytes: 1024 * 1024,
  documentBytes: 8 * 1024 * 1024,
  svgBytes: 8 * 1024 * 1024,
  componentBytes: 512 * 1024,
  /** Limit on the markup of all components together; beyond it only names are imported. */
  componentTotalBytes: 16 * 1024 * 1024,
  htmlBytes: 32 * 1024 * 1024,
  /** Elements of a page or of a component, those that the parser repeats among them. */
  elements: 500_000,
  /** Limits on the texts that are imported as copy, and on their characters together. */
  texts: 2000,
  textCharacters: 8 * 1024 * 1024,
  /** Attributes of one element of a drawing. */
  svgAttributes: 1000,
  /** Namespaces that are declared at one place of a drawing: the parser goes through all of them at every element. */
  svgNamespaces: 64,
} as const;

/** Programs; a design has none. */
export const executableExtensions: readonly string[] = [
  ...['sh', 'exe', 'bat', 'cmd', 'ps1', 'py', 'rb', 'pl'],
  ...['com', 'scr', 'msi', 'dll', 'so', 'dylib', 'app', 'jar', 'vbs', 'wsf', 'lnk', 'desktop', 'command'],
];

export const archiveExtensions: readonly string[] = [
  ...[
    'zip',
    'tar',
    'gz',
    'tgz',
    'bz2',
    'tbz2',
    'xz',
    'txz',
    'zst',
    '7z',
    'rar',
    'cab',
    'iso',
    'lzma',
    'zipx',
  ],
];

type AssetKind = 'image' | 'font';

/** Assets that are imported, by extension, with the first bytes that files of the kind have. */
export const assetTypes: Readonly<Record<string, { kind: AssetKind; magic: readonly string[] }>> = {
  png: { kind: 'image', magic: ['89504e470d0a1a0a'] },
  jpg: { kind: 'image', magic: ['ffd8ff'] },
  jpeg: { kind: 'image', magic: ['ffd8ff'] },
  gif: { kind: 'image', magic: ['474946383761', '474946383961'] },
  webp: { kind: 'image', magic: ['52494646'] },
  ico: { kind: 'image', magic: ['00000100'] },
  // Text; it goes through the sanitizer instead.
  svg: { kind: 'image', magic: [] },
  woff2: { kind: 'font', magic: ['774f4632'] },
  woff: { kind: 'font', magic: ['774f4646'] },
  ttf: { kind: 'font', magic: ['00010000', '74727565'] },
  otf: { kind: 'font', magic: ['4f54544f', '00010000'] },
};

/** First bytes of what must not be in a bundle, whatever its name says. */
export const forbiddenMagic: readonly { hex: string; what: 'program' | 'archive' }[] = [
  { hex: '4d5a', what: 'program' },
  { hex: '7f454c46', what: 'program' },
  { hex: '2321', what: 'program' },
  { hex: 'cafebabe', what: 'program' },
  { hex: 'feedface', what: 'program' },
  { hex: 'feedfacf', what: 'program' },
  { hex: 'cefaedfe', what: 'program' },
  { hex: 'cffaedfe', what: 'program' },
  { hex: '504b0304', what: 'archive' },
  { hex: '504b0506', what: 'archive' },
  { hex: '1f8b08', what: 'archive' },
  { hex: '425a68', what: 'archive' },
  { hex: 'fd377a585a00', what: 'archive' },
  { hex: '28b52ffd', what: 'archive' },
  { hex: '377abcaf271c', what: 'archive' },
  { hex: '526172211a07', what: 'archive' },
];
