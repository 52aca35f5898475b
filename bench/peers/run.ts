// The same graph with the same scripted agents on Charrette and on other orchestrators, in one run:
// `node bench/peers/run.ts [--repetitions 5] [folder for the installation]` after a build. Exit 1 when Charrette misses a goal.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { calibrate, calibrationLine, median, table } from '../calibration.ts';
import { type Goal, Verdicts } from '../goals.ts';

type Peer = { title: string; file: string; command: readonly string[]; store: string };
type Measured = { firstCallMs: number; graphMs: number; peakRss: number };

const here = import.meta.dirname;
const { values: flags, positionals } = parseArgs({
  options: { repetitions: { type: 'string', default: '5' } },
  allowPositionals: true,
});
const repetitions = Number(flags.repetitions);
/** Agents one after the other on the longest way through the graph, and all of them. */
const stages = 5;
const calls = 13;
const agentMs = 1000;
/** What Charrette must reach compared with the others. */
const goals = {
  criticalPath: { most: 1.05, unit: '×' },
  finishedAgain: { most: 0, unit: 'calls' },
} as const satisfies Record<string, Goal>;
const verdicts = new Verdicts();

const installation = path.resolve(positionals[0] ?? path.join(here, '..', '..', '.cache', 'peers'));
const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-peers-'));
process.stdout.write(`${calibrationLine(calibrate())}\n`);
try {
  const peers = [charrette(), ...otherPeers()];
  print(peers);
} finally {
  rmSync(workspace, { recursive: true, force: true });
}
verdicts.conclude();

function charrette(): Peer {
  const file = path.join(here, 'charrette.ts');
  return { title: 'Charrette', file, command: [process.execPath, file], store: 'PGlite' };
}

function otherPeers(): Peer[] {
  if (!install()) {
    process.stdout.write('The others could not be installed: Charrette is measured alone.\n');
    return [];
  }
  const rows = [
    { title: 'LangGraph', name: 'langgraph.mjs', store: 'SQLite, every step' },
    { title: 'Mastra', name: 'mastra.mjs', store: 'libSQL' },
    { title: 'OpenAI Agents', name: 'openai-agents.mjs', store: 'none' },
  ];
  return rows.flatMap(({ title, name, store }) => {
    const file = path.join(installation, name);
    const node = nodes().find((program) => works([program, file]));
    if (node === undefined) {
      process.stdout.write(`${title} does not run here and is left out.\n`);
      return [];
    }
    if (node !== process.execPath) process.stdout.write(`${title} runs on ${versionOf(node)}.\n`);
    return [{ title, file, command: [node, file], store }];
  });
}

function install(): boolean {
  mkdirSync(installation, { recursive: true });
  for (const name of ['package.json', 'agent.mjs', 'langgraph.mjs', 'mastra.mjs', 'openai-agents.mjs'])
    copyFileSync(path.join(here, name), path.join(installation, name));
  if (existsSync(path.join(installation, 'node_modules'))) return true;
  process.stdout.write('Installing the other orchestrators …\n');
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error'], {
    cwd: installation,
    stdio: 'inherit',
  });
  return status === 0;
}

/** This Node, then the others on the way: a native module may have been built for one of them only. */
function nodes(): string[] {
  const found = (process.env['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, 'node'));
  return [...new Set([process.execPath, ...found.filter((file) => existsSync(file))])];
}

function versionOf(node: string): string {
  return `Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`;
}

function works(command: readonly string[]): boolean {
  return run(command, mkdtempSync(path.join(workspace, 'try-')), 0).status === 0;
}

function run([program = '', ...rest]: readonly string[], folder: string, latency: number, deadly = '') {
  return spawnSync(program, [...rest, folder, String(latency), deadly], {
    encoding: 'utf8',
    timeout: 120_000,
  });
}

function measure(peer: Peer, latency: number): Measured {
  const ended = run(peer.command, mkdtempSync(path.join(workspace, 'state-')), latency);
  if (ended.status !== 0) throw new Error(`${peer.title} failed: ${ended.stderr}`);
  return JSON.parse(ended.stdout) as Measured;
}

/** Kills while the last seat of a row works, resumes, and counts the calls that were made again. */
function repeatedAfterKill(peer: Peer, deadly: string): { finished: number; inFlight: number } {
  const folder = mkdtempSync(path.join(workspace, 'killed-'));
  const killed = run(peer.command, folder, 20, deadly);
  if (killed.signal !== 'SIGKILL') throw new Error(`${peer.title} was not killed: ${killed.stderr}`);
  const before = logOf(folder);
  const resumed = run(peer.command, folder, 20);
  if (resumed.status !== 0) throw new Error(`${peer.title} did not resume: ${resumed.stderr}`);
  const after = logOf(folder).slice(before.length);
  const again = after.filter((line) => line.startsWith('begin ') && before.includes(line));
  const finished = again.filter((line) => before.includes(line.replace('begin', 'end'))).length;
  return { finished, inFlight: again.length - finished };
}

function logOf(folder: string): string[] {
  return readFileSync(path.join(folder, 'calls.log'), 'utf8').trimEnd().split('\n');
}

function linesOfGraph(peer: Peer): number {
  const text = readFileSync(peer.file, 'utf8');
  const graph = text.slice(text.indexOf('// graph'), text.indexOf('// end of graph'));
  return graph.split('\n').filter((line) => line.trim() !== '').length - 1;
}

function print(peers: readonly Peer[]): void {
  const instant = new Map<Peer, Measured[]>(peers.map((peer) => [peer, []]));
  // Taking turns: what else the machine does falls on all alike.
  for (let round = 0; round < repetitions; round += 1)
    for (const peer of peers) instant.get(peer)?.push(measure(peer, 0));
  const of = (peer: Peer, read: (measured: Measured) => number) =>
    median((instant.get(peer) ?? []).map(read));
  const slow = new Map<Peer, number[]>(peers.map((peer) => [peer, []]));
  for (let round = 0; round < repetitions; round += 1)
    for (const peer of peers) slow.get(peer)?.push(measure(peer, agentMs).graphMs);
  const kills = ['sketch-4', 'vote-3'].map((deadly) => ({
    deadly,
    counts: peers.map((peer) => repeatedAfterKill(peer, deadly)),
  }));
  const row = (title: string, cell: (peer: Peer) => string) => [title, ...peers.map(cell), '', ''];
  /** The first of the peers is Charrette; the goal is its own. */
  const judged = (title: string, values: readonly number[], shown: (value: number) => string, goal: Goal) => [
    title,
    ...values.map(shown),
    ...verdicts.judge(title, values[0] ?? Number.NaN, goal),
  ];
  const rows = [
    ['', ...peers.map(({ title }) => title), 'goal', 'verdict'],
    row('what is kept', ({ store }) => store),
    row(
      `overhead per agent call, of ${calls}`,
      (peer) => `${(of(peer, (m) => m.graphMs) / calls).toFixed(1)} ms`,
    ),
    judged(
      `wall clock against the critical path, agents of ${agentMs} ms`,
      peers.map((peer) => median(slow.get(peer) ?? []) / (stages * agentMs)),
      (ratio) => ratio.toFixed(4),
      goals.criticalPath,
    ),
    row(
      'start of the process to the first call',
      (peer) => `${of(peer, (m) => m.firstCallMs).toFixed(0)} ms`,
    ),
    row('memory at its peak', (peer) => `${(of(peer, (m) => m.peakRss) / 1e6).toFixed(0)} MB`),
    ...kills.flatMap(({ deadly, counts }) => [
      judged(
        `kill -9 in ${deadly}: finished calls made again`,
        counts.map(({ finished }) => finished),
        String,
        goals.finishedAgain,
      ),
      [`kill -9 in ${deadly}: calls in flight made again`, ...counts.map(({ inFlight }) => String(inFlight))],
    ]),
    row('lines of the graph', (peer) => String(linesOfGraph(peer))),
  ];
  process.stdout.write(`\n${table(rows)}\n`);
}
