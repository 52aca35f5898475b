// `npm run pictures` renews what README and docs/how-to/web.md show; this part: the first ten minutes of a new user. It packs and
// installs the program, starts it in a real terminal (tmux) in the example shop, and accepts every recommendation with Enter. Claude
// Code and Codex are the real programs; only the address of their models differs, a scripted server. It checks that at most five
// commands and ten minutes lead to a checked plan, records the screen and writes docs/images/design.svg.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { taskOf } from '../test/agents/panel-answers.mjs';
import { shopAnswer } from '../test/agents/shop-answers.mjs';
import { startModelServer } from '../test/model-server/server.ts';
import { agentCommand, installAgents } from '../test/real-agents/install.ts';
import { makeExampleRepository } from './example-repository.mjs';
import { animatedScreen, type Frame } from './screen-svg.mjs';

const root = path.resolve(import.meta.dirname, '..');
const size = { columns: 92, rows: 28 };
const everyMs = 1200;
const mostCommands = 5;
const mostMs = 600_000;

await installAgents(['claude', 'codex'], (line) => process.stdout.write(`${line}\n`));
const folder = mkdtempSync(path.join(tmpdir(), 'charrette-recording-'));
const [home, bin, prefix, project] = ['home', 'bin', 'prefix', 'shop'].map((name) =>
  path.join(folder, name),
) as [string, string, string, string];
const servers = await Promise.all(['alpha', 'beta'].map(startVoice));
const [claude, codex] = servers.map(({ url }) => url);
mkdirSync(bin);
for (const name of ['claude', 'codex'] as const)
  writeFileSync(path.join(bin, name), `#!/bin/sh\nexec ${agentCommand(name).map(quoted).join(' ')} "$@"\n`, {
    mode: 0o755,
  });
makeExampleRepository(project);
const settings = path.join(home, '.config', 'charrette');
mkdirSync(settings, { recursive: true });
const models = {
  claude: { protocol: 'claude', baseUrl: claude, model: 'claude-sonnet-4-5' },
  codex: { protocol: 'codex', baseUrl: `${codex}/v1`, model: 'gpt-5.5' },
};
writeFileSync(path.join(settings, 'config.json'), JSON.stringify({ agents: models }));
const environment = {
  PATH: [path.join(prefix, 'bin'), bin, path.dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
  HOME: home,
  TERM: 'screen-256color',
  LANG: 'C.UTF-8',
  PS1: '$ ',
  ANTHROPIC_API_KEY: 'none-is-needed',
  OPENAI_API_KEY: 'none-is-needed',
};
const tmux = (...args: string[]) =>
  execFileSync('tmux', ['-S', path.join(folder, 'socket'), '-f', '/dev/null', ...args], { encoding: 'utf8' });
const frames: Frame[] = [];
const answered = new Set<string>();
let commands = 0;
const began = Date.now();

try {
  install();
  tmux(
    ...['new-session', '-d', '-x', String(size.columns), '-y', String(size.rows), '-c', project],
    ...['env', '-i', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)],
    ...['bash', '--norc', '-i'],
  );
  await sleep(500);
  const words = 'charrette design "let customers cancel an order before it is shipped"';
  await type('charrette');
  await type(words);
  const plan = madePlan();
  const minutes = (Date.now() - began) / 60_000;
  if (commands > mostCommands || Date.now() - began > mostMs)
    throw new Error(`A new user needs ${commands} commands and ${minutes.toFixed(1)} minutes.`);
  execFileSync(path.join(prefix, 'bin', 'charrette'), ['plan', 'check'], {
    cwd: project,
    env: environment,
    stdio: 'pipe',
  });
  const history = tmux('capture-pane', '-p', '-e', '-S', '-').trimEnd().split('\n');
  frames.push(...scrolledUp(history, frames.at(-1)?.at ?? 0));
  const file = path.join(root, 'docs', 'images', 'design.svg');
  mkdirSync(path.dirname(file), { recursive: true });
  const svg = animatedScreen(frames, { ...size, title: `A terminal: ${words}` });
  writeFileSync(file, svg);
  process.stdout.write(
    `${plan}: ${commands} commands, ${answered.size} questions, ${minutes.toFixed(1)} minutes\n${file}: ${frames.length} frames, ${svg.length} bytes\n`,
  );
} finally {
  try {
    tmux('kill-server');
  } catch {}
  await Promise.all(servers.map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

function startVoice(voice: string) {
  return startModelServer({
    rules: [
      {
        when: /^## Answer$/m,
        reply: (prompt) => {
          const task = taskOf(prompt);
          const json = task === undefined ? undefined : shopAnswer(task, prompt, voice);
          return json === undefined ? undefined : { json, delayMs: 1200 };
        },
      },
    ],
  });
}

/** The first command of the README, from a packed package as others get it. */
function install(): void {
  const run = (...args: string[]) =>
    execFileSync('npm', args, { cwd: root, env: { ...process.env, HOME: home }, encoding: 'utf8' });
  const [archive = ''] = run('pack', '--silent', '--ignore-scripts', '--pack-destination', folder)
    .trim()
    .split('\n');
  run('install', '--silent', '--global', '--prefix', prefix, path.join(folder, archive));
  commands += 1;
}

/** Types a command and records the screen until the prompt is back. A question gets Enter. */
async function type(line: string): Promise<void> {
  tmux('send-keys', '-l', line);
  tmux('send-keys', 'Enter');
  commands += 1;
  const started = Date.now();
  for (;;) {
    await sleep(everyMs);
    const text = tmux('capture-pane', '-p', '-e').trimEnd();
    const plain = tmux('capture-pane', '-p').trimEnd();
    if (frames.at(-1)?.text !== text) frames.push({ at: Date.now() - began, text });
    const question = /^◆ {2}(.*)\n(?:│.*\n)+└$/m.exec(plain)?.[1];
    if (question !== undefined && !answered.has(question)) {
      answered.add(question);
      await sleep(1000);
      tmux('send-keys', 'Enter');
    }
    if (/\n\$$/.test(plain) && Date.now() - started > 1000) return;
    if (Date.now() - began > mostMs) throw new Error(`Ten minutes are over:\n${plain}`);
  }
}

function madePlan(): string {
  const runs = path.join(project, '.charrette', 'runs');
  const [run = ''] = readdirSync(runs);
  const plan = path.join(runs, run, 'artifacts', 'plan.txt');
  if (readFileSync(plan, 'utf8').trim() === '') throw new Error(`${plan} is empty.`);
  const callers = readFileSync(path.join(runs, run, 'ledger.jsonl'), 'utf8');
  for (const agent of ['claude', 'codex'])
    if (!callers.includes(`"agent":"${agent}"`)) throw new Error(`${agent} was not called.`);
  return path.relative(folder, plan);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** From the end of what was printed up to where the summary of the plan begins, which is what the picture rests on. */
function scrolledUp(lines: readonly string[], at: number): Frame[] {
  const plan = lines.findLastIndex((line) => /✔.* done/.test(line));
  if (plan < 0) throw new Error(`The plan is not on the screen:\n${lines.join('\n')}`);
  const bottom = Math.max(0, lines.length - size.rows);
  const top = Math.min(bottom, plan);
  const steps = 8;
  return Array.from({ length: steps }, (_, index) => {
    const from = Math.round(bottom + ((top - bottom) * (index + 1)) / steps);
    const text = lines
      .slice(from, from + size.rows)
      .join('\n')
      .trimEnd();
    return { at: at + 700 + index * 90, text };
  });
}
