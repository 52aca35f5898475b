// `npm run house`: measures how hard the code is to read and prints each figure with its bar. `--strict` exits 1 when one is missed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeExampleRepository } from './example-repository.mjs';

type Bar = { what: string; value: number; most: number; unit?: string };

const root = path.resolve(import.meta.dirname, '..');
const surfaces = ['cli', 'web', 'mcp', 'acp', 'hosts', 'report', 'telemetry'];
const sources = tracked('src').filter((file) => isCode(file) && !isTest(file));

const bars: Bar[] = [
  {
    what: 'non-test lines of src',
    value: sources.reduce((sum, file) => sum + lines(file).length, 0),
    most: 72_000,
  },
  { what: 'non-test files of src', value: sources.length, most: 650 },
  { what: 'top-level folders of src', value: foldersOf('src').length, most: 13 },
  { what: 'imports between surfaces', value: importsBetweenSurfaces(), most: 0 },
  { what: 'files entered by one design', value: filesEnteredByDesign(), most: 130 },
  { what: 'odd phrases in code and docs', value: oddPhrases(), most: 150 },
  { what: 'words of README and docs, without generated pages', value: wordsOfDocs(), most: 22_000 },
  ...installed(),
];

const width = Math.max(...bars.map(({ what }) => what.length));
for (const { what, value, most, unit = '' } of bars)
  console.log(`${value <= most ? '✓' : '✗'} ${what.padEnd(width)}  ${value}${unit} (at most ${most}${unit})`);
if (process.argv.includes('--strict') && bars.some(({ value, most }) => value > most)) process.exitCode = 1;

function tracked(...folders: string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...folders], { cwd: root, encoding: 'utf8' });
  return listed.split('\0').filter((file) => file !== '' && existsSync(path.join(root, file)));
}

function isCode(file: string): boolean {
  return /\.tsx?$/.test(file) && !file.includes('/fixtures/');
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file);
}

function lines(file: string): string[] {
  return readFileSync(path.join(root, file), 'utf8').trimEnd().split('\n');
}

function foldersOf(folder: string): string[] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function importsBetweenSurfaces(): number {
  return sources.flatMap((file) => importsOf(file).filter((target) => crosses(file, target))).length;
}

function crosses(file: string, target: string): boolean {
  const [from, to] = [surfaceOf(file), surfaceOf(target)];
  return from !== undefined && to !== undefined && from !== to;
}

function surfaceOf(file: string): string | undefined {
  const name = /^src\/(?:surfaces\/)?([\w-]+)\//.exec(file)?.[1] ?? '';
  return surfaces.includes(name) ? name : undefined;
}

function importsOf(file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target = '']) =>
    path.join(path.dirname(file), target),
  );
}

/** Runs one design from the sources and counts the files of which a function was called. */
function filesEnteredByDesign(): number {
  const scratch = mkdtempSync(path.join(tmpdir(), 'charrette-house-'));
  try {
    const shop = path.join(scratch, 'shop');
    makeExampleRepository(shop);
    const agent = {
      protocol: 'exec',
      command: [process.execPath, path.join(root, 'test/agents/panel-agent.mjs')],
    };
    const agents = {
      a: { ...agent, family: 'a' },
      b: { ...agent, family: 'b' },
      c: { ...agent, family: 'c' },
    };
    writeFileSync(path.join(shop, 'charrette.config.json'), JSON.stringify({ agents }));
    const design = spawnSync(
      process.execPath,
      [
        path.join(root, 'src/main/main.ts'),
        'design',
        '--auto',
        '--yes',
        '--no-input',
        'let customers cancel an order',
      ],
      {
        cwd: shop,
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          HOME: scratch,
          NODE_V8_COVERAGE: path.join(scratch, 'coverage'),
        },
      },
    );
    if (design.status !== 0) throw new Error(`The design exited with ${design.status}: ${design.stderr}`);
    return enteredFiles(path.join(scratch, 'coverage')).size;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Coverage = {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
};

function enteredFiles(folder: string): Set<string> {
  const entered = new Set<string>();
  for (const name of readdirSync(folder)) {
    const text = readFileSync(path.join(folder, name), 'utf8');
    // A child process that the program ends early may leave a truncated file.
    if (!text.endsWith('}')) continue;
    const { result } = JSON.parse(text) as Coverage;
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue;
      const file = path.relative(root, fileURLToPath(url));
      const called = functions.some(
        ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
      );
      if (file.startsWith(`src${path.sep}`) && called) entered.add(file);
    }
  }
  return entered;
}

/** The phrases of scripts/voice-patterns.txt, one expression a line. */
function oddPhrases(): number {
  const patterns = lines('scripts/voice-patterns.txt').map((line) => new RegExp(line, 'i'));
  const read = [...tracked('docs').filter((file) => file.endsWith('.md'))];
  const texts = [
    ...tracked('src', 'web/src').filter(isCode),
    ...read,
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
  ];
  return texts
    .flatMap(lines)
    .reduce((sum, line) => sum + patterns.filter((pattern) => pattern.test(line)).length, 0);
}

/** As `wc -w` counts them. */
function wordsOfDocs(): number {
  const pages = tracked('docs', 'README.md').filter((file) => file.endsWith('.md'));
  const written = pages.filter(
    (file) =>
      !/^docs\/reference\/(?:cli\.md|config\.md|errors\.md|conversion-results\.md|rules\/)/.test(file),
  );
  return written.flatMap(lines).flatMap((line) => line.match(/\S+/g) ?? []).length;
}

/** What a user installs: packages that are not for development, as they are in node_modules. */
function installed(): Bar[] {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  const folders = Object.entries(lock.packages)
    .filter(([folder, { dev, devOptional }]) => folder !== '' && dev !== true && devOptional !== true)
    .filter(([folder]) => existsSync(path.join(root, folder)))
    .map(([folder]) => folder);
  const own = sizeOf(path.join(root, 'dist'), (name) => !name.endsWith('.map'));
  const bytes = folders.reduce((sum, folder) => sum + sizeOf(path.join(root, folder)), own);
  return [
    { what: 'packages installed for production', value: folders.length, most: 40 },
    { what: 'size of these packages and dist', value: Math.round(bytes / 1e6), most: 70, unit: ' MB' },
  ];
}

function sizeOf(folder: string, counts: (name: string) => boolean = () => true): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + sizeOf(file, counts);
    return entry.isFile() && counts(entry.name) ? sum + statSync(file).size : sum;
  }, 0);
}
