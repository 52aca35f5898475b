import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeExampleRepository } from '../../scripts/example-repository.mjs';
import { brandFiles, designFiles } from '../support/refine-project.ts';

/** A run to be killed: its project, what has to be done before, and the command that starts it. */
export type Story = {
  name: string;
  /** Files of the project; default: the example repository. */
  files?: Readonly<Record<string, string>>;
  /** Files next to the project. */
  nearby?: Readonly<Record<string, string>>;
  agents: Readonly<Record<string, AgentProgram>>;
  /** Commands that end before the run begins. */
  before?: readonly (readonly string[])[];
  command: readonly string[];
  /** What a person answers to its questions; default: no questions are asked. */
  answers?: Readonly<Record<string, string>>;
  /** Waits need a clock that goes on; a run that begins anew has another name then. */
  clock?: 'real';
};

/** An agent that edits files cannot be remembered by its answers. `limited`: the task at which its account is used up once. */
type AgentProgram = { program: readonly string[]; edits?: boolean; limited?: string };

const root = path.resolve(import.meta.dirname, '..', '..');
const agentFile = (name: string) => path.join(root, 'test', 'agents', name);
const panel: AgentProgram = { program: ['node', agentFile('panel-agent.mjs')] };
const asking: AgentProgram = { program: [...panel.program, '/dev/null', '0', 'none', 'asks'] };
const workflowAgent: AgentProgram = { program: ['node', agentFile('workflow-agent.mjs'), '/dev/null'] };
const builder: AgentProgram = { program: ['node', agentFile('builder-agent.mjs'), '/dev/null'], edits: true };
const check = `import { existsSync } from 'node:fs';
if (existsSync('test/total.test.mjs')) {
  const all = await import('./src/index.mjs');
  if (all.one + all.two + all.three !== all.total) {
    console.error('the total is not the sum');
    process.exit(1);
  }
}
`;
const numbers = {
  // What it prints goes into prompts, so it says nothing about times.
  'package.json': '{"name":"numbers","scripts":{"test":"node check.mjs"}}\n',
  'check.mjs': check,
  'README.md': '# Numbers\n',
};
const about = { 'about.md': 'Search by tag\n' };
const writer: AgentProgram = { program: ['node', agentFile('feature-agent.mjs'), 'well'] };
const specify = ['feature', 'specify', '--about', 'about.md', '--yes'];
const featureDesign = ['feature', 'design', '--yes'];
const featurePlan = ['feature', 'plan', '--combined', '--yes'];
const hand: AgentProgram = { program: ['node', agentFile('refine-agent.mjs'), '/dev/null'], edits: true };
const shop = {
  'README.md': '# Shop\n',
  ...designFiles,
  ...Object.fromEntries(
    Object.entries(brandFiles).map(([name, text]) => [`.moai/project/brand/${name}`, text]),
  ),
};
const task = 'add the numbers and their total';

/** The longest first: several are proven side by side. */
export const stories: readonly Story[] = [
  {
    name: 'feature-implement',
    files: about,
    agents: { writer: { ...writer, edits: true } },
    before: [['feature', 'new', 'Search'], specify, featureDesign, featurePlan],
    command: ['feature', 'implement', '--yes'],
  },
  {
    name: 'design',
    agents: { one: panel, two: panel },
    command: ['design', '--auto', '--yes', 'add rate limiting'],
  },
  {
    name: 'compare',
    agents: { one: panel, two: panel },
    nearby: { 'tasks.md': 'add rate limiting\n' },
    command: ['compare', '--tasks', '../tasks.md', '--depth', 'quick', '--yes'],
  },
  {
    name: 'refine',
    files: shop,
    agents: { hand, eye: hand },
    command: ['refine', '--yes', 'a page for the tea shop'],
  },
  {
    name: 'review',
    files: numbers,
    // In the project, and not committed.
    nearby: { 'project/total.mjs': 'export const one = 1;\nexport const total = one; // BUG misses two\n' },
    agents: { one: panel, two: panel },
    command: ['review', '--uncommitted', '--yes'],
  },
  {
    name: 'design-quick',
    agents: { one: panel, two: panel },
    command: [
      'design',
      '--auto',
      '--yes',
      '--quick',
      '--dialectic',
      'off',
      '--no-branch',
      'add rate limiting',
    ],
  },
  {
    name: 'design-waits',
    clock: 'real',
    agents: { one: panel, two: { ...panel, limited: 'sketch' } },
    command: [
      ...['design', '--auto', '--yes', '--quick', '--no-branch'],
      ...['--on-quota', 'wait', 'add rate limiting'],
    ],
  },
  {
    name: 'design-answers',
    agents: { one: asking, two: asking },
    nearby: { 'none.json': '{}\n' },
    command: ['design', '--solo', '--no-branch', '--answers', '../none.json', 'add rate limiting'],
    answers: {
      consent: 'yes',
      'clarify-1-per-what': 'per account',
      'discuss-1-1-open-scope': 'the small one',
      'discuss-2-1-open-design': 'the plain one',
    },
  },
  {
    name: 'lite-execute',
    files: numbers,
    agents: { one: builder },
    before: [['lite-plan', '-y', '--plan-only', task]],
    command: ['lite-execute', '--run', 'latest', '-y', '--one-task-per-call'],
  },
  {
    name: 'feature-plan',
    files: about,
    agents: { writer },
    before: [['feature', 'new', 'Search'], specify, featureDesign],
    command: featurePlan,
  },
  {
    name: 'feature-specify',
    files: about,
    agents: { writer },
    before: [['feature', 'new', 'Search']],
    command: specify,
  },
  {
    name: 'feature-design',
    files: about,
    agents: { writer },
    before: [['feature', 'new', 'Search'], specify],
    command: featureDesign,
  },
  {
    name: 'lite-plan',
    files: numbers,
    agents: { one: { ...builder, edits: false } },
    command: ['lite-plan', '-y', '--plan-only', task],
  },
  {
    name: 'lite-answers',
    files: numbers,
    agents: { one: { ...builder, edits: false } },
    command: ['lite-plan', '--plan-only', task],
    answers: {
      consent: 'yes',
      'auto-mode': 'interactive',
      exploration: 'auto-detect',
      'clarify-1': 'three',
      confirm: 'allow',
      execution: 'one',
      review: 'skip',
    },
  },
  {
    name: 'script',
    files: {
      'README.md': '# Numbers\n',
      'flow.js': `export const meta = { name: 'flow', description: 'Looks at items' };
const rows = await pipeline(['a', 'b'], (item) => agent('first ' + item), (_, item) => agent('second ' + item));
const { answers } = await panel('sides of it', { seats: 2 });
return { rows, answers: answers.length };
`,
    },
    agents: { one: workflowAgent, two: workflowAgent },
    command: ['run', 'flow.js', '--access', 'read', '--yes'],
    answers: { 'workflow-code': 'once' },
  },
  {
    name: 'skill-run',
    files: numbers,
    agents: { mine: { program: ['node', agentFile('phase-agent.mjs')] } },
    command: ['skill', 'run', path.join(root, 'skills', 'plan'), 'add limits', '--yes'],
  },
  {
    name: 'plan-edit',
    agents: { one: panel, two: panel },
    before: [['design', '--auto', '--yes', '--no-branch', '--solo', 'add rate limiting']],
    command: ['plan', 'edit', 'latest', '--comment', 'keep it small'],
  },
];

/** Where everything of one story is. */
export type Places = { project: string; home: string; calls: string; answers: string };

export function placesIn(folder: string): Places {
  return {
    project: path.join(folder, 'world', 'project'),
    home: path.join(folder, 'world', 'home'),
    calls: path.join(folder, 'calls.txt'),
    answers: path.join(folder, 'answers'),
  };
}

/** Makes the repository with its agents; nothing of a run is there yet. */
export function makeWorld(story: Story, folder: string): Places {
  const places = placesIn(folder);
  for (const made of [places.home, places.answers]) mkdirSync(made, { recursive: true });
  writeFileSync(places.calls, '');
  if (story.files === undefined) makeExampleRepository(places.project);
  else makeRepository(places, story.files);
  writeFiles(path.dirname(places.project), story.nearby ?? {});
  const settings = path.join(places.project, '.charrette');
  mkdirSync(settings, { recursive: true });
  writeFileSync(path.join(settings, '.gitignore'), '*\n');
  const agents = Object.entries(story.agents).map(([id, { program, edits, limited }]) => {
    const memory = edits === true ? '-' : places.answers;
    const remembering = ['sh', agentFile('remembering-agent.sh'), places.calls, memory, ...program];
    const limit = ['node', agentFile('limited-agent.mjs'), places.calls, places.home];
    const command = limited === undefined ? remembering : [...limit, limited, ...remembering];
    return [id, { protocol: 'exec', command, family: id }] as const;
  });
  writeFileSync(
    path.join(settings, 'config.json'),
    JSON.stringify({ detect: false, agents: Object.fromEntries(agents) }),
  );
  return places;
}

function makeRepository({ project, home }: Places, files: Readonly<Record<string, string>>): void {
  writeFiles(project, files);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
      cwd: project,
      env: { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}
