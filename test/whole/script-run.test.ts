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
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPostgres, startPostgres } from '../support/postgres.ts';
import { callsIn, charrette, type Ended, runsOf } from '../support/program.ts';
import { recordOf, startWorker } from '../support/worker-program.ts';

const agentFile = path.resolve(import.meta.dirname, '..', 'agents', 'workflow-agent.mjs');
let folder: string;
let project: string;
let calls: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'charrette-script-'));
  project = path.join(folder, 'project');
  calls = path.join(folder, 'calls.txt');
  mkdirSync(path.join(project, '.charrette', 'workflows'), { recursive: true });
  writeFileSync(calls, '');
  writeFileSync(path.join(project, 'README.md'), '# Numbers\n');
  writeFileSync(path.join(project, '.gitignore'), '.charrette\n.home\n');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project });
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.email', 'ann@example.com');
  git('config', 'user.name', 'Ann');
  git('add', '.');
  git('commit', '--quiet', '--message', 'start');
  useAgents();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function useAgents({ delayMs = 0, failing = 'never' } = {}): void {
  const command = ['node', agentFile, calls, String(delayMs), failing];
  const agents = {
    one: { protocol: 'exec', command, family: 'one' },
    two: { protocol: 'exec', command, family: 'two' },
  };
  writeFileSync(
    path.join(project, '.charrette', 'config.json'),
    JSON.stringify({ detect: false, consent: true, agents }),
  );
}

function write(name: string, body: string): string {
  const text = `export const meta = { name: '${name}', description: 'Tries ${name}' };\n${body}\n`;
  writeFileSync(path.join(project, '.charrette', 'workflows', `${name}.js`), text);
  return name;
}

async function digestOf(name: string): Promise<string> {
  const { stdout } = await charrette(['workflow', 'show', name, '--json'], { cwd: project });
  return (JSON.parse(stdout) as { digest: string }).digest;
}

/** Runs a workflow whose code is allowed. */
async function run(
  name: string,
  flags: string[] = [],
  options: { crashAt?: number; countFile?: string } = {},
) {
  const trust = ['--trust', await digestOf(name)];
  return charrette(['run', name, ...trust, '--json', '--no-input', ...flags], { cwd: project, ...options });
}

const resultOf = ({ stdout }: Ended) => (JSON.parse(stdout) as { result: unknown }).result;

/** Stages that end in an order of their own each time, state outside of them, and every kind of call. */
const wide = `
const seen = [];
const rows = await pipeline(
  ['a', 'b', 'c', 'd'],
  (item) => agent('first ' + item),
  (text, item) => { seen.push(item); return agent('second ' + item + ' after ' + seen.indexOf(item)); },
  (text, item) => agent('third ' + item, { schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 2 } } } }),
);
const both = await parallel([() => agent('left'), () => agent('right')]);
return { rows, both, seen: seen.length };
`;

/** What is the same in whatever order the calls end. */
const expectedWide = {
  rows: [{ n: 2 }, { n: 2 }, { n: 2 }, { n: 2 }],
  both: ['done: left', 'done: right'],
  seen: 4,
};

test('W-003 W-012 W-017 W-018 W-153: a file runs to its end with real agent processes', async () => {
  const ended = await run(write('wide', wide));
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  expect(resultOf(ended)).toEqual(expectedWide);
  expect(callsIn(calls)).toHaveLength(14);
});

test('a panel that only one of two announced families answered is no success: exit 6, unless you accept it', async () => {
  const name = write('ask', "return (await panel('Review the numbers')).answers.map(({ agent }) => agent);");
  const file = path.join(project, '.charrette', 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  config.agents.two.command[4] = 'Review';
  writeFileSync(file, JSON.stringify(config));
  const ended = await run(name);
  expect(ended.code, ended.stderr).toBe(6);
  expect(resultOf(ended)).toEqual(['one', 'one']);
  expect(JSON.parse(ended.stdout).degraded).toEqual([
    expect.objectContaining({ role: 'workflow', planned: 'two', actual: 'one' }),
  ]);
  expect(ended.stderr).toContain('only the family one answered; announced were one, two');
  const accepted = await run(name, ['--accept-degraded']);
  expect(accepted.code, accepted.stderr).toBe(0);
  expect(JSON.parse(accepted.stdout).degraded).toHaveLength(1);
});

test('W-105 W-106: killed at writes all over the run, it resumes to the same result and repeats no finished call', async () => {
  const name = write('wide', wide);
  useAgents({ delayMs: 60 });
  const countFile = path.join(folder, 'writes.txt');
  expect((await run(name, [], { countFile })).code).toBe(0);
  const writes = Number(readFileSync(countFile, 'utf8').trim().split('\n').at(-1));
  expect(writes).toBeGreaterThan(40);
  const points = Array.from({ length: 4 }, (_, index) => Math.floor(((index + 0.5) * writes) / 5));
  for (const crashAt of points) {
    rmSync(path.join(project, '.charrette', 'runs'), { recursive: true, force: true });
    writeFileSync(calls, '');
    await run(name, [], { crashAt });
    const [id] = runsOf(project);
    if (id === undefined) continue;
    const finished = lanesWith(id, 'result.json');
    const begun = lanesWith(id, 'prompt.md').length - finished.length;
    // One that came to its end before that write has nothing to resume.
    const { status } = JSON.parse(
      readFileSync(path.join(project, '.charrette', 'runs', id, 'run.json'), 'utf8'),
    );
    if (status === 'done') continue;
    const resumed = await charrette(['resume', 'latest', '--json', '--no-input'], { cwd: project });
    expect(resumed.code, `${crashAt}: ${resumed.stdout}${resumed.stderr}`).toBe(0);
    const result = JSON.parse(
      readFileSync(path.join(project, '.charrette', 'runs', id, 'artifacts', 'result.json'), 'utf8'),
    );
    expect(result, `killed at write ${crashAt}`).toEqual(expectedWide);
    expect(callsIn(calls).length, `killed at write ${crashAt}`).toBeLessThanOrEqual(14 + begun);
  }
}, 300_000);

function lanesWith(id: string, file: string): string[] {
  const lanes = path.join(project, '.charrette', 'runs', id, 'lanes');
  return existsSync(lanes)
    ? readdirSync(lanes).filter((lane) => existsSync(path.join(lanes, lane, file)))
    : [];
}

describe('code of others', () => {
  test('W-140 W-142: a file of the project is asked about, and --yes does not answer', async () => {
    const name = write('plain', "return 'x'");
    const file = path.join(project, '.charrette', 'workflows', `${name}.js`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('Tries', 'Tries\\nAccess: read\\nDigest: 0'));
    const ended = await charrette(['run', name, '--yes', '--no-input', '--json'], { cwd: project });
    expect(ended.code).toBe(7);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      status: 'paused',
      questions: [{ id: 'workflow-code' }],
    });
    const lines: string[] = JSON.parse(ended.stdout).questions[0].detail.split('\n');
    expect(lines.filter((line) => /^(?:Access|Digest):/.test(line))).toHaveLength(2);
    expect(lines.at(-1)).toContain('run.json');
  });

  test('W-141: allowed once and for all, it runs until the file changes', async () => {
    const name = write('plain', "return 'x'");
    await charrette(['run', name, '--no-input'], { cwd: project });
    const answered = await charrette(['answer', 'latest', 'workflow-code=always'], { cwd: project });
    expect(answered.code, answered.stderr).toBe(0);
    expect((await charrette(['run', name, '--no-input', '--json'], { cwd: project })).code).toBe(0);
    write('plain', "return 'y'");
    expect((await charrette(['run', name, '--no-input', '--json'], { cwd: project })).code).toBe(7);
  });

  test('W-142 W-151: a file of an installed plug-in is asked about too', async () => {
    const plugin = path.join(folder, 'shop');
    const registry = path.join(project, '.home', '.claude', 'plugins');
    for (const place of [registry, path.join(plugin, 'workflows')]) mkdirSync(place, { recursive: true });
    const plugins = { 'shop@market': [{ scope: 'user', installPath: plugin }] };
    writeFileSync(path.join(registry, 'installed_plugins.json'), JSON.stringify({ version: 2, plugins }));
    const text = "export const meta = { name: 'audit', description: 'Audits' };\nreturn agent('audit');\n";
    writeFileSync(path.join(plugin, 'workflows', 'audit.js'), text);
    const asked = await charrette(['run', 'shop:audit', '--yes', '--no-input', '--json'], { cwd: project });
    expect([asked.code, JSON.parse(asked.stdout).questions?.[0]?.id]).toEqual([7, 'workflow-code']);
    expect(resultOf(await run('shop:audit'))).toBe('done: audit');
  });

  test('a pin that does not match is an error before anything runs', async () => {
    const ended = await charrette(['run', write('plain', 'return 1'), '--trust', 'abcdefabcdef', '--json'], {
      cwd: project,
    });
    expect(ended.code).toBe(5);
    expect(runsOf(project)).toEqual([]);
  });
});

test('W-165: ask pauses, any answer continues, and finished calls are not repeated', async () => {
  const name = write(
    'asking',
    "const a = await agent('before'); const word = await ask('Which?', { id: 'which', options: ['one', 'two'] }); return { a, word, after: await agent('after ' + word) };",
  );
  expect((await run(name)).code).toBe(7);
  const answered = await charrette(['answer', 'latest', 'which=two', '--json'], { cwd: project });
  expect(answered.code, answered.stderr).toBe(0);
  expect(callsIn(calls)).toEqual(['after two', 'before']);
});

test('W-014 W-041: an agent that fails for good gives null', async () => {
  useAgents({ failing: 'broken' });
  const ended = await run(write('failing', "return [await agent('broken one'), await agent('fine')]"));
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  expect(resultOf(ended)).toEqual([null, 'done: fine']);
});

test('W-153: an error of the file names its line and column', async () => {
  const ended = await run(write('throwing', "await agent('a');\nthrow new Error('no more');"));
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    error: { code: 'workflow-failed', message: expect.stringContaining('throwing.js:3:7: no more') },
  });
});

test('W-005 W-166: without a model every primitive answers, and phases that meta lacks are shown', async () => {
  const name = write(
    'primitives',
    "phase('Odd'); const p = await panel('x', { seats: 2 }); const j = await judge(['a', 'b'], { criteria: 'c' }); const d = await debate('x', { for: 'a', against: 'b' }); const v = await vote(['i'], { question: 'q' }); return [p.answers.length, j.winner, d.winner, v.undecided.length]",
  );
  const ended = await run(name, ['--agents', 'static']);
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  const log = readFileSync(
    path.join(project, '.charrette', 'runs', runsOf(project)[0] ?? '', 'events.jsonl'),
    'utf8',
  );
  expect(log).toContain('"phase":"Odd"');
});

test('W-024: more than 1000 calls end the run with one error', async () => {
  const ended = await run(write('endless', "for (let i = 0; ; i += 1) await agent('call ' + i);"), [
    '--agents',
    'static',
  ]);
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'workflow-limit' } });
}, 300_000);

test('W-130 W-131: a worktree needs --access branch; an unchanged one is removed, and main stays', async () => {
  const name = write('working', "return agent('work', { isolation: 'worktree' });");
  const refused = await run(name, ['--access', 'read']);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain('--access branch');
  const before = execFileSync('git', ['rev-parse', 'main'], { cwd: project, encoding: 'utf8' });
  const ended = await run(name, ['--access', 'branch']);
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  expect(execFileSync('git', ['rev-parse', 'main'], { cwd: project, encoding: 'utf8' })).toBe(before);
  expect(execFileSync('git', ['worktree', 'list'], { cwd: project, encoding: 'utf8' })).not.toContain(
    'call-1',
  );
});

test('W-010 W-015 W-020 W-102: a call is one lane of plain data, in the phase that it names', async () => {
  const ended = await run(
    write(
      'named',
      "phase('First'); log('told'); return agent('one', { phase: 'Second', label: 'The one' });",
    ),
  );
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  const [id = ''] = runsOf(project);
  expect(lanesWith(id, 'result.json')).toEqual(['call-1-1']);
  const prompt = path.join(project, '.charrette', 'runs', id, 'lanes', 'call-1-1', 'prompt.md');
  expect(readFileSync(prompt, 'utf8')).toMatch(/^one\n\nNo one answers questions while you work/);
  expect(events()).toContainEqual(expect.objectContaining({ type: 'note', phase: 'First', text: 'told' }));
  expect(events()).toContainEqual(
    expect.objectContaining({ type: 'lane-queue', lane: 'call-1', label: 'The one', phase: 'Second' }),
  );
});

test('W-100 W-101 W-108: a resumed run has its own copy of the files, runs from the first line and tells nothing twice', async () => {
  write('inner', "return 'inner as it was'");
  const name = write(
    'asking',
    `const seen = [];
const looked = await pipeline(['a', 'b'], (item) => agent('look ' + item), (text, item) => { seen.push(item); return text; });
log('looked at both');
const word = await ask('Which?', { id: 'which' });
return { seen: seen.length, looked, word, inner: await workflow('inner') };`,
  );
  expect((await run(name)).code).toBe(7);
  write('inner', "return 'another version'");
  write('asking', "return 'another version'");
  const answered = await charrette(['answer', 'latest', 'which=two', '--json'], { cwd: project });
  expect(answered.code, answered.stdout + answered.stderr).toBe(0);
  expect(savedResult()).toEqual({
    ...{ seen: 2, looked: ['done: look a', 'done: look b'] },
    ...{ word: 'two', inner: 'inner as it was' },
  });
  expect(callsIn(calls)).toEqual(['look a', 'look b']);
  expect(events().filter(({ text }) => text === 'looked at both')).toHaveLength(1);
});

test('W-107: an answer counts only for the question it was given to', async () => {
  const name = write(
    'ordered',
    `const seen = [];
const rows = await pipeline(['a', 'b'], (item) => agent('first ' + item),
  (text, item) => { seen.push(item); return agent('second ' + item + ' after ' + seen.indexOf(item)); });
await ask('Go on?', { id: 'go' });
return { seen, rows };`,
  );
  expect((await run(name)).code).toBe(7);
  const file = path.join(
    project,
    '.charrette',
    'runs',
    runsOf(project)[0] ?? '',
    'script',
    'deliveries.jsonl',
  );
  const before = readFileSync(file, 'utf8').trim().split('\n');
  const firsts = before.filter((line) => line.includes('-1"'));
  expect([firsts.length, before.length]).toEqual([2, 4]);
  // As if the first calls had ended the other way round: each second call asks something else now.
  writeFileSync(file, `${firsts.toReversed().join('\n')}\n`);
  expect((await charrette(['answer', 'latest', 'go=yes'], { cwd: project })).code).toBe(0);
  const { seen, rows } = savedResult() as { seen: string[]; rows: string[] };
  expect(seen).toEqual(firsts.toReversed().map((line) => (line.includes('1.1-') ? 'a' : 'b')));
  expect(rows).toEqual(['a', 'b'].map((item) => `done: second ${item} after ${seen.indexOf(item)}`));
  expect(callsIn(calls)).toHaveLength(6);
});

test('W-111: calls that the file did not wait for are stopped and named', async () => {
  useAgents({ delayMs: 600_000 });
  const ended = await run(write('hasty', "agent('left alone'); agent('and this'); return 1;"));
  expect(resultOf(ended)).toBe(1);
  expect(events()).toContainEqual(
    expect.objectContaining({
      type: 'warning',
      text: expect.stringMatching(/did not wait for them: 1, 2\.$/),
    }),
  );
});

test('W-112: --detach goes on in a process of its own', async () => {
  const name = write('apart', "return agent('one')");
  const started = await run(name, ['--detach']);
  expect(started.code, started.stdout + started.stderr).toBe(0);
  expect(JSON.parse(started.stdout)).toMatchObject({ status: 'running' });
  const watched = await charrette(['watch', JSON.parse(started.stdout).run], { cwd: project });
  expect(watched.code, watched.stderr).toBe(0);
  expect(savedResult()).toBe('done: one');
});

describe.skipIf(findPostgres() === undefined)('with a queue on a PostgreSQL server', () => {
  test('W-112: a worker needs only the copy of the file that the run has', async () => {
    const server = await startPostgres({ durable: false });
    const env = { CHARRETTE_DATABASE_URL: server.url };
    const name = write('queued', "return agent('one')");
    const trust = ['--trust', await digestOf(name)];
    const queued = await charrette(['run', name, ...trust, '--json', '--queue'], { cwd: project, env });
    expect(JSON.parse(queued.stdout), queued.stderr).toMatchObject({ status: 'queued' });
    rmSync(path.join(project, '.charrette', 'workflows'), { recursive: true });
    const worker = await startWorker(project, env);
    const { run: id } = JSON.parse(queued.stdout);
    await expect.poll(() => recordOf(project, id).status, { timeout: 60_000 }).toBe('done');
    expect(savedResult()).toBe('done: one');
    worker.kill('SIGTERM');
    await worker.ended;
    await server.stop();
  }, 120_000);
});

test('W-122: a dry run tells who answers for a model; --strict-models allows no guess', async () => {
  const name = write('models', "return agent('a', { model: 'opus' })");
  const planned = async (...flags: string[]) =>
    JSON.parse((await run(name, ['--dry-run', ...flags])).stdout).models;
  expect(await planned()).toMatchObject([{ agent: 'one' }, { model: 'opus', agent: 'one', guess: true }]);
  expect(await planned('--model', 'opus=two')).toMatchObject([{}, { agent: 'two', guess: false }]);
  expect(runsOf(project)).toEqual([]);
  const strict = await run(name, ['--strict-models']);
  expect([strict.code, strict.stdout]).toEqual([
    1,
    expect.stringContaining('--strict-models allows no guess'),
  ]);
});

test('Q-043: calls with an effort of their own keep to the `parallel` of their agent', async () => {
  const place = JSON.stringify(path.join(folder, 'busy'));
  const alone = `const fs = require('fs'); fs.mkdirSync(${place}); setTimeout(() => { fs.rmdirSync(${place}); console.log('alone'); }, 1500);`;
  const one = { protocol: 'exec', command: ['node', '-e', alone], family: 'one', parallel: 1 };
  const config = { detect: false, consent: true, agents: { one } };
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify(config));
  const name = write(
    'busy',
    "return parallel(['a', 'b'].map((text) => () => agent(text, { effort: 'high' })));",
  );
  expect(resultOf(await run(name))).toEqual(['alone', 'alone']);
});

test('W-124 W-126: an effort that an agent does not take is no error; a narrower rule never runs wider', async () => {
  const name = write(
    'narrow',
    `const told = (options) => agent('a', options).catch((error) => error.message);
return [await told({ effort: 'high' }), await told({ disallowedTools: ['Bash'] }), await told({ bashCommandClamp: ['ls'] })];`,
  );
  expect(resultOf(await run(name))).toEqual(['done: a', 'done: a', 'done: a']);
  expect(resultOf(await run(name, ['--access', 'branch']))).toEqual([
    'done: a',
    ...['disallowedTools', 'bashCommandClamp'].map((option) =>
      expect.stringMatching(new RegExp(`held to ${option} \\(denied\\)`)),
    ),
  ]);
});

test('W-046 W-053: one answer, one repair, then the next agent; an answer without text is null', async () => {
  const prompts = path.join(folder, 'one.txt');
  const says = (text: string) => [
    'node',
    '-e',
    `require('fs').appendFileSync('${prompts}', 'x'); console.log('${text}')`,
  ];
  const configure = (...commands: string[][]) => {
    const agents = Object.fromEntries(
      commands.map((command, at) => [`a${at}`, { protocol: 'exec', command, family: `f${at}` }]),
    );
    const config = { detect: false, consent: true, agents };
    writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify(config));
  };
  const name = write(
    'fitting',
    "return agent('x', { schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } })",
  );
  configure(says('nonsense'), ['node', agentFile, calls]);
  const ended = await run(name);
  expect([resultOf(ended), readFileSync(prompts, 'utf8')]).toEqual([{ n: 1 }, 'xx']);
  configure(says('nonsense'));
  const unfit = await run(name);
  expect([unfit.code, unfit.stdout]).toEqual([1, expect.stringContaining('(bad_output)')]);
  configure(says(''));
  expect(resultOf(await run(write('empty', "return agent('x')")))).toBeNull();
});

test('W-023: a workflow starts another one, one level deep', async () => {
  write('inner', "return 'inner ' + args + ' ' + (await agent('from inner'))");
  const ended = await run(write('outer', "return [await workflow('inner', 'x'), await agent('from outer')]"));
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  expect(resultOf(ended)).toEqual(['inner x done: from inner', 'done: from outer']);
});

test('W-023 W-048: it starts one by the name in its meta, and one whose name it computes', async () => {
  const text = "export const meta = { name: 'known-as', description: 'd' };\nreturn 'by meta ' + args;\n";
  writeFileSync(path.join(project, '.charrette', 'workflows', 'file-name.js'), text);
  const body =
    "const names = ['known', 'as']; return [await workflow('known-as', 1), await workflow(names.join('-'), 2)]";
  const ended = await run(write('outer', body));
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  expect(resultOf(ended)).toEqual(['by meta 1', 'by meta 2']);
});

test('W-125: an agent type that does not exist works as general-purpose, unless that is strict', async () => {
  mkdirSync(path.join(project, '.claude', 'agents'), { recursive: true });
  writeFileSync(path.join(project, '.claude', 'agents', 'critic.md'), '---\nname: critic\n---\nBe strict.\n');
  const name = write(
    'types',
    "return [await agent('a', { agentType: 'nobody' }), await agent('b', { agentType: 'team:critic' })]",
  );
  const ended = await run(name);
  expect(resultOf(ended)).toEqual(['done: a', 'done: Be strict.']);
  expect(ended.stderr + eventsOf()).toContain('unknown agentType \\"nobody\\"');
  expect((await run(name, ['--strict-models'])).code).toBe(1);
});

describe('--from-run', () => {
  const lines = (...prompts: string[]) =>
    prompts.map((prompt) => `out.push(await agent('${prompt}'));`).join('\n');
  const edited = async (before: string[], after: string[], flags: string[] = []) => {
    await run(write('edited', `const out = [];\n${lines(...before)}\nreturn out;`));
    writeFileSync(calls, '');
    const name = write('edited', `const out = [];\n${lines(...after)}\nreturn out;`);
    const ended = await run(name, ['--from-run', 'latest', ...flags]);
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expect(resultOf(ended)).toEqual(after.map((prompt) => `done: ${prompt}`));
    return callsIn(calls).sort();
  };

  test('W-109: an edited file calls only for what is new, wherever the other calls are now', async () => {
    expect(await edited(['a', 'b', 'b'], ['b', 'new', 'b', 'a', 'b'])).toEqual(['b', 'new']);
  });

  test('W-032: with --prefix nothing is reused from the first call that is new', async () => {
    expect(await edited(['a', 'b', 'c'], ['a', 'new', 'b', 'c'], ['--prefix'])).toEqual(['b', 'c', 'new']);
  });

  test('W-109: nothing is reused from the first writer on', async () => {
    const access = ['--access', 'branch'];
    const name = write(
      'writing',
      "const look = () => agent('look', { agentType: 'Explore' }); return [await look(), await agent('write'), await look()];",
    );
    await run(name, access);
    writeFileSync(calls, '');
    expect((await run(name, ['--from-run', 'latest', ...access])).code).toBe(0);
    expect(callsIn(calls).sort()).toEqual(['look', 'write']);
  });

  test('W-141: the answer about the code of the earlier run says nothing about another version', async () => {
    await charrette(['run', write('plain', "return 'x'"), '--no-input'], { cwd: project });
    await charrette(['answer', 'latest', 'workflow-code=once'], { cwd: project });
    const name = write('plain', "return 'y'");
    const ended = await charrette(['run', name, '--from-run', 'latest', '--no-input', '--json'], {
      cwd: project,
    });
    expect(ended.code).toBe(7);
  });
});

test('W-016 W-050: a checkout with changes stays, and the run names it with its commit', async () => {
  const editor = path.join(folder, 'editor.mjs');
  writeFileSync(
    editor,
    "import { writeFileSync } from 'node:fs'; writeFileSync('made.txt', 'x'); console.log('made it');",
  );
  const agents = {
    one: { protocol: 'exec', command: ['node', editor], family: 'one' },
  };
  writeFileSync(
    path.join(project, '.charrette', 'config.json'),
    JSON.stringify({ detect: false, consent: true, agents }),
  );
  const ended = await run(write('making', "return agent('make', { isolation: 'worktree' });"), [
    '--access',
    'branch',
  ]);
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  expect(resultOf(ended)).toBe('made it');
  const [, commit, kept = ''] = /call-1 left commit (\w+) \(1 files\) in ([^"]+?)\.?"/.exec(eventsOf()) ?? [];
  expect(readFileSync(path.join(kept, 'made.txt'), 'utf8')).toBe('x');
  expect(execFileSync('git', ['log', '-1', '--format=%H'], { cwd: kept, encoding: 'utf8' })).toContain(
    commit,
  );
  expect(existsSync(path.join(project, 'made.txt'))).toBe(false);
});

function savedResult(): unknown {
  const artifacts = path.join(project, '.charrette', 'runs', runsOf(project).at(-1) ?? '', 'artifacts');
  return JSON.parse(readFileSync(path.join(artifacts, 'result.json'), 'utf8'));
}

function events(): Record<string, unknown>[] {
  const lines = eventsOf().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function eventsOf(): string {
  const runs = path.join(project, '.charrette', 'runs');
  return readFileSync(path.join(runs, runsOf(project).at(-1) ?? '', 'events.jsonl'), 'utf8');
}

describe('workflow', () => {
  test('W-152: list, check and new', async () => {
    write('good', 'return 1');
    writeFileSync(path.join(project, '.charrette', 'workflows', 'bad.js'), 'return 1\n');
    const list = await charrette(['workflow', 'list', '--json'], { cwd: project });
    expect(JSON.parse(list.stdout)).toMatchObject({
      workflows: [
        { name: 'bad', usable: false },
        { name: 'good', usable: true, allowed: false },
      ],
    });
    const checked = await charrette(['workflow', 'check', '.charrette/workflows/bad.js'], { cwd: project });
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain('bad.js:1:1: The first statement');
    for (const template of ['plain', 'review', 'debate', 'research']) {
      const made = await charrette(['workflow', 'new', `t-${template}`, '--from', template, '--ts'], {
        cwd: project,
      });
      expect(made.code, made.stderr).toBe(0);
      const file = `.charrette/workflows/t-${template}.ts`;
      const clean = await charrette(['workflow', 'check', file, '--fail-on', 'warning'], { cwd: project });
      expect(clean.code, clean.stdout).toBe(0);
      expect((await run(`t-${template}`, ['--agents', 'static'])).code).toBe(0);
    }
    const again = await charrette(['workflow', 'new', 't-plain', '--ts'], { cwd: project });
    expect(again.code).not.toBe(0);
  });

  test('W-162 W-166: the examples with types are clean and run without a model', async () => {
    const examples = path.resolve(import.meta.dirname, '../../examples/workflows');
    for (const name of ['design-decision.ts', 'two-sides.ts']) {
      cpSync(path.join(examples, name), path.join(project, '.charrette', 'workflows', name));
      const file = `.charrette/workflows/${name}`;
      const clean = await charrette(['workflow', 'check', file, '--fail-on', 'warning'], { cwd: project });
      expect(clean.code, clean.stdout).toBe(0);
      const ended = await run(file, ['add limits', '--agents', 'static']);
      expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    }
    await charrette(['workflow', 'new', 'typed', '--ts'], { cwd: project });
    const made = readFileSync(path.join(project, '.charrette', 'workflows', 'typed.ts'), 'utf8');
    expect(made).toMatch(/^import type {} from 'charrette\/workflow';\n/);
  });

  test('W-150: words, --arg and --args do not mix', async () => {
    const name = write('args', 'return args ?? null');
    expect(resultOf(await run(name, ['hello', 'you']))).toBe('hello you');
    expect(resultOf(await run(name, ['--arg', 'a=1', '--arg', 'b=2']))).toEqual({ a: '1', b: '2' });
    expect(resultOf(await run(name, ['--args', '[1, {"a": null}]']))).toEqual([1, { a: null }]);
    expect(resultOf(await run(name))).toBeNull();
    expect((await run(name, ['hello', '--arg', 'a=1'])).code).toBe(2);
    expect((await run(name, ['--args', '{"a":'])).code).toBe(2);
  });
});
