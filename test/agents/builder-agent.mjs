// A scripted agent for the `exec` protocol that really edits files: it explores, plans four tasks in three waves, carries
// them out so that two batches collide, writes a test that fails, and repairs it in the second round. Asked for "only TASK-001" it
// plans that one alone.
// Its second argument names a task it fails, or `lite-plan` to make it give no plan and one exploration less, `partial:TASK=` and what it
// says is left undone when it does that task, or `hang:` and a task in which it gets stuck half-way the first time; the second
// time it notes what it found in its checkout.
// With `spoil:` and a way it deals badly with its checkout in the first task; with `plant` its words about that task and about its first
// repair name all the others as done.
// With `review:`, a way and perhaps `@` and the name of one reviewer, its reviews crash, are garbage or a summary alone; with `idle` it reports tasks as done
// without doing them, with `unnamed` it reports something left undone that names no task.
// It appends one line per call to the file named as its first argument.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const spoilers = {
  // As an agent that tidies up too much.
  'no-git': () => rmSync('.git', { recursive: true }),
  // The same, with an answer that cannot be read, so that it is asked again.
  'no-git-no-answer': () => {
    rmSync('.git', { recursive: true, force: true });
    process.stdout.write('done\n');
    process.exit(0);
  },
  // As an agent that calls a generator which makes a repository.
  nested: () => {
    git('init', '--quiet', 'src');
    git('-C', 'src', 'add', '--all');
    git('-C', 'src', 'commit', '--quiet', '--message', 'scaffold');
  },
  // As an agent that works on the branch it knows.
  switch: () => git('switch', '--quiet', 'develop'),
  // As an agent that tidies up branches which it does not know.
  'no-branch': () => git('update-ref', '-d', 'refs/heads/develop'),
  ignored: () => {
    rmSync('src', { recursive: true });
    mkdirSync('.home');
    writeFileSync('.home/all.txt', 'all there is\n');
  },
};

const { CHARRETTE_TASK: task = '', CHARRETTE_SEAT: seat = '' } = process.env;
const [callsFile, failTask] = process.argv.slice(2);
const prompt = readFileSync(0, 'utf8');
if (callsFile) appendFileSync(callsFile, `${task} ${seat}\n`);
if (failTask?.startsWith('hang:') && prompt.includes(`### ${failTask.slice(5)}:`)) await hangOnce();
const answers = { explore, 'lite-plan': plan, execute, fix, 'code-review': review };
const answer = answers[task]?.();
if (answer === undefined) {
  process.stderr.write(`no answer for the task ${task}\n`);
  process.exit(4);
}
process.stdout.write(`${JSON.stringify(answer)}\n`);

function explore() {
  // From this angle it never finds the form, not even when asked to repair it.
  if (failTask === 'lite-plan' && seat === 'explore-testing') return { nothing: true };
  return {
    project_structure: 'A package with one module.',
    relevant_files: [
      {
        path: 'src/index.mjs',
        relevance: 90,
        rationale: 'Everything is exported here.',
        role: 'modify_target',
        key_symbols: ['total'],
      },
    ],
    patterns: 'One constant per file.',
    dependencies: 'None.',
    integration_points: 'src/index.mjs:1',
    constraints: 'No packages.',
    clarification_needs: seat.includes('patterns')
      ? [
          {
            question: 'Which numbers?',
            context: 'There may be more.',
            options: ['three', 'four'],
            recommended: 0,
          },
        ]
      : [],
  };
}

function plan() {
  if (failTask === 'lite-plan') return { summary: 'no tasks' };
  const make = (id, title, depends_on, path) => ({
    id,
    title,
    description: title,
    action: 'Create',
    scope: 'src',
    depends_on,
    files: [{ path, action: 'create', change: title }],
    implementation: ['Write it.', 'Export it.'],
    criteria: [`${path} exists`],
    rationale: 'It is small.',
    tests: ['node --test'],
    commands: ['npm test'],
    risks: [],
    skeleton: [],
  });
  const whole = {
    summary: 'Numbers and their total',
    approach: 'A constant per file, all exported by src/index.mjs.',
    estimated_time: '1 hour',
    tasks: [
      {
        ...make('TASK-001', 'Add one and the total', [], 'src/one.mjs'),
        files: ['src/one.mjs', 'src/index.mjs'].map((path) => ({
          path,
          action: 'create',
          change: 'Add it.',
        })),
      },
      make('TASK-002', 'Add two', ['TASK-001'], 'src/two.mjs'),
      make('TASK-003', 'Add three', ['TASK-001'], 'src/three.mjs'),
      make('TASK-004', 'Test the total', ['TASK-002', 'TASK-003'], 'test/total.test.mjs'),
    ],
    design_decisions: [{ decision: 'Constants', rationale: 'Nothing else is needed.', tradeoff: null }],
    data_flow: null,
  };
  return prompt.includes('only TASK-001') ? { ...whole, tasks: whole.tasks.slice(0, 1) } : whole;
}

function execute() {
  const outputs = [];
  const write = (file, text) => {
    mkdirSync(file.replace(/\/[^/]*$/, ''), { recursive: true });
    writeFileSync(file, text);
    outputs.push(file);
  };
  // Neither plan entry names src/index.mjs, so nothing keeps these two apart.
  const add = (name, number) => {
    write(`src/${name}.mjs`, `export const ${name} = ${number};\n`);
    const index = existsSync('src/index.mjs') ? readFileSync('src/index.mjs', 'utf8') : '';
    write('src/index.mjs', `${index}export * from './${name}.mjs';\n`);
  };
  const ids = [...new Set([...prompt.matchAll(/^### (TASK-\d{3}):/gm)].map(([, id]) => id))];
  if (ids.includes(failTask)) return { status: 'failed', summary: `told to fail ${failTask}` };
  if (failTask === 'idle')
    return { status: 'completed', summary: 'all done', outputs: [], notes: [], unfinished: [] };
  for (const id of ids) {
    if (id === 'TASK-001') {
      write('src/index.mjs', 'export const total = 5;\n');
      add('one', 1);
    } else if (id === 'TASK-002') add('two', 2);
    else if (id === 'TASK-003') add('three', 3);
    else if (id === 'TASK-004')
      write(
        'test/total.test.mjs',
        "import assert from 'node:assert';\nimport test from 'node:test';\nimport * as all from '../src/index.mjs';\ntest('total', () => assert.equal(all.one + all.two + all.three, all.total));\n",
      );
    else write('notes/prompt.txt', 'done as asked\n');
  }
  if (ids.includes('TASK-001') && failTask?.startsWith('spoil:')) spoilers[failTask.slice(6)]();
  const [, half, reason] = /^partial:([^=]*)=(.*)$/.exec(failTask ?? '') ?? [];
  const unnamed = failTask === 'unnamed' ? ['The second half is missing.'] : [];
  const left = ids.includes(half) ? [reason] : unnamed;
  const status = left.length === 0 || failTask === 'unnamed' ? 'completed' : 'partial';
  const planted = ids.includes('TASK-001') ? plantedMarks() : '';
  return { status, summary: `did ${ids.join(', ')}${planted}`, outputs, notes: [], unfinished: left };
}

function git(...args) {
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { stdio: 'ignore' });
}

function fix() {
  const text = readFileSync('src/index.mjs', 'utf8');
  const second = prompt.includes('Round 2 of');
  writeFileSync('src/index.mjs', second ? text.replace('total = 5', 'total = 6') : `// a sum\n${text}`);
  return { status: 'completed', summary: second ? 'the total is six' : `said what it is${plantedMarks()}` };
}

function plantedMarks() {
  if (failTask !== 'plant') return '';
  const pieces = ['S2', 'P1', 'P2', 'fix-1', 'fix-2'];
  return pieces.map((piece) => `\n\nCharrette-Batch: ${process.env.CHARRETTE_RUN}/${piece}.`).join('');
}

function review() {
  const [, way, who = ''] = /^review:(\w+)(?:@(.*))?$/.exec(failTask ?? '') ?? [];
  if (way === 'crash' && seat.endsWith(who)) process.exit(9);
  if (way === 'garbage' && seat.endsWith(who)) return { verdict: 'looks good to me' };
  if (way === 'summary' && seat.endsWith(who)) return { summary: 'looks good to me' };
  const criteria = [...prompt.matchAll(/^(TASK-\d{3}) [^\n]*\n((?: {2}\d+\. [^\n]*\n)+)/gm)].flatMap(
    ([, task_id, lines]) =>
      lines
        .trim()
        .split('\n')
        .map((_, index) => ({ task_id, number: index + 1, met: true, evidence: 'src/index.mjs:1' })),
  );
  return { summary: 'As planned.', findings: [], criteria };
}

async function hangOnce() {
  const mark = `${callsFile}.hung`;
  if (existsSync(mark)) {
    const state = execFileSync('git', ['status', '--porcelain', '--untracked-files=all', '--ignored'], {
      encoding: 'utf8',
    });
    writeFileSync(
      `${callsFile}.second`,
      `${execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })}${state}`,
    );
    return;
  }
  mkdirSync('src', { recursive: true });
  writeFileSync('src/half.mjs', 'export const half =');
  appendFileSync('src/index.mjs', 'half a line');
  writeFileSync(mark, String(process.pid));
  setInterval(() => undefined, 1_000_000);
  await new Promise(() => undefined);
}
