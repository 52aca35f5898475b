/**
 * Installs the pinned agents: `node test/real-agents/install.ts [--suite ci|more|acp|tool|all] [name…]`.
 * No install script of any package runs; nothing outside the cache folder is touched.
 */
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { withLock } from './lock.ts';
import { type Pin, type PinName, pinOf, pins } from './pins.ts';

const project = path.resolve(import.meta.dirname, '../..');
const platform = `${process.platform}-${process.arch}`;

/** Where the agents live: CHARRETTE_TEST_AGENTS_DIR, else `.cache/agents` of the project. */
export function agentsDirectory(): string {
  return process.env['CHARRETTE_TEST_AGENTS_DIR'] ?? path.join(project, '.cache', 'agents');
}

/** The argv that starts an installed agent, without npm's shims. */
export function agentCommand(name: PinName): string[] {
  const pin = pinOf(name);
  const modules = path.join(folderOf(pin), 'node_modules');
  const native = pin.programs[platform];
  if (native !== undefined) return [path.join(modules, native)];
  const script = pin.programs['any'];
  if (script === undefined) throw new Error(`${pin.package} has no program for ${platform}`);
  return [process.execPath, path.join(modules, script)];
}

export function isInstalled(name: PinName): boolean {
  return existsSync(path.join(folderOf(pinOf(name)), 'installed.json'));
}

/** Installs what is missing, one package after another, under one lock. Doing it again costs nothing. */
export async function installAgents(
  names: readonly PinName[],
  report: (line: string) => void = () => undefined,
): Promise<void> {
  if (names.every(isInstalled)) return;
  await mkdir(agentsDirectory(), { recursive: true });
  await withLock(agentsDirectory(), report, async () => {
    for (const [index, name] of names.entries()) {
      const pin = pinOf(name);
      const label = `${index + 1}/${names.length} ${pin.package}@${pin.version}`;
      if (isInstalled(name)) {
        report(`${label}: there`);
        continue;
      }
      report(`${label}: installing`);
      const started = performance.now();
      const bytes = await install(pin);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      report(`${label}: ${Math.round(bytes / 1e6)} MB in ${seconds} s`);
    }
  });
}

const folderOf = (pin: Pin) => path.join(agentsDirectory(), `${pin.name}-${pin.version}`);

async function install(pin: Pin): Promise<number> {
  const folder = folderOf(pin);
  const fresh = `${folder}.${process.pid}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  const manifest = { private: true, dependencies: { [pin.package]: pin.version } };
  await writeFile(path.join(fresh, 'package.json'), JSON.stringify(manifest));
  await runNpm(fresh);
  const unpack = pin.unpack?.[platform];
  if (unpack !== undefined) await unpackProgram(path.join(fresh, 'node_modules'), unpack);
  const program = pin.programs[platform] ?? pin.programs['any'];
  if (program === undefined || !existsSync(path.join(fresh, 'node_modules', program))) {
    throw new Error(`${pin.package}@${pin.version} has no program for ${platform}`);
  }
  const bytes = await sizeOf(fresh);
  await writeFile(path.join(fresh, 'installed.json'), JSON.stringify({ version: pin.version, bytes }));
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
  return bytes;
}

/** npm gets what it needs to reach the registry and nothing else of the caller's environment. */
const npmVariables =
  /^(PATH|HOME|LANG|TMPDIR|(https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|npm_config_(registry|cafile|cache|userconfig|globalconfig|prefix))$/i;

async function runNpm(directory: string): Promise<void> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => npmVariables.test(name)));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  const child = spawn('npm', args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4000);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new Error(`npm install ended with ${code}: ${output}`);
}

async function unpackProgram(modules: string, { from, to }: { from: string; to: string }): Promise<void> {
  const target = path.join(modules, to);
  await pipeline(
    createReadStream(path.join(modules, from)),
    createBrotliDecompress(),
    createWriteStream(target),
  );
  await chmod(target, 0o755);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(path.join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { suite: { type: 'string', default: 'ci' } },
  });
  const known: readonly Pin[] = pins;
  const chosen = known.filter((pin) =>
    positionals.length > 0
      ? positionals.includes(pin.name)
      : values.suite === 'all' || pin.suite === values.suite,
  );
  if (chosen.length === 0) {
    throw new Error(`nothing to install; agents are ${known.map((pin) => pin.name).join(', ')}`);
  }
  await installAgents(
    chosen.map((pin) => pin.name as PinName),
    (line) => process.stderr.write(`${line}\n`),
  );
  for (const pin of chosen) {
    const record = await readFile(path.join(folderOf(pin), 'installed.json'), 'utf8');
    process.stdout.write(`${pin.name} ${record}\n`);
  }
}

if (import.meta.main) await main();
