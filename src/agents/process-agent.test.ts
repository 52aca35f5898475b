import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { optionalProgram, systemPath } from '../../test/support/optional-programs.ts';
import { isRecord, parseJson } from '../base/safe-json.ts';
import type { Protocol } from '../base/schema/calls.ts';
import type { AgentEvent, AgentTask } from './port.ts';
import { listProcesses, readRow } from './process/process-tree.ts';
import { agentVersion, createAgent, drivers } from './registry.ts';
import type { AgentSettings, World } from './settings.ts';

const agents = path.join(import.meta.dirname, 'fixtures/agents');
let root: string;
let project: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'agents-'));
  project = path.join(root, 'project');
  mkdirSync(project);
  writeFileSync(path.join(project, 'README.md'), 'hello\n');
  writeFileSync(path.join(project, 'a.ts'), 'export const a = 1;\n');
  execFileSync('git', ['init', '-q', project]);
  mkdirSync(path.join(project, '.charrette'));
  writeFileSync(path.join(project, '.charrette/.gitignore'), '*\n');
  mkdirSync(path.join(root, 'user'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const world = (changes: Partial<World> = {}): World => ({
  environment: { PATH: systemPath, SECRET_TOKEN: 'must not leak' },
  home: path.join(root, 'user'),
  platform: process.platform,
  architecture: process.arch,
  jail: 'auto',
  ...changes,
});

let lanes = 0;
function task(changes: Partial<AgentTask> = {}): AgentTask {
  lanes += 1;
  // Where lanes really are: inside the project, in a folder that git ignores.
  const laneDirectory = path.join(project, '.charrette/runs/r/lanes', `lane-${lanes}`);
  mkdirSync(laneDirectory, { recursive: true });
  return {
    task: 'sketch',
    run: 'run-1',
    seat: 'general',
    attempt: 2,
    prompt: 'Say it.',
    directory: project,
    access: 'read',
    limits: { wallMs: 20_000, idleMs: 20_000 },
    laneDirectory,
    ...changes,
  };
}

const exec = (agent: string, ...args: string[]): AgentSettings => ({
  id: 'mine',
  protocol: 'exec',
  command: [process.execPath, path.join(agents, agent), ...args],
});

async function call(
  settings: AgentSettings,
  request: AgentTask,
  place = world(),
  signal = new AbortController().signal,
) {
  const events: AgentEvent[] = [];
  const agent = await createAgent(settings, place);
  const result = await agent.call(request, { signal, onEvent: (event) => void events.push(event) });
  return { result, events };
}

const jails = [
  { jail: 'auto', confinement: optionalProgram('bubblewrap') === undefined ? 'copy' : 'bubblewrap' },
  { jail: 'off', confinement: 'copy' },
] as const;

describe.each(jails)('exec agents, jail $jail', ({ jail, confinement }) => {
  const place = () => world({ jail });

  test('L-301 F-08 the answer is what it prints; the lane keeps process, stream and the whole result', async () => {
    const request = task();
    const { result, events } = await call(exec('agent-echoes.mjs'), request, place());
    expect(result).toMatchObject({ kind: 'ok', text: 'Say it.\n', exitCode: 0, confinement });
    expect(events).toEqual([{ type: 'text-delta', text: 'Say it.\n' }]);
    const kept = readFileSync(path.join(request.laneDirectory, 'agent-result.json'), 'utf8');
    expect(parseJson(kept, 'result')).toMatchObject({ ...result });
    for (const file of ['process.json', 'stream.jsonl', 'stderr.txt']) {
      expect(existsSync(path.join(request.laneDirectory, file))).toBe(true);
    }
  });

  test('its environment is the safelist, the private HOME and the task, nothing of the caller', async () => {
    const { result } = await call(
      { ...exec('agent-echoes.mjs'), env: { MINE: 'yes' } },
      task({ prompt: '@environment' }),
      place(),
    );
    const seen = parseJson(result.text, 'answer');
    const environment = isRecord(seen) && isRecord(seen['environment']) ? seen['environment'] : {};
    expect(environment).toMatchObject({
      CHARRETTE_RUN: 'run-1',
      CHARRETTE_SEAT: 'general',
      CHARRETTE_TASK: 'sketch',
      CHARRETTE_ATTEMPT: '2',
      MINE: 'yes',
      PATH: systemPath,
    });
    const names = Object.keys(environment).filter((name) => !name.startsWith('CHARRETTE_'));
    // PWD is set by the jail itself.
    expect(names.filter((name) => name !== 'PWD').sort()).toEqual(
      ['HOME', 'MINE', 'NO_COLOR', 'PATH', 'TERM', 'TMPDIR'].sort(),
    );
  });

  test('a key in its command, or the password of its proxy, is neither kept nor heard from it', async () => {
    const request = task({ prompt: '@environment' });
    const settings = exec('agent-echoes.mjs', '--api-key', 'canary-behind-a-flag');
    const environment = { PATH: systemPath, HTTPS_PROXY: 'http://me:canary-of-a-proxy@proxy:3128' };
    const { result, events } = await call(settings, request, world({ jail, environment }));
    expect(result.kind).toBe('ok');
    expect(result.argv?.slice(-2)).toEqual(['--api-key', '[secret]']);
    expect(result.text).toContain('http://me:[secret]@proxy:3128');
    const kept = ['agent-result.json', 'stream.jsonl', 'stderr.txt'].map((file) =>
      readFileSync(path.join(request.laneDirectory, file), 'utf8'),
    );
    expect([JSON.stringify([result, events]), ...kept].join('')).not.toContain('canary');
  });

  test('a key that comes in pieces, or with signs that JSON escapes, is neither kept nor heard', async () => {
    const said = (text: string) => ({
      type: 'message',
      message: {
        role: 'assistant',
        metadata: { inference: { requestedModel: 'm' } },
        content: [{ type: 'text', text }],
      },
    });
    const lines = [said('It is canary-of'), said('-a-shop and can"ary\\\\of-a-door'), { type: 'complete' }];
    const program = path.join(root, 'goose');
    const script = lines.map((line) => `console.log(${JSON.stringify(JSON.stringify(line))});`).join('\n');
    writeFileSync(program, `#!${process.execPath}\n${script}\n`, { mode: 0o755 });
    const request = task();
    const env = { SHOP_TOKEN: 'canary-of-a-shop', DOOR_PASSWORD: 'can"ary\\\\of-a-door' };
    const { result, events } = await call(
      { id: 'mine', protocol: 'goose', command: [program], env },
      request,
      place(),
    );
    expect(result).toMatchObject({ kind: 'ok', text: 'It is [secret] and [secret]' });
    const heard = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    expect(heard).toBe('It is [secret] and [secret]');
    const stream = readFileSync(path.join(request.laneDirectory, 'stream.jsonl'), 'utf8');
    expect(stream).not.toContain('of-a-door');
  });

  test('a password in an address that comes in pieces is neither kept nor heard', async () => {
    const said = (text: string) => ({
      type: 'message',
      message: {
        role: 'assistant',
        metadata: { inference: { requestedModel: 'm' } },
        content: [{ type: 'text', text }],
      },
    });
    const lines = [said('See https'), said('://joe:cana'), said('ry@host/x.'), { type: 'complete' }];
    const program = path.join(root, 'goose');
    const script = lines.map((line) => `console.log(${JSON.stringify(JSON.stringify(line))});`).join('\n');
    writeFileSync(program, `#!${process.execPath}\n${script}\n`, { mode: 0o755 });
    const request = task();
    const { result, events } = await call(
      { id: 'mine', protocol: 'goose', command: [program] },
      request,
      place(),
    );
    expect(result).toMatchObject({ kind: 'ok', text: 'See https://joe:[secret]@host/x.' });
    const heard = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    expect(heard).toBe('See https://joe:[secret]@host/x.');
    expect(readFileSync(path.join(request.laneDirectory, 'stream.jsonl'), 'utf8')).not.toMatch(/cana|ry@/);
  });

  test('JSON is found in a narrated answer when a schema was given', async () => {
    const prompt = 'Here you are:\n**Verdict**\n```json\n{"verdict": "yes"}\n```\nDone.';
    const { result } = await call(
      exec('agent-echoes.mjs'),
      task({ prompt, schema: { type: 'object' } }),
      place(),
    );
    expect(result).toMatchObject({ kind: 'ok', value: { verdict: 'yes' } });
  });

  test('L-308 L-940 a read agent that edits changes nothing, or is denied', async () => {
    const outside = path.join(root, 'outside.txt');
    const { result } = await call(exec('agent-edits-tree.mjs', outside), task(), place());
    expect(readFileSync(path.join(project, 'README.md'), 'utf8')).toBe('hello\n');
    expect(existsSync(path.join(project, 'created.txt'))).toBe(false);
    expect(existsSync(path.join(project, 'a.ts'))).toBe(true);
    if (confinement === 'bubblewrap') {
      expect(result.kind).toBe('ok');
      // The user's program may keep its own files elsewhere.
      expect(result.text).toBe('create: EROFS\nchange: EROFS\nremove: EROFS\noutside: done\n');
    } else {
      expect(result.kind).toBe('denied');
      expect(result.message).toContain('README.md, a.ts, created.txt');
    }
  });

  test('a read agent that plants ignored files and hooks in the project plants nothing, or is denied', async () => {
    writeFileSync(path.join(project, '.git/info/exclude'), '.env\n');
    writeFileSync(path.join(project, '.env'), 'A=1\n');
    const planting = path.join(root, 'planting.mjs');
    const files = ['.env', '.git/hooks/post-checkout'].map((name) => path.join(project, name));
    const lines = files.map((file) => `try { writeFileSync('${file}', 'evil'); } catch {}`);
    writeFileSync(
      planting,
      ["import { writeFileSync } from 'node:fs';", ...lines, "console.log('done');"].join('\n'),
    );
    const settings: AgentSettings = { id: 'p', protocol: 'exec', command: [process.execPath, planting] };
    const { result } = await call(settings, task(), place());
    if (confinement === 'bubblewrap') {
      expect(result.kind).toBe('ok');
      expect(readFileSync(path.join(project, '.env'), 'utf8')).toBe('A=1\n');
    } else {
      expect(result.kind).toBe('denied');
      expect(result.message).toContain('.env, .git/hooks/post-checkout');
    }
  });

  test('a write agent works in the directory itself', async () => {
    const request = task({ access: 'write' });
    const { result } = await call(
      exec('agent-edits-tree.mjs', path.join(root, 'outside.txt')),
      request,
      place(),
    );
    expect(result.kind).toBe('ok');
    expect(readFileSync(path.join(project, 'README.md'), 'utf8')).toBe('hello\nchanged');
    expect(existsSync(path.join(project, 'a.ts'))).toBe(false);
  });

  test.each([
    ['agent-empty.mjs', 'bad_output', 20_000],
    ['agent-dies.mjs', 'crash', 20_000],
    ['agent-hangs.mjs', 'timeout', 500],
  ])('%s ends as %s', async (agent, kind, wallMs) => {
    const { result } = await call(exec(agent), task({ limits: { wallMs, idleMs: wallMs } }), place());
    expect(result.kind).toBe(kind);
    expect(result.message).toBeDefined();
  });

  test.each(['short lines', 'one line'])(
    'a flood of %s fails by its limit and takes little memory',
    async (form) => {
      let peak = 0;
      const before = process.memoryUsage.rss();
      const watch = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage.rss() - before);
      }, 20);
      const agent = await createAgent(exec('agent-floods.mjs', form), place());
      const limits = { wallMs: 80_000, idleMs: 80_000 };
      const result = await agent.call(task({ limits }), {
        signal: new AbortController().signal,
        onEvent() {},
      });
      clearInterval(watch);
      expect(result).toMatchObject({ kind: 'limit', message: 'The agent wrote more than the output limit.' });
      expect(result.text.length).toBeLessThanOrEqual(100_000);
      expect(peak).toBeLessThan(300_000_000);
    },
  );

  test('reports garbled output as bad output', async () => {
    const { result } = await call(exec('agent-garbles.mjs'), task({ schema: { type: 'object' } }), place());
    expect(result.kind).toBe('bad_output');
  });

  test('F-39 no child of an agent that leaves them behind is found afterwards', async () => {
    const token = `token-${path.basename(root)}`;
    const { result } = await call(exec('agent-forks-children.mjs', 'leaves', token), task(), place());
    expect(result.kind).toBe('ok');
    const commands = listProcesses().map(({ pid }) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
    expect(commands.filter((command) => command.includes(token))).toEqual([]);
  });

  test('cancelling is its own kind', async () => {
    const controller = new AbortController();
    const calling = call(exec('agent-hangs.mjs'), task(), place(), controller.signal);
    setTimeout(() => controller.abort(), 300);
    expect((await calling).result.kind).toBe('cancelled');
  });
});

describe.skipIf(jails[0].confinement !== 'bubblewrap')('bubblewrap around an agent', () => {
  test('nothing outside its HOME can be written, and the rest of the user HOME is hidden', async () => {
    const home = path.join(root, 'user');
    const inHome = path.join(home, 'code');
    mkdirSync(path.join(home, 'bin'), { recursive: true });
    mkdirSync(inHome);
    writeFileSync(path.join(home, 'diary.txt'), 'private');
    writeFileSync(path.join(inHome, 'README.md'), 'work');
    const outside = path.join(project, 'outside.txt');
    const script = `#!${process.execPath}
const fs = require('node:fs');
let written = 'yes';
try { fs.writeFileSync(${JSON.stringify(outside)}, 'x'); } catch (error) { written = error.code; }
const result = JSON.stringify([fs.readdirSync(${JSON.stringify(home)}).sort(), fs.readFileSync('README.md', 'utf8'), written]);
console.log(JSON.stringify({ type: 'result', subtype: 'success', result }));
`;
    writeFileSync(path.join(home, 'bin/claude'), script, { mode: 0o755 });
    const place = world({ environment: { PATH: `${home}/bin:${systemPath}` } });
    const { result } = await call({ id: 'claude', protocol: 'claude' }, task({ directory: inHome }), place);
    expect(result.message).toBeUndefined();
    expect(parseJson(result.text, 'answer')).toEqual([['bin', 'code'], 'work', 'EROFS']);
    expect(existsSync(outside)).toBe(false);
  });

  test('a writer in a checkout works there', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', project, '-c', 'user.name=n', '-c', 'user.email=n@e', ...args]);
    git('commit', '-q', '--allow-empty', '-m', 'begin');
    const directory = path.join(project, '.charrette/runs/r/worktrees/S1');
    git('worktree', 'add', '-q', '--detach', directory);
    const request = task({ access: 'write', directory });
    expect((await call(exec('agent-echoes.mjs'), request)).result.kind).toBe('ok');
  });

  test('a writer that makes git read its own settings is denied, and nothing of that is left', async () => {
    const planting = path.join(root, 'planting.mjs');
    writeFileSync(
      planting,
      `import { writeFileSync } from 'node:fs'; writeFileSync('.git/commondir', '../evil'); console.log('done');`,
    );
    const settings: AgentSettings = { id: 'p', protocol: 'exec', command: [process.execPath, planting] };
    const { result } = await call(settings, task({ access: 'write' }));
    expect(result).toMatchObject({ kind: 'denied', confinement: 'bubblewrap' });
    expect(result.message).toContain('.git/commondir');
    expect(existsSync(path.join(project, '.git/commondir'))).toBe(false);
  });
});

describe('conversations and recovery', () => {
  test('L-369 a call that had finished in this lane is not made again; another request is', async () => {
    const counter = path.join(root, 'counter.mjs');
    const count = path.join(project, 'count.txt');
    writeFileSync(
      counter,
      `import { appendFileSync } from 'node:fs'; appendFileSync('count.txt', 'x'); console.log('done');`,
    );
    const settings: AgentSettings = { id: 'counter', protocol: 'exec', command: [process.execPath, counter] };
    const request = task({ access: 'write' });
    const first = await call(settings, request);
    expect(await call(settings, request)).toEqual({ ...first, events: [] });
    expect(readFileSync(count, 'utf8')).toBe('x');
    await call(settings, { ...request, prompt: 'Something else.' });
    expect(readFileSync(count, 'utf8')).toBe('xx');
  });

  test('a finished call is found again after its key was renewed', async () => {
    const request = task();
    const first = await call(exec('agent-echoes.mjs', '--api-key', 'old'), request);
    const again = await call(exec('agent-echoes.mjs', '--api-key', 'new'), request);
    expect(again).toEqual({ ...first, events: [] });
  });

  test('F-09: a failed call is made again; a separate lane keeps the first record', async () => {
    const request = task();
    expect((await call(exec('agent-empty.mjs'), request)).result.kind).toBe('bad_output');
    const before = readFileSync(path.join(request.laneDirectory, 'agent-result.json'), 'utf8');
    const retry = task({ attempt: 3, prompt: request.prompt });
    expect((await call(exec('agent-echoes.mjs'), retry)).result.kind).toBe('ok');
    expect(readFileSync(path.join(request.laneDirectory, 'agent-result.json'), 'utf8')).toBe(before);
    expect((await call(exec('agent-echoes.mjs'), request)).result.kind).toBe('ok');
  });

  test('a conversation whose HOME was cleaned up, or a handle that is none, fails and says so', async () => {
    const bin = path.join(root, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
    const place = world({ environment: { PATH: `${bin}:${systemPath}` } });
    for (const session of [`abc@${root}/nowhere`, 'abc']) {
      const { result } = await call(
        { id: 'c', protocol: 'claude' },
        task({ resume: { session, fork: false } }),
        place,
      );
      expect(result.kind).toBe('crash');
      expect(result.message).toContain('conversation');
    }
  });

  test('the copy of the project goes even when the call comes to grief', async () => {
    const agent = await createAgent(
      { id: 'c', protocol: 'codex', command: [process.execPath, path.join(agents, 'codex-looks.mjs')] },
      world({ jail: 'off' }),
    );
    const request = task({ prompt: '[]' });
    const onEvent = () => {
      throw new Error('connection refused');
    };
    await expect(agent.call(request, { signal: new AbortController().signal, onEvent })).rejects.toThrow(
      'connection refused',
    );
    expect(existsSync(path.join(request.laneDirectory, 'work'))).toBe(false);
  });

  test.each([
    ['a pipe in the place of a launch file', 'rm -f .codex/.charrette; mkfifo .codex/.charrette', 'ok'],
    ['a link in its place', 'ln -sf "$OLDPWD/README.md" .codex/.charrette', 'ok'],
    ['a folder in its place', 'rm -f .codex/.charrette; mkdir -p .codex/.charrette', 'denied'],
    ['a file in the place of its folder', 'rm -rf .codex; touch .codex', 'denied'],
    ['a link out of HOME in the place of its folder', 'rm -rf .codex; ln -s "$OLDPWD" .codex', 'denied'],
    ['a file in the place of tmp', 'rmdir tmp; touch tmp', 'ok'],
    ['a pipe in the place of tmp', 'rmdir tmp; mkfifo tmp', 'ok'],
    ['a link in the place of tmp', 'rmdir tmp; ln -s "$OLDPWD" tmp', 'ok'],
  ])('an earlier call left %s: the next one starts or is denied', async (_, deed, kind) => {
    const bin = path.join(root, 'bin');
    mkdirSync(bin);
    const events = [
      { type: 'thread.started', thread_id: 't1' },
      { type: 'item.completed', item: { type: 'agent_message', text: 'done' } },
      { type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
    ];
    const said = events.map((event) => `echo '${JSON.stringify(event)}'`).join('\n');
    const script = `#!/bin/sh\ncat > /dev/null\ncd "$HOME"\n${deed}\n${said}\n`;
    writeFileSync(path.join(bin, 'codex'), script, { mode: 0o755 });
    mkdirSync(path.join(root, 'user/.codex'));
    writeFileSync(path.join(root, 'user/.codex/auth.json'), '{"token":"old"}');
    const place = world({ environment: { PATH: `${bin}:${systemPath}` } });
    const settings: AgentSettings = { id: 'codex', protocol: 'codex' };
    const first = await call(settings, task(), place);
    expect(first.result.kind).toBe('ok');
    const resume = { session: first.result.session ?? '', fork: false };
    const second = await call(settings, task({ resume }), place);
    expect(second.result.kind, second.result.message).toBe(kind);
    expect(readFileSync(path.join(project, 'README.md'), 'utf8')).toBe('hello\n');
    expect(existsSync(path.join(project, '.charrette'))).toBe(true);
  });

  test('totals of a conversation are kept, so that a resumed run counts only itself', async () => {
    const bin = path.join(root, 'bin');
    mkdirSync(bin);
    // A codex that counts on: each run adds 100 input tokens to the thread's total.
    const script = `#!${process.execPath}
const fs = require('node:fs');
const file = process.env.HOME + '/total';
const total = (fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0) + 100;
fs.writeFileSync(file, String(total));
for (const event of [
  { type: 'thread.started', thread_id: 't1' },
  { type: 'item.completed', item: { type: 'agent_message', text: process.argv.slice(-3).join(' ') } },
  { type: 'turn.completed', usage: { input_tokens: total, cached_input_tokens: 0, output_tokens: total / 10 } },
]) console.log(JSON.stringify(event));
`;
    writeFileSync(path.join(bin, 'codex'), script, { mode: 0o755 });
    const place = world({ environment: { PATH: `${bin}:${systemPath}` } });
    const settings: AgentSettings = { id: 'codex', protocol: 'codex' };
    const first = await call(settings, task(), place);
    expect(first.result.usage).toMatchObject({ inputTokens: 100, outputTokens: 10 });
    const resume = { session: first.result.session ?? '', fork: false };
    const second = await call(settings, task({ resume }), place);
    expect(second.result.text).toBe('resume t1 -');
    const third = await call(
      settings,
      task({ resume: { ...resume, session: second.result.session ?? '' } }),
      place,
    );
    for (const { result } of [second, third]) {
      expect(result.usage).toMatchObject({ basis: 'measured', inputTokens: 100, outputTokens: 10 });
    }
  });
});

test('what a program unpacks at its first start is shared and stays the same for later lanes', async () => {
  const bin = path.join(root, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh
if [ "$1" = --version ]; then mkdir -p "$HOME/.grok/bin"; echo unpacked > "$HOME/.grok/bin/tool"; exit 0; fi
answer=$(cat "$HOME/.grok/bin/tool")
echo "{\\"type\\":\\"result\\",\\"subtype\\":\\"success\\",\\"result\\":\\"$answer\\"}"
echo changed 2>/dev/null > "$HOME/.grok/bin/tool"
`;
  writeFileSync(path.join(bin, 'grok'), script, { mode: 0o755 });
  const place = world({
    environment: { PATH: `${bin}:${systemPath}` },
    cache: path.join(root, 'user/.cache/agents'),
  });
  const settings: AgentSettings = { id: 'grok', protocol: 'grok' };
  expect((await call(settings, task(), place)).result).toMatchObject({ kind: 'ok', text: 'unpacked' });
  if (jails[0].confinement === 'bubblewrap') {
    expect((await call(settings, task(), place)).result.text).toBe('unpacked');
  }
});

describe('a program that does not leave when it is asked for its version', () => {
  /** Ignores SIGTERM and counts its starts. */
  const stubborn = () => {
    const bin = path.join(root, 'bin');
    mkdirSync(bin);
    const count = path.join(root, 'starts');
    writeFileSync(count, '');
    const script = `#!/bin/sh
if [ "$1" = --version ]; then echo $$ >> ${count}; trap '' TERM; while :; do sleep 0.1; done; fi
echo '{"type":"result","subtype":"success","result":"done"}'
`;
    writeFileSync(path.join(bin, 'grok'), script, { mode: 0o755 });
    const place = world({
      environment: { PATH: `${bin}:${systemPath}` },
      cache: path.join(root, 'cache'),
    });
    return { place, starts: () => readFileSync(count, 'utf8').split('\n').filter(Boolean).map(Number) };
  };
  const settings: AgentSettings = { id: 'grok', protocol: 'grok' };

  test('is ended with the call that wanted to share what it unpacks', async () => {
    const { place, starts } = stubborn();
    const cancelled = new AbortController();
    const watch = setInterval(() => starts().length > 0 && cancelled.abort(), 50);
    const { result } = await call(settings, task(), place, cancelled.signal);
    clearInterval(watch);
    expect(result.kind).toBe('cancelled');
    expect(starts().flatMap((pid) => readRow(pid) ?? [])).toEqual([]);
  });

  test('counts against the limit of the call, once; then every HOME has its own', async () => {
    const { place, starts } = stubborn();
    const limits = { wallMs: 4000, idleMs: 4000 };
    for (const turn of [1, 2])
      expect((await call(settings, task({ limits }), place)).result, `${turn}`).toMatchObject({
        text: 'done',
      });
    expect(starts()).toHaveLength(1);
  });

  test('has no version and does not block other work', async () => {
    const { place, starts } = stubborn();
    let ticks = 0;
    const clock = setInterval(() => (ticks += 1), 20);
    const signal = AbortSignal.timeout(1000);
    expect(await agentVersion(settings, place, root, signal)).toBeUndefined();
    clearInterval(clock);
    expect(ticks).toBeGreaterThan(5);
    expect(starts().flatMap((pid) => readRow(pid) ?? [])).toEqual([]);
  });
});

describe('health', () => {
  test('L-125 F-12 the probe starts the agent with the very arguments of production', async () => {
    const bin = path.join(root, 'bin');
    mkdirSync(bin);
    const script = `#!${process.execPath}
require('node:fs').writeFileSync(process.env.HOME + '/arguments', process.argv.slice(2).join(' '));
console.log(JSON.stringify({ type: 'result', subtype: 'success', result: ' Ok\\n' }));
`;
    writeFileSync(path.join(bin, 'claude'), script, { mode: 0o755 });
    const place = world({ environment: { PATH: `${bin}:${systemPath}` } });
    const [probed, called] = [task().laneDirectory, task()];
    const agent = await createAgent({ id: 'claude', protocol: 'claude' }, place);
    const context = { signal: new AbortController().signal, onEvent: () => {} };
    expect(await agent.probe({ ...context, laneDirectory: probed, directory: project })).toEqual({
      healthy: true,
    });
    await agent.call(called, context);
    const seen = [probed, called.laneDirectory].map((lane) =>
      readFileSync(path.join(lane, 'home/arguments'), 'utf8'),
    );
    expect(seen[0]).toBe(seen[1]);
  });

  test('L-126 L-304 a program that is missing is unhealthy, says so, and leaves a whole record', async () => {
    const missing: AgentSettings = { id: 'gone', protocol: 'exec', command: ['no-such-agent'] };
    const agent = await createAgent(missing, world());
    const { laneDirectory } = task();
    const context = {
      signal: new AbortController().signal,
      onEvent: () => {},
      laneDirectory,
      directory: project,
    };
    expect(await agent.probe(context)).toMatchObject({
      healthy: false,
      available: false,
      message: expect.stringContaining('no-such-agent'),
    });
    const request = task();
    const { result } = await call(missing, request);
    expect(result.kind).toBe('unhealthy');
    const kept = readFileSync(path.join(request.laneDirectory, 'agent-result.json'), 'utf8');
    expect(parseJson(kept, 'result')).toMatchObject({ kind: 'unhealthy', message: result.message });
  });
});

test.each([...Object.keys(drivers), 'acp'] as Protocol[])(
  'a %s program knows which run it works for, so that hooks of ours inside it keep still',
  async (protocol) => {
    const program = path.join(root, 'tells-environment.sh');
    writeFileSync(program, '#!/bin/sh\nenv > "$HOME/environment"\n', { mode: 0o755 });
    const request = task({ access: 'write' });
    await call({ id: 'told', protocol, command: [program] }, request, world({ jail: 'off' }));
    const seen = readFileSync(path.join(request.laneDirectory, 'home/environment'), 'utf8').split('\n');
    expect(seen).toEqual(
      expect.arrayContaining([
        'CHARRETTE_RUN=run-1',
        'CHARRETTE_SEAT=general',
        'CHARRETTE_TASK=sketch',
        'CHARRETTE_ATTEMPT=2',
      ]),
    );
  },
);

test('skips an npm shim on PATH for the native binary next to it', async () => {
  const modules = path.join(root, 'prefix/lib/node_modules');
  const shim = path.join(modules, '@openai/codex/bin/codex.js');
  const native = path.join(
    modules,
    `@openai/codex/node_modules/@openai/codex-${process.platform}-${process.arch}/vendor/x86_64-unknown-linux-musl/bin/codex`,
  );
  for (const [file, text] of [
    [shim, '#!/bin/sh\necho shim\nexit 3\n'],
    [
      native,
      '#!/bin/sh\necho \'{"type":"item.completed","item":{"type":"agent_message","text":"native"}}\'\necho \'{"type":"turn.completed","usage":{}}\'\n',
    ],
  ] as const) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o755 });
  }
  mkdirSync(path.join(root, 'prefix/bin'));
  symlinkSync(shim, path.join(root, 'prefix/bin/codex'));
  const place = world({ environment: { PATH: `${root}/prefix/bin:${systemPath}` } });
  const { result } = await call({ id: 'codex', protocol: 'codex' }, task(), place);
  expect(result.message).toBeUndefined();
  expect(result).toMatchObject({ kind: 'ok', text: 'native' });
});

test('L-310 a blank model, or one with control characters, is refused before anything starts', async () => {
  for (const changes of [{ model: ' ' }, { model: 'a\nb' }, { effort: 'high\u0000' }, { baseUrl: '' }]) {
    const settings: AgentSettings = { id: 'codex', protocol: 'codex', ...changes };
    await expect(createAgent(settings, world())).rejects.toMatchObject({ code: 'config-invalid' });
  }
});
