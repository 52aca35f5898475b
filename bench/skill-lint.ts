// Measures `skill lint` on a generated root of 1,000 packages: `node scripts/build.mjs && node bench/skill-lint.ts`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { completeConfig } from '../src/skills/config/complete-config.ts';
import { generatePackage } from '../src/skills/generate/generate-package.ts';
import { calibrate, calibrationLine, median, sample, table } from './calibration.ts';
import { type Random, seededRandom } from './corpus/random.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = path.join(root, 'bin/charrette');
const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-bench-'));
const packages = Number(process.argv[2] ?? 1_000);
const perFile = 10_000;

try {
  process.stdout.write(`${calibrationLine(calibrate())}\n`);
  const half = generateRoot('half', packages / 2);
  const whole = generateRoot('whole', packages);
  const rows = [measureRoot('half', half), measureRoot('whole', whole)];
  const ratio = (rows[1]?.seconds ?? 0) / (rows[0]?.seconds ?? 1);
  const single = median(
    sample(
      11,
      () =>
        void spawnSync(process.execPath, [
          program,
          'skill',
          'lint',
          path.join(workspace, 'half', 'package-0'),
        ]),
    ),
  );
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
  process.stdout.write(`one package with process start: ${single.toFixed(0)} ms\n`);
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
        description: `Carries out stage ${phase}`,
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

function measureRoot(name: string, { directory, bytes, files }: Root) {
  const started = performance.now();
  const run = spawnSync(
    '/usr/bin/env',
    [
      'sh',
      '-c',
      'exec "$0" "$@"',
      process.execPath,
      '--import',
      `data:text/javascript,process.on("exit",()=>{const u=process.resourceUsage();process.stderr.write("USED "+u.maxRSS+" "+(u.userCPUTime+u.systemCPUTime)+"\\n")})`,
      program,
      'skill',
      'lint',
      '--all',
      directory,
      '--format',
      'github',
    ],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  const seconds = (performance.now() - started) / 1_000;
  const [, resident = '0', cpu = '0'] = /USED (\d+) (\d+)/.exec(run.stderr) ?? [];
  const memory = Number(resident) / 1_024;
  const cpuSeconds = Number(cpu) / 1e6;
  return { name, megabytes: bytes / 1e6, files, seconds, cpuSeconds, memory };
}
