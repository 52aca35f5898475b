// Measures `skill lint` on a generated root of 1,000 packages:
// `node scripts/build.mjs && node bench/skill-lint.ts [--packages 1000] [--peers] [folder for the installation]`. With `--peers` other
// linters at the versions of bench/peers/linters/package.json get the same packages in the same run.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { completeConfig } from '../src/skills/config/complete-config.ts';
import { generatePackage } from '../src/skills/generate/skill-markdown.ts';
import { calibrate, calibrationLine, median, sample, table } from './calibration.ts';
import { type Random, seededRandom } from './corpus/random.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = path.join(root, 'bin/charrette');
const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-bench-'));
const { values, positionals } = parseArgs({
  options: { packages: { type: 'string', default: '1000' }, peers: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const packages = Number(values.packages);
const perFile = 10_000;

try {
  process.stdout.write(`${calibrationLine(calibrate())}\n`);
  const half = generateRoot('half', packages / 2);
  const whole = generateRoot('whole', packages);
  const rows = [measureRoot('half', half), measureRoot('whole', whole)];
  const ratio = (rows[1]?.seconds ?? 0) / (rows[0]?.seconds ?? 1);
  const one = path.join(workspace, 'half', 'package-0');
  const singles = Array.from({ length: 21 }, () => measure([program, 'skill', 'lint', one]));
  const starts = sample(11, () => void spawnSync(process.execPath, ['-e', '0']));
  const lines = rows.map(({ name, megabytes, files, seconds, cpuSeconds, memory }) => [
    name,
    String(files),
    `${megabytes.toFixed(1)} MB`,
    `${seconds.toFixed(2)} s`,
    `${(megabytes / seconds).toFixed(1)} MB/s`,
    `${(megabytes / cpuSeconds).toFixed(1)} MB/s`,
    `${memory.toFixed(0)} MB`,
  ]);
  process.stdout.write(
    `${table([['root', 'files', 'size', 'time', 'rate', 'by CPU time', 'peak memory'], ...lines])}\n`,
  );
  process.stdout.write(`twice the packages take ${ratio.toFixed(2)} times as long (2.00 is linear)\n`);
  const wall = singles.map(({ seconds }) => seconds * 1000);
  const cpu = singles.map(({ cpuSeconds }) => cpuSeconds * 1000);
  process.stdout.write(
    `one package with process start: ${median(wall).toFixed(0)} ms by the clock (best ${Math.min(...wall).toFixed(0)}), ${median(cpu).toFixed(0)} ms of CPU; an empty node: ${median(starts).toFixed(0)} ms\n`,
  );
  if (values.peers) compare(installed(), whole);
} finally {
  rmSync(workspace, { recursive: true, force: true });
}

type Root = { directory: string; bytes: number; files: number };

/** Packages of a coordinator and five phases, each file padded with prose, code, tables and lists to its size. */
function generateRoot(name: string, count: number): Root {
  const random = seededRandom(7);
  const directory = path.join(workspace, name);
  let bytes = 0;
  let files = 0;
  for (let index = 0; index < count; index += 1) {
    const { config } = completeConfig({
      skillName: `package-${index}`,
      description: `Does job number ${index}`,
      triggers: [`job:${index}`],
      phases: Array.from({ length: 5 }, (_, phase) => ({
        name: `Stage ${phase} of job ${index}`,
        description: `Runs stage ${phase}`,
        outputVariables: [`value${phase}`],
        agentTypes: ['general-purpose'],
      })),
    });
    for (const [file, text] of generatePackage(config)) {
      const target = path.join(directory, config.skillName, file);
      mkdirSync(path.dirname(target), { recursive: true });
      const padded = pad(text, random);
      writeFileSync(target, padded);
      bytes += Buffer.byteLength(padded);
      files += 1;
    }
  }
  return { directory, bytes, files };
}

function pad(text: string, random: Random): string {
  const words = [
    'check',
    'the',
    'plan',
    'against',
    'evidence',
    'and',
    'write',
    'result',
    'file',
    'phase',
    'before',
    'review',
  ];
  const sentence = () => Array.from({ length: 12 }, () => random.pick(words)).join(' ');
  const parts = [text];
  let length = text.length;
  for (let section = 1; length < perFile; section += 1) {
    const block = [
      `\n### Note ${section}\n\n${sentence()}. ${sentence()}; see \`src/${section}.ts\`.\n\n- ${sentence()}\n- **${sentence()}**\n`,
      `\n\`\`\`javascript\nconst value = await read("${section}")\nif (value.ready) write(value, { retry: ${section} })\n\`\`\`\n`,
      `\n| Key | Meaning |\n|---|---|\n| a${section} | ${sentence()} |\n| b${section} | ${sentence()} |\n`,
    ].join('');
    parts.push(block);
    length += block.length;
  }
  return parts.join('');
}

type Measured = { seconds: number; cpuSeconds: number; memory: number };

function measureRoot(name: string, { directory, bytes, files }: Root) {
  const measured = measure([program, 'skill', 'lint', '--all', directory, '--format', 'github']);
  return { name, megabytes: bytes / 1e6, files, ...measured };
}

/** Runs a script to its end; what it used is what it says itself when it exits. */
function measure(script: readonly string[]): Measured {
  const report = `data:text/javascript,process.on("exit",()=>{const u=process.resourceUsage();process.stderr.write("USED "+u.maxRSS+" "+(u.userCPUTime+u.systemCPUTime)+"\\n")})`;
  const started = performance.now();
  const run = spawnSync(process.execPath, ['--import', report, ...script], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const seconds = (performance.now() - started) / 1_000;
  const [, resident = '0', cpu = '0'] = /USED (\d+) (\d+)/.exec(run.stderr) ?? [];
  return { seconds, cpuSeconds: Number(cpu) / 1e6, memory: Number(resident) / 1_024 };
}

/** The folder that has the other linters. No install script of any of them runs. */
function installed(): string {
  const folder = path.resolve(positionals[0] ?? path.join(root, '.cache', 'peers-linters'));
  mkdirSync(folder, { recursive: true });
  copyFileSync(path.join(root, 'bench/peers/linters/package.json'), path.join(folder, 'package.json'));
  if (existsSync(path.join(folder, 'node_modules'))) return folder;
  process.stdout.write('Installing the other linters …\n');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  spawnSync('npm', args, { cwd: folder, stdio: 'inherit' });
  return folder;
}

/** Other linters on the same packages, each in one process. */
function compare(folder: string, { directory }: Root): void {
  const modules = path.join(folder, 'node_modules');
  const reference = path.join(workspace, 'skills-ref.mjs');
  const library = path.join(modules, 'skills-ref', 'dist', 'index.js');
  writeFileSync(
    reference,
    `import { readdirSync } from 'node:fs';
import { validate } from ${JSON.stringify(library)};
for (const name of readdirSync(process.argv[2])) await validate(process.argv[2] + '/' + name);
`,
  );
  const others: Record<string, { needs: string; script: string[] }> = {
    'charrette skill lint': {
      needs: program,
      script: [program, 'skill', 'lint', '--all', directory, '--format', 'github'],
    },
    'skills-ref (library)': { needs: library, script: [reference, directory] },
    'skill-check': {
      needs: path.join(modules, 'skill-check'),
      script: [
        path.join(modules, 'skill-check', 'bin', 'skill-check.js'),
        'check',
        directory,
        '--no-security-scan',
        '--format',
        'json',
      ],
    },
    claudelint: {
      needs: path.join(modules, 'claude-code-lint'),
      script: [
        path.join(modules, 'claude-code-lint', 'bin', 'claudelint'),
        'validate-skills',
        '--path',
        directory,
        '--no-config',
      ],
    },
  };
  process.stdout.write(`\n${calibrationLine(calibrate())}\n`);
  const lines = Object.entries(others).map(([name, { needs, script }]) => {
    if (!existsSync(needs)) return [name, 'not installed', '', '', ''];
    const { seconds, cpuSeconds, memory } = measure(script);
    const each = (total: number) => `${((total / packages) * 1000).toFixed(2)} ms`;
    return [name, `${seconds.toFixed(2)} s`, each(seconds), each(cpuSeconds), `${memory.toFixed(0)} MB`];
  });
  process.stdout.write(
    `${table([[`linter, ${packages} packages`, 'time', 'a package', 'a package, CPU', 'peak memory'], ...lines])}\n`,
  );
}
