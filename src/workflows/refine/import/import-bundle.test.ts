import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { projectWith } from '../../../../test/support/design-project.ts';
import { bundleEntries, png, writeZip, type ZipEntry } from '../../../../test/support/zip.ts';
import { CharretteError } from '../../../base/errors.ts';
import { initDesignFolder, updateDesignFolder } from '../../../prompts/context/folder.ts';
import { importBundle } from './import-bundle.ts';

function project(entries: Iterable<ZipEntry>, files: Record<string, string> = {}) {
  const root = projectWith({ 'README.md': 'x', ...files });
  const file = path.join(root, 'bundle.zip');
  writeZip(file, entries);
  return { root, file };
}

const design = (root: string, name = '') => path.join(root, '.moai/design', name);
const readAs = (root: string, name: string) => JSON.parse(readFileSync(design(root, name), 'utf8'));

/** Imports, expects a refusal, and that the project has nothing it did not have before. */
async function refused(root: string, file: string, replace = false): Promise<CharretteError> {
  const before = listing(root);
  const error = await importBundle({ root, file, replace }).catch((thrown: unknown) => thrown);
  expect(listing(root)).toEqual(before);
  if (error instanceof CharretteError) return error;
  throw new Error(`the bundle was not refused: ${JSON.stringify(error)}`);
}

const listing = (root: string) => readdirSync(root, { recursive: true }).map(String).sort();

test('IM-01 IM-05 IM-06 IM-07 IM-08 IM-09 IM-10 a whole bundle: tokens renamed, components listed, assets and copy imported, scripts out of SVG', async () => {
  const { root, file } = project(
    bundleEntries([
      { name: 'notes.txt', content: 'x' },
      { name: 'assets/film.mp4', content: 'x' },
    ]),
  );
  const report = await importBundle({ root, file });
  expect(report).toMatchObject({ format: 'zip', version: '1.0', counts: { assets: 2, components: 2 } });
  expect(readdirSync(design(root)).sort()).toEqual([
    'assets',
    'components.json',
    'copy.json',
    'import-warnings.json',
    'tokens.json',
  ]);
  expect(readAs(root, 'tokens.json')).toEqual({
    colors: { text: '#111111', primary: '#0b5fff' },
    radii: { sm: '4px' },
    typography: { fontFamily: { heading: 'Inter' } },
    spacing: { base: 4 },
    source: 'claude-design-bundle',
    bundle_version: '1.0',
  });
  expect(readAs(root, 'components.json').components).toEqual([
    {
      name: 'HeroBanner',
      file: 'hero-banner.html',
      variants: ['dark'],
      markup: '<section data-variant="dark"><h1>Hi</h1></section>',
    },
    {
      name: 'Card',
      file: 'card.json',
      variants: ['small', 'large'],
      spec: { name: 'Card', variants: ['small', 'large'] },
    },
  ]);
  expect(readFileSync(design(root, 'assets/images/logo.png'))).toEqual(png);
  expect(readFileSync(design(root, 'assets/icons/mark.svg'), 'utf8')).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"></path></svg>\n',
  );
  const warnings = readAs(root, 'import-warnings.json').warnings as {
    code: string;
    entry?: string;
    text: string;
  }[];
  expect(warnings.map(({ code, entry }) => [code, entry])).toEqual([
    ['not-imported', 'notes.txt'],
    ['markup-cleaned', 'hero-banner.html'],
    ['asset-type', 'assets/film.mp4'],
    ['renamed', undefined],
    ['renamed', undefined],
    ['renamed', undefined],
    ['svg-cleaned', 'assets/icons/mark.svg'],
  ]);
  expect(warnings.filter(({ code }) => code === 'renamed').map(({ text }) => text)).toEqual([
    'primary_color was renamed to colors.primary',
    'heading_font was renamed to typography.fontFamily.heading',
    'base_spacing was renamed to spacing.base',
  ]);
});

test('IM-06 missing token groups and parts are warnings only', async () => {
  const { root, file } = project([{ name: 'manifest.json', content: '{"format_version":"1.0"}' }]);
  const { warnings } = await importBundle({ root, file });
  expect(warnings.map(({ text }) => text)).toEqual([
    'the bundle has no tokens.json',
    'the bundle has no components',
    'the bundle has no assets',
    'the tokens have no group colors',
    'the tokens have no group typography',
    'the tokens have no group spacing',
  ]);
});

test('a bundle that was packed with its folder is read below it', async () => {
  const entries = bundleEntries().map((entry) => ({ ...entry, name: `handoff/${entry.name}` }));
  const { root, file } = project([...entries, { name: '__MACOSX/._x', content: 'x' }]);
  expect(await importBundle({ root, file })).toMatchObject({ counts: { assets: 2, components: 2 } });
  expect(existsSync(design(root, 'assets/images/logo.png'))).toBe(true);
});

const hostile: [string, ZipEntry[], RegExp][] = [
  ['zip slip', [{ name: '../evil.txt', content: 'x' }], /path traversal/],
  ['zip slip in the middle', [{ name: 'assets/../../evil.png', content: png }], /path traversal/],
  ['zip slip with backslashes', [{ name: 'assets\\..\\..\\evil.png', content: png }], /path traversal/],
  ['an absolute path', [{ name: '/etc/evil.png', content: png }], /absolute path/],
  ['a drive letter', [{ name: 'C:/evil.png', content: png }], /absolute path/],
  [
    'a symbolic link',
    [{ name: 'assets/link.png', content: '/etc/passwd', unixMode: 0o120777 }],
    /symbolic link/,
  ],
  ['a device', [{ name: 'assets/dev.png', unixMode: 0o060644 }], /neither file nor folder/],
  ['a NUL in a name', [{ name: 'assets/a.png\0.txt', content: png }], /control characters/],
  ['a program by its name', [{ name: 'assets/RUN.Sh', content: 'x' }], /executable \(\.sh\)/],
  ['a program by its name on Windows', [{ name: 'assets/run.exe. ', content: 'x' }], /executable \(\.exe\)/],
  [
    'a program by its content',
    [{ name: 'assets/a.png', content: '#!/bin/sh\nrm -rf /\n' }],
    /a program by its content/,
  ],
  ['a nested archive by its name', [{ name: 'assets/more.zip', content: 'x' }], /archive inside the archive/],
  [
    'a nested archive by its content',
    [{ name: 'assets/a.png', content: Buffer.from('504b030400', 'hex') }],
    /an archive by its content/,
  ],
  [
    'two entries of one name',
    [
      { name: 'assets/a.png', content: png },
      { name: 'assets/a.png', content: png },
    ],
    /same name/,
  ],
  [
    'names that differ in case',
    [
      { name: 'assets/a.png', content: png },
      { name: 'assets/A.PNG', content: png },
    ],
    /same name/,
  ],
  [
    'names that differ in their Unicode form',
    [
      { name: 'assets/é.png', content: png },
      { name: 'assets/é.png', content: png },
    ],
    /same name/,
  ],
  [
    'a file where a folder is needed',
    [
      { name: 'assets/a', content: 'x' },
      { name: 'assets/a/b.png', content: png },
    ],
    /is a file/,
  ],
  ['a wrong checksum', [{ name: 'assets/a.png', content: png, crc: 1 }], /checksum is wrong/],
  [
    'a size that is declared too small',
    [{ name: 'assets/a.png', content: Buffer.alloc(90_000, 7), declaredSize: 100 }],
    /more than the 100 bytes/,
  ],
  [
    'a size that is declared too large',
    [{ name: 'assets/a.png', content: png, declaredSize: 100 }],
    /not to the 100/,
  ],
  [
    'a bomb by its declared size',
    [{ name: 'assets/a.png', content: 'x', declaredSize: 2_000_000_000 }],
    /declares 2000000000 bytes/,
  ],
  ['a bomb by its ratio', [bomb(50_000_000)], /over 200 to 1/],
  ['a bomb by its real size', [{ ...bomb(50_000_000), declaredSize: 1000 }], /more than the 1000 bytes/],
  [
    'entries that share their bytes',
    [
      { name: 'assets/a.png', content: png },
      { name: 'assets/b.png', content: png, sharesWith: 8 },
    ],
    /shares its bytes/,
  ],
  ['an encrypted entry', [{ name: 'assets/a.png', content: png, flags: 0x801 }], /encrypted/],
  [
    'an unknown packing',
    [{ name: 'assets/a.png', packed: { bytes: png, size: png.length, crc: 0, method: 99 } }],
    /method that is not supported/,
  ],
];

function bomb(size: number): ZipEntry {
  return {
    name: 'assets/bomb.png',
    packed: { bytes: deflateRawSync(Buffer.alloc(size)), size, crc: 0, method: 8 },
  };
}

describe('IM-02 IM-03 IM-04 IM-11 what a design does not contain is refused, and nothing is left behind', () => {
  test.each(hostile)('%s', async (_, entries, reason) => {
    const { root, file } = project(bundleEntries(entries));
    const error = await refused(root, file);
    expect(error.code).toBe('DESIGN_IMPORT_SECURITY_REJECT');
    expect(error.message).toMatch(reason);
  });

  test('all offending entries are named, up to twenty', async () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ name: `../${index}`, content: 'x' }));
    const { root, file } = project(bundleEntries(many));
    const { message } = await refused(root, file);
    expect(message.match(/path traversal/g)).toHaveLength(20);
    expect(message).toContain('and 10 more');
  });

  test.each([0.3, 0.6, 0.9, 0.99])('a file that was cut off at %f', async (share) => {
    const { root, file } = project(bundleEntries());
    truncateSync(file, Math.floor(readFileSync(file).length * share));
    const error = await refused(root, file);
    expect(error.code).toBe('DESIGN_IMPORT_UNSUPPORTED_FORMAT');
  });
});

test('IM-12 the other four codes, each with a way on', async () => {
  const { root, file } = project(bundleEntries([], 'v2.1'), {
    'text.zip': 'hello',
    'page.pdf': '%PDF',
    'archive.html': 'PK\x03\x04',
  });
  const other = project(bundleEntries().slice(1));
  const unversioned = project([{ name: 'manifest.json', content: '{}' }]);
  const errors = [
    await refused(root, path.join(root, 'nowhere.zip')),
    await refused(root, path.join(root, 'text.zip')),
    await refused(root, path.join(root, 'page.pdf')),
    await refused(root, path.join(root, 'archive.html')),
    await refused(root, file),
    await refused(other.root, other.file),
    await refused(unversioned.root, unversioned.file),
  ];
  expect(errors.map(({ code }) => code)).toEqual([
    'DESIGN_IMPORT_NOT_FOUND',
    'DESIGN_IMPORT_UNSUPPORTED_FORMAT',
    'DESIGN_IMPORT_UNSUPPORTED_FORMAT',
    'DESIGN_IMPORT_UNSUPPORTED_FORMAT',
    'DESIGN_IMPORT_UNSUPPORTED_VERSION',
    'DESIGN_IMPORT_MISSING_MANIFEST',
    'DESIGN_IMPORT_MISSING_MANIFEST',
  ]);
  expect(errors.every(({ fix }) => fix !== undefined)).toBe(true);
  expect(errors[4]?.message.split('\n').slice(1)).toEqual([
    'Detected bundle version: v2.1',
    'Supported versions: 1.0',
    'Switch to path B: run charrette refine --path code',
  ]);
});

test.each([
  ['v1.0', '["1.0"]'],
  ['1.0', '[1.0]'],
  ['2.5', '["1.0", "v2.5"]'],
  [1.5, '["1.5"]'],
  [1, '["1.0"]'],
])('IM-05 the version %s is one of %s', async (version, supported) => {
  const settings = `design:\n  claude_design:\n    supported_bundle_versions: ${supported}\n`;
  const { root, file } = project(bundleEntries([], version), {
    '.moai/config/sections/design.yaml': settings,
  });
  const expected = version === 1 ? '1.0' : String(version).replace('v', '');
  expect((await importBundle({ root, file })).version).toBe(expected);
});

test('IM-13 replaces existing files only with --force, and then leaves nothing of the old import', async () => {
  const { root, file } = project(bundleEntries(), { '.moai/design/spec.md': 'mine' });
  await importBundle({ root, file });
  expect(await refused(root, file)).toMatchObject({ code: 'would-overwrite' });
  writeZip(
    file,
    bundleEntries().filter(({ name }) => !String(name).endsWith('.png') && name !== 'copy.json'),
  );
  await importBundle({ root, file, replace: true });
  expect(listing(design(root))).toEqual([
    'assets',
    'assets/icons',
    'assets/icons/mark.svg',
    'components.json',
    'import-warnings.json',
    'spec.md',
    'tokens.json',
  ]);
  expect(readFileSync(design(root, 'spec.md'), 'utf8')).toBe('mine');
});

test('IM-13 keeps the files that you added next to an import when it is replaced', async () => {
  const { root, file } = project(bundleEntries().filter(({ name }) => name !== 'copy.json'));
  await importBundle({ root, file });
  mkdirSync(design(root, 'assets/photos'));
  writeFileSync(design(root, 'assets/photos/mine.png'), 'mine');
  symlinkSync('photos/mine.png', design(root, 'assets/cover.png'));
  writeFileSync(design(root, 'copy.json'), '{"mine":true}');
  writeZip(
    file,
    bundleEntries().filter(({ name }) => !String(name).startsWith('assets/') && name !== 'copy.json'),
  );
  for (const _ of ['once', 'twice']) await importBundle({ root, file, replace: true });
  expect(listing(design(root, 'assets'))).toEqual(['cover.png', 'photos', 'photos/mine.png']);
  expect(readFileSync(design(root, 'assets/cover.png'), 'utf8')).toBe('mine');
  expect(readAs(root, 'copy.json')).toEqual({ mine: true });
  writeZip(file, bundleEntries());
  await importBundle({ root, file, replace: true });
  expect(readAs(root, 'copy.json')).not.toHaveProperty('mine');
});

test('M-066 M-068 what an import wrote stops neither `init --design` nor warns in `init --update`; files of people do', async () => {
  const { root, file } = project(bundleEntries());
  await importBundle({ root, file });
  expect(readAs(root, 'import-warnings.json').written).toContain('import-warnings.json');
  const { created, log } = await initDesignFolder({ root });
  expect(created).toContain('.moai/design/spec.md');
  expect(log).toEqual([]);
  expect((await updateDesignFolder({ root, strict: true })).log).toEqual([]);
  mkdirSync(design(root, 'brief'), { recursive: true });
  writeFileSync(design(root, 'brief/BRIEF-MINE.md'), 'mine');
  expect((await updateDesignFolder({ root })).log).toMatchObject([
    { level: 'warning', text: expect.stringContaining('BRIEF-MINE.md') },
  ]);
  await expect(initDesignFolder({ root })).rejects.toMatchObject({ code: 'reserved-name' });
});

test('IM-13 a failure while writing puts the old import back', async () => {
  const { root, file } = project(bundleEntries());
  await importBundle({ root, file });
  const before = readFileSync(design(root, 'tokens.json'), 'utf8');
  writeZip(
    file,
    bundleEntries().map((entry) => (entry.name === 'tokens.json' ? { ...entry, content: '{broken' } : entry)),
  );
  expect((await refused(root, file, true)).code).toBe('json-invalid');
  expect(readFileSync(design(root, 'tokens.json'), 'utf8')).toBe(before);
});

test('IM-13 an import that was killed while it moved files is undone by the next one', async () => {
  const { root, file } = project(bundleEntries());
  mkdirSync(design(root, '.import-999999999-0123456789ab/old'), { recursive: true });
  writeFileSync(design(root, '.import-999999999-0123456789ab/old/tokens.json'), '{"mine":true}');
  await importBundle({ root, file, replace: true });
  expect(readdirSync(design(root)).filter((name) => name.startsWith('.'))).toEqual([]);
  const again = project(bundleEntries());
  mkdirSync(design(again.root, '.import-999999999-0123456789ab/old'), { recursive: true });
  writeFileSync(design(again.root, '.import-999999999-0123456789ab/old/tokens.json'), '{"mine":true}');
  const error = await importBundle({ root: again.root, file: again.file }).then(
    () => undefined,
    (thrown: CharretteError) => thrown,
  );
  expect(error?.code).toBe('would-overwrite');
});

describe('a repository that holds what looks like a killed import moves nothing into the project', () => {
  const staging = '.import-99999999-0123456789ab';
  function projectWithLink() {
    const made = project(bundleEntries());
    const outside = projectWith({ 'tokens.json': '{"theirs":true}', 'work.txt': 'theirs' });
    mkdirSync(design(made.root), { recursive: true });
    return { ...made, outside };
  }
  const imported = ['assets', 'components.json', 'copy.json', 'import-warnings.json', 'tokens.json'];

  test.each([
    ['its old files lead out', `${staging}/old`],
    ['it leads out as a whole', staging],
  ])('when %s', async (_, link) => {
    const { root, file, outside } = projectWithLink();
    mkdirSync(path.dirname(design(root, link)), { recursive: true });
    mkdirSync(path.join(outside, 'old'));
    writeFileSync(path.join(outside, 'old/tokens.json'), '{"theirs":true}');
    symlinkSync(outside, design(root, link));
    const before = listing(outside);
    await importBundle({ root, file });
    expect(listing(outside)).toEqual(before);
    expect(readdirSync(design(root)).sort()).toEqual([staging, ...imported]);
  });

  test.each([
    ['one of them is a link', 'tokens.json'],
    ['an import does not write one of them', 'work.txt'],
  ])('when %s', async (_, name) => {
    const { root, file, outside } = projectWithLink();
    mkdirSync(design(root, `${staging}/old`), { recursive: true });
    if (name === 'work.txt') writeFileSync(design(root, `${staging}/old/${name}`), 'mine');
    else symlinkSync(path.join(outside, name), design(root, `${staging}/old/${name}`));
    await importBundle({ root, file });
    expect(readdirSync(design(root)).sort()).toEqual([staging, ...imported]);
    expect(readAs(root, 'tokens.json')).toMatchObject({ source: 'claude-design-bundle' });
  });
});

test('a design folder that leads out of the project is refused', async () => {
  const settings = 'design:\n  design_docs:\n    dir: ../elsewhere\n';
  const { root, file } = project(bundleEntries(), { '.moai/config/sections/design.yaml': settings });
  expect((await refused(root, file)).code).toBe('path-unsafe');
});

test('IM-14 an HTML page: custom properties and tagged JSON as tokens, parts, copy; nothing fetched, nothing run', async () => {
  const page = `<!doctype html><html><head>
    <link rel="stylesheet" href="https://example.com/a.css">
    <style>:root { --color-primary: #0b5fff; --spacing-base: 4px; --font-body: Inter; /* --x: 1; */ }
      @media (prefers-color-scheme: dark) { :root { --color-primary: #fff; } }</style>
    <script type="application/json" data-design-tokens>{"colors":{"accent":"#ff0055"},"typography":{"fontFamily":{"body":"Inter"}}}</script>
    <script>alert(1)</script></head>
    <body><header data-component="top-bar"><h1>Welcome</h1><button onclick="go()">Start</button></header></body></html>`;
  const root = projectWith({ 'page.html': page });
  const report = await importBundle({ root, file: path.join(root, 'page.html') });
  expect(report).toMatchObject({ format: 'html', version: null, counts: { components: 1, assets: 0 } });
  expect(readAs(root, 'tokens.json')).toMatchObject({
    colors: { primary: '#0b5fff', accent: '#ff0055' },
    spacing: { base: '4px' },
    typography: { 'font-body': 'Inter', fontFamily: { body: 'Inter' } },
  });
  expect(readAs(root, 'components.json').components).toEqual([
    {
      name: 'TopBar',
      file: null,
      variants: [],
      markup: '<header data-component="top-bar"><h1>Welcome</h1><button>Start</button></header>',
    },
  ]);
  expect(readAs(root, 'copy.json').sections).toEqual([
    { name: 'h1', primary: 'Welcome' },
    { name: 'button', primary: 'Start' },
  ]);
  expect(report.warnings.map(({ code }) => code)).toEqual(['external', 'script']);
});

test('IM-14 parts, files and buttons inside links, paragraphs and headings are found too', async () => {
  const page = `<!doctype html><html><head><script data-design-tokens>{"format_version": 1.0}</script></head><body>
    <a href="/x"><img src="https://example.com/x.png"><span data-component="badge">New</span></a>
    <h2>Tea <em data-component="mark">now</em></h2>
    <p>Hello <a href="/y">there</a> <button data-component="cta">Buy</button></p></body></html>`;
  const root = projectWith({ 'page.html': page });
  const report = await importBundle({ root, file: path.join(root, 'page.html') });
  expect(report).toMatchObject({ version: '1.0', counts: { components: 3 } });
  expect(report.warnings.filter(({ code }) => code === 'external')).toMatchObject([
    { text: 'not fetched: https://example.com/x.png' },
  ]);
  expect(readAs(root, 'copy.json').sections).toEqual([
    { name: 'a', primary: 'New' },
    { name: 'h2', primary: 'Tea now' },
    { name: 'p', primary: 'Hello there Buy' },
    { name: 'button', primary: 'Buy' },
  ]);
});

test('IM-15 BR-04 tokens that contradict the brand are reported with ways out', async () => {
  const { root, file } = project(bundleEntries(), {
    '.moai/project/brand/visual-identity.md':
      '- **Primary**: #ff0000\n- **Secondary**: #0000ee\nHeading font: Georgia\n',
  });
  const { warnings } = await importBundle({ root, file });
  expect(warnings.filter(({ code }) => code === 'brand-conflict')).toEqual([
    {
      code: 'brand-conflict',
      text: 'primary is #0b5fff here and #ff0000 in the brand files; the brand files hold',
      options: [
        "use the brand's #ff0000 for primary",
        "use the brand's secondary #0000ee, the nearest to #0b5fff",
        'change primary in the brand files to #0b5fff',
      ],
    },
    {
      code: 'brand-conflict',
      text: 'heading is Inter here and Georgia in the brand files; the brand files hold',
      options: ["use the brand's Georgia", 'change heading in the brand files to Inter'],
    },
  ]);
});
