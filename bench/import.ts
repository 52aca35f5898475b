// Measures `charrette import` on bundles of several sizes: `node scripts/build.mjs && node bench/import.ts`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleEntries, png, writeZip, type ZipEntry } from '../test/support/zip.ts';
import { calibrate, calibrationLine, median, table } from './calibration.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = path.join(root, 'dist/main.js');
const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-bench-import-'));
const mostBytes = 150 * 1024 * 1024;

try {
  const rows = [25, 50, 100, 200].map((megabytes) => measure(megabytes));
  const rates = rows.map(({ megabytes, ms }) => megabytes / ms);
  process.stdout.write(
    `${[
      calibrationLine(calibrate()),
      '',
      table([
        ['bundle', 'import', 'rate', 'peak memory'],
        ...rows.map(({ megabytes, ms, peak }) => [
          `${megabytes} MB`,
          `${(ms / 1000).toFixed(2)} s`,
          `${((megabytes / ms) * 1000).toFixed(0)} MB/s`,
          `${(peak / 1024 / 1024).toFixed(0)} MB`,
        ]),
      ]),
    ].join('\n')}\n`,
  );
  const largest = rows.at(-1);
  if (largest === undefined || largest.peak > mostBytes) {
    process.stdout.write('peak memory is over 150 MB\n');
    process.exitCode = 1;
  }
  // Linear: the largest bundle may not be much slower by the byte than the smallest.
  if ((rates.at(-1) ?? 0) < 0.5 * (rates[0] ?? 0)) {
    process.stdout.write('time grows faster than size\n');
    process.exitCode = 1;
  }
} finally {
  rmSync(workspace, { recursive: true, force: true });
}

/** A bundle of pictures of 4 MB that hardly pack, imported three times in fresh processes. */
function measure(megabytes: number): { megabytes: number; ms: number; peak: number } {
  const bundle = path.join(workspace, `${megabytes}.zip`);
  writeZip(bundle, entries(megabytes));
  const runs = [1, 2, 3].map((round) => {
    const project = path.join(workspace, `${megabytes}-${round}`);
    const script = path.join(workspace, 'run.mjs');
    writeFileSync(
      script,
      `process.argv.push('import', ${JSON.stringify(bundle)}, '--quiet', '--cwd', ${JSON.stringify(project)});
       process.on('exit', () => process.stderr.write('\\npeak ' + process.resourceUsage().maxRSS * 1024));
       await import(${JSON.stringify(program)});`,
    );
    spawnSync('mkdir', ['-p', project]);
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: project, encoding: 'utf8' });
    const ms = performance.now() - started;
    if (status !== 0) throw new Error(`the import failed: ${stderr}`);
    rmSync(project, { recursive: true });
    return { ms, peak: Number(/peak (\d+)/.exec(stderr)?.[1]) };
  });
  rmSync(bundle);
  return { megabytes, ms: median(runs.map(({ ms }) => ms)), peak: Math.max(...runs.map(({ peak }) => peak)) };
}

function* entries(megabytes: number): Generator<ZipEntry> {
  yield* bundleEntries();
  const noise = Buffer.alloc(4 * 1024 * 1024);
  for (let index = 0, state = 1; index < noise.length; index += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    noise.writeUInt32LE(state, index);
  }
  png.copy(noise);
  for (let index = 0; index < megabytes / 4; index += 1)
    yield { name: `assets/large/${index}.png`, content: noise };
}
