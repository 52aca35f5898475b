// Loads, checks and runs workflow files of others to their end, each in a new project with scripted agents:
// `node scripts/run.mjs node bench/workflow-files.ts FOLDER [--args FILE] [--agents scripted|static] [--parallel 2]` after a build.
// FILE is a JSON object: a part of a path → the `args` of that workflow. Prints what did not come to its end; exit 1 for any.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isRecord, parseJson } from '../src/base/safe-json.ts';
import { callsIn, charrette } from '../test/support/program.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    args: { type: 'string' },
    agents: { type: 'string', default: 'scripted' },
    parallel: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
  },
});
const [corpus = '.'] = positionals;
const agentFile = path.resolve(import.meta.dirname, '..', 'test', 'agents', 'workflow-agent.mjs');
const argsOf = flags.args === undefined ? {} : parseJson(readFileSync(flags.args, 'utf8'), flags.args);
const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(?:js|mjs|ts|mts)$/.test(file) && file.includes(flags.only))
  .sort();
const waiting = [...files];
let ended = 0;
const lines = Array.from({ length: Number(flags.parallel) }, async () => {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await tryFile(file);
});
await Promise.all(lines);
process.stdout.write(`${ended} of ${files.length} files ran to their end.\n`);
process.exitCode = ended === files.length ? 0 : 1;

async function tryFile(file: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-files-'));
  const project = path.join(folder, 'project');
  const workflows = path.join(project, '.claude', 'workflows');
  const calls = path.join(folder, 'calls.txt');
  mkdirSync(path.join(project, '.charrette'), { recursive: true });
  // With the files beside it: it may start them.
  cpSync(path.dirname(path.join(corpus, file)), workflows, { recursive: true });
  writeFileSync(calls, '');
  writeFileSync(path.join(project, 'README.md'), '# Numbers\n');
  writeFileSync(path.join(project, '.gitignore'), '.charrette\n.home\n');
  const command = ['node', agentFile, calls];
  const agents = { one: { protocol: 'exec', command, family: 'one' } };
  const config = { detect: false, consent: true, ...(flags.agents === 'static' ? {} : { agents }) };
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify(config));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project });
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.email', 'ann@example.com');
  git('config', 'user.name', 'Ann');
  git('add', '.');
  git('commit', '--quiet', '--message', 'start');
  const place = path.join('.claude', 'workflows', path.basename(file));
  const [, args] = Object.entries(argsOf as object).find(([part]) => file.includes(part)) ?? [];
  const { stdout } = await charrette(['workflow', 'show', place, '--json'], { cwd: project });
  const shown: unknown = stdout === '' ? undefined : parseJson(stdout, 'what `workflow show` printed');
  const digest = isRecord(shown) ? String(shown['digest'] ?? '') : '';
  const result = await charrette(
    [
      ...['run', place, '--json', '--no-input', '--yes', ...(digest === '' ? [] : ['--trust', digest])],
      ...(args === undefined ? [] : ['--args', JSON.stringify(args)]),
      ...(flags.agents === 'static' ? ['--agents', 'static'] : []),
    ],
    { cwd: project },
  );
  if (result.code === 0) ended += 1;
  const printed = (result.stdout.trim() || result.stderr.trim()).replaceAll(/\s+/g, ' ');
  const { length } = callsIn(calls);
  process.stdout.write(
    `${result.code === 0 ? 'ok  ' : `exit ${result.code}`} ${file}: ${length} calls ${printed.slice(-600)}\n`,
  );
  for (const note of notesOf(project)) process.stdout.write(`     ${note}\n`);
  rmSync(folder, { recursive: true, force: true });
}

/** What the run warned of, and the items of fan-outs that failed. */
function notesOf(project: string): string[] {
  const runs = path.join(project, '.charrette', 'runs');
  const [run] = existsSync(runs) ? readdirSync(runs) : [];
  if (run === undefined) return [];
  return readFileSync(path.join(runs, run, 'events.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => /"type":"warning"|Item \d+ failed/.test(line))
    .flatMap((line) => {
      const event = parseJson(line, 'an event');
      return isRecord(event) ? String(event['text']).slice(0, 300) : [];
    });
}
