// Measures the design-context loader and its command: `node scripts/build.mjs && node bench/context.ts`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { calibrate, calibrationLine, median, sample, table } from './calibration.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = path.join(root, 'bin/charrette');
const library = path.join(root, 'dist/context.js');
const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-bench-'));

try {
  const calibration = calibrate();
  process.stdout.write(`${[calibrationLine(calibration), ...starts(), ...loads(), ...sizes()].join('\n')}\n`);
} finally {
  rmSync(workspace, { recursive: true, force: true });
}

/** The command against an empty Node process, runs interleaved so that both see the same machine. */
function starts(): string[] {
  const empty = project('empty', {});
  const full = project('full', documents(64 * 1024));
  const plain: number[] = [];
  const commands: Record<string, { args: string[]; cwd: string; times: number[] }> = {
    'charrette --version': { args: [program, '--version'], cwd: empty, times: [] },
    'charrette context, no folder': { args: [program, 'context'], cwd: empty, times: [] },
    'charrette context, 4 × 64 KB': { args: [program, 'context'], cwd: full, times: [] },
  };
  for (let round = 0; round < 21; round += 1) {
    plain.push(...sample(1, () => void spawnSync(process.execPath, ['-e', '0'])));
    for (const { args, cwd, times } of Object.values(commands)) {
      times.push(...sample(1, () => void spawnSync(process.execPath, args, { cwd })));
    }
  }
  const base = median(plain);
  const rows = Object.entries(commands).map(([name, { times }]) => [
    name,
    `${median(times).toFixed(1)} ms`,
    `${(median(times) / base).toFixed(2)}×`,
  ]);
  return [
    '',
    table([['start', 'median', 'of node -e 0'], ['node -e 0', `${base.toFixed(1)} ms`, '1.00×'], ...rows]),
  ];
}

/** The first load in a fresh process, against reading the same files. */
function loads(): string[] {
  const folder = project('loads', documents(64 * 1024));
  const runs = Array.from({ length: 9 }, () => inFreshProcess(folder));
  const load = median(runs.map(({ loadMs }) => loadMs));
  const read = median(runs.map(({ readMs }) => readMs));
  return [
    '',
    table([
      ['4 documents of 64 KB', 'median', 'of readFile'],
      ['readFile', `${read.toFixed(2)} ms`, '1.0×'],
      ['loadDesignContext', `${load.toFixed(2)} ms`, `${(load / read).toFixed(1)}×`],
    ]),
  ];
}

/** One large document in several sizes: the time must grow like the size, the memory stay within four times of it. */
function sizes(): string[] {
  const kinds: Record<string, (bytes: number) => string> = {
    prose: (bytes) => repeat('## Heading\n\nSome words about a page and what it shows.\n\n', bytes),
    'one line': (bytes) => `# A\n${'x'.repeat(bytes)}`,
    'blank lines': (bytes) => `text\n${'\n'.repeat(bytes)}`,
    'wide characters': (bytes) => repeat('## 見出し\n\nページについての言葉。😀\n\n', bytes),
  };
  const rows = Object.entries(kinds).flatMap(([kind, make]) =>
    [12, 25, 50].map((megabytes) => {
      const text = make(megabytes * 1024 * 1024);
      const bytes = Buffer.byteLength(text);
      const folder = project(`size-${kind}-${megabytes}`, { spec: text });
      const runs = [inFreshProcess(folder), inFreshProcess(folder), inFreshProcess(folder)];
      rmSync(folder, { recursive: true });
      const load = median(runs.map(({ loadMs }) => loadMs));
      const read = median(runs.map(({ readMs }) => readMs));
      const memory = Math.max(...runs.map(({ peakBytes }) => peakBytes));
      return [
        kind,
        `${(bytes / 1e6).toFixed(0)} MB`,
        `${read.toFixed(0)} ms`,
        `${load.toFixed(0)} ms`,
        `${(bytes / 1e6 / (load / 1000)).toFixed(0)} MB/s`,
        `${(memory / bytes).toFixed(1)}×`,
      ];
    }),
  );
  return ['', table([['one document', 'size', 'readFile', 'load', 'rate', 'memory/size'], ...rows])];
}

type FreshRun = { loadMs: number; readMs: number; peakBytes: number };

function inFreshProcess(folder: string): FreshRun {
  const script = `
    const { loadDesignContext } = await import(${JSON.stringify(library)});
    const before = process.resourceUsage().maxRSS;
    const started = performance.now();
    await loadDesignContext({ root: process.cwd() });
    const loadMs = performance.now() - started;
    const peakBytes = (process.resourceUsage().maxRSS - before) * 1024;
    const { readFile, readdir } = await import('node:fs/promises');
    const names = await readdir('.moai/design');
    const readStarted = performance.now();
    await Promise.all(names.map((name) => readFile('.moai/design/' + name)));
    console.log(JSON.stringify({ loadMs, readMs: performance.now() - readStarted, peakBytes }));`;
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(result.stderr);
  return JSON.parse(result.stdout) as FreshRun;
}

function project(name: string, files: Record<string, string>): string {
  const folder = path.join(workspace, name);
  mkdirSync(folder, { recursive: true });
  for (const [token, text] of Object.entries(files)) {
    mkdirSync(path.join(folder, '.moai/design'), { recursive: true });
    writeFileSync(path.join(folder, '.moai/design', `${token}.md`), text);
  }
  return folder;
}

function documents(bytes: number): Record<string, string> {
  const text = repeat('## Heading\n\nSome words about a page and what it shows.\n\n', bytes);
  return { spec: text, system: text, research: text, 'pencil-plan': text };
}

function repeat(text: string, bytes: number): string {
  return text.repeat(Math.ceil(bytes / Buffer.byteLength(text)));
}
