/** Real Claude Code and Codex review and fix a feature in continued sessions. Minutes: about three. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseJson } from '../../src/base/safe-json.ts';
import { clearAway } from '../clear-away.ts';
import type { Rule } from '../model-server/rules.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import type { RequestView } from '../model-server/view.ts';
import { agentCommand, installAgents } from '../real-agents/install.ts';
import { pinOf } from '../real-agents/pins.ts';
import { charrette, runsOf } from '../support/program.ts';

const writer = path.resolve(import.meta.dirname, '../agents/feature-agent.mjs');
const said = (view: RequestView) => view.turns.map(({ text }) => text).join('\n');
const references = (prompt: string) =>
  [...prompt.matchAll(/^- [A-Z][^:\n]*: (\/\S+)$/gm)].map(([, file = '']) => file);

function roundOf(prompt: string): number {
  const line = /(?:This is (?:phase-review )?iteration|final validation round \(iteration) (\d+)/;
  return Number(line.exec(prompt)?.[1] ?? 1);
}

function verdict(prompt: string, view: RequestView): string {
  const round = roundOf(prompt);
  const relevance = prompt.includes('"checks"');
  // Only the implementation is rejected twice; everything else once.
  const rejections = prompt.includes('"levels"')
    ? 2
    : prompt.includes('"approved"') && !/"strengths"|"securitySeverity"/.test(prompt)
      ? 1
      : 0;
  const approved = round > rejections;
  const issues = approved
    ? []
    : [{ severity: 'blocker', description: `open in round ${round}`, location: 'R1.1' }];
  const read = references(prompt).map(
    (file) => `${path.basename(file)} (${readFileSync(file, 'utf8').split('\n').length - 1} lines)`,
  );
  const lead = read.length === 0 ? '' : `Files read: ${read.join(', ')}\n`;
  const knows = /You MUST read the following files/.test(said(view));
  const summary = knows ? 'I know the documents.' : 'I know nothing.';
  return `${lead}${JSON.stringify(relevance ? { pass: true, checks: [{ name: 'coverage', pass: true, details: '', gaps: [] }], summary } : { approved, issues, summary })}`;
}

const report = 'Files read: all\n## Files changed\n- src/made.ts\n\n## Decisions\nnone\n';

/** What a model would say, worked out from the conversation alone. */
const rules: readonly Rule[] = [
  {
    when: /Read the file \S+ and list its 3 spelling mistakes/,
    reply: (prompt) => ({
      steps: [{ verb: 'read', argument: /Read the file (\S+)/.exec(prompt)?.[1] ?? '' }],
      json: { issues: ['teh', 'recieve', 'seperate'] },
    }),
  },
  {
    when: /Without opening any file: repeat the first line/,
    reply: (_prompt, view) => ({
      json: { firstLine: /# Probe \w+/.exec(said(view))?.[0] ?? 'forgotten', issueCount: 3 },
    }),
  },
  {
    when: /## (?:Task|New Issues to Fix|Issues to fix)/,
    reply: (prompt) => {
      const name = /### Task (\S+):/.exec(prompt)?.[1] ?? `fix-${roundOf(prompt)}`;
      return {
        steps: [
          ...references(prompt)
            .slice(0, 1)
            .map((argument) => ({ verb: 'read' as const, argument })),
          { verb: 'shell', argument: `mkdir -p src && echo made > src/${name}.ts` },
        ],
        say: report,
      };
    },
  },
  {
    when: /## JSON/,
    reply: (prompt, view) => ({
      steps: references(prompt).map((argument) => ({ verb: 'read' as const, argument })),
      say: verdict(prompt, view),
    }),
  },
];

let server: ModelServer;
const folders: string[] = [];

beforeAll(async () => {
  await installAgents(['claude', 'codex', 'claude-acp']);
  server = await startModelServer({ rules });
});

afterAll(async () => {
  await server?.close();
  clearAway(...folders);
});

function makeProject(...mode: string[]): string {
  const project = mkdtempSync(path.join(tmpdir(), 'charrette-real-feature-'));
  folders.push(project);
  const model = 'scripted-model';
  const config = {
    detect: false,
    agents: {
      writer: {
        protocol: 'exec',
        command: ['node', writer, ...(mode.length === 0 ? ['long'] : mode)],
        family: 'mine',
      },
      claude: {
        protocol: 'claude',
        command: agentCommand('claude'),
        model,
        baseUrl: server.url,
        env: { ANTHROPIC_API_KEY: 'key-of-the-test' },
      },
      acp: {
        protocol: 'acp',
        command: agentCommand('claude-acp'),
        env: {
          ANTHROPIC_API_KEY: 'key-of-the-test',
          ANTHROPIC_BASE_URL: server.url,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          CLAUDE_CODE_MAX_RETRIES: '1',
        },
      },
      codex: {
        protocol: 'codex',
        command: agentCommand('codex'),
        model,
        baseUrl: `${server.url}/v1`,
        env: { OPENAI_API_KEY: 'key-of-the-test' },
      },
    },
  };
  writeFileSync(path.join(project, 'charrette.config.json'), JSON.stringify(config));
  writeFileSync(path.join(project, 'about.md'), 'Search by tag\n');
  writeFileSync(path.join(project, '.gitignore'), '.home/\n.charrette/\n');
  const git = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];
  for (const words of [
    ['init', '--quiet'],
    ['add', '--all'],
    ['commit', '--quiet', '-m', 'Begin'],
  ])
    execFileSync('git', [...git, ...words], { cwd: project });
  return project;
}

const run = (cwd: string, ...words: string[]) => charrette(words, { cwd });
const promptOf = (project: string, id: string, lane: string) =>
  readFileSync(path.join(project, '.charrette/runs', id, 'lanes', lane, 'prompt.md'), 'utf8');
const dispatches = (project: string) =>
  readFileSync(path.join(project, '.charrette/prompt-log.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map(
      (line) => parseJson(line, 'log') as { role: string; iteration: number; kind: string; command: string },
    );

test.each([
  ['claude', `${pinOf('claude').version} scripted-model`],
  ['codex', `${pinOf('codex').version} scripted-model`],
  // Adapters of the Agent Client Protocol tell no version; theirs is when they were built.
  ['acp', expect.stringMatching(/^built \d+/)],
])(
  'T-090, T-099, T-115: %s gets the second round as a delta in its own session, after one probe of its version',
  async (agent, version) => {
    const project = makeProject();
    await run(project, 'feature', 'new', 'Search');
    const agents = ['--agents', `writer,${agent}`, '--yes'];
    const first = await run(project, 'feature', 'specify', '--about', 'about.md', ...agents);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toContain(
      'spec-reviewer 2: reviewer approved, gate pass (approved), session continued',
    );
    expect(first.stderr).not.toContain('RESUME-FALLBACK');
    const [id = ''] = runsOf(project);
    const prompt = promptOf(project, id, 'specify-spec-reviewer-2-1');
    expect(prompt).toMatch(/^You already have the upstream artifacts/);
    expect(prompt).toMatch(/## Delta\nspec\.md \| \+\d+ -\d+/);
    expect(prompt).not.toContain('## Required Artifacts');
    const heard = server.requests.findLast(({ turns }) =>
      turns.some(({ text }) => text.includes(prompt.trim())),
    );
    const words = heard?.turns.map(({ text }) => text).join('\n') ?? '';
    expect(words).toContain(promptOf(project, id, 'specify-spec-reviewer-1-1').trim());
    expect(dispatches(project).map(({ role, iteration, kind }) => [role, iteration, kind])).toEqual([
      ['spec-reviewer', 1, 'fresh'],
      ['spec-reviewer', 2, 'resumed'],
      ['phase-reviewer', 1, 'fresh'],
      // T-093: the writer changed nothing, so no delta is sent.
      ['phase-reviewer', 2, 'fresh'],
    ]);
    const probes = parseJson(
      readFileSync(path.join(project, '.charrette/resume-probes.json'), 'utf8'),
      'probes',
    );
    expect(probes).toMatchObject({ agents: { [agent]: { version, result: { passed: true } } } });
    const second = await run(project, 'feature', 'design', '--no-research', ...agents);
    expect(second.code, second.stderr).toBe(0);
    const latest = runsOf(project).at(-1) ?? '';
    const probed = server.requests.some(({ turns }) =>
      turns.some(({ text }) => text.includes('spelling mistakes') && text.includes(latest)),
    );
    expect(probed).toBe(false);
  },
);

test('T-103, T-104: a session that is gone is replaced by a fresh call with the issues, and one line says so', async () => {
  const marker = mkdtempSync(path.join(tmpdir(), 'charrette-marker-'));
  folders.push(marker);
  const project = makeProject('fail-once', path.join(marker, 'failed'), 'feature-spec-revision');
  await run(project, 'feature', 'new', 'Search');
  const words = ['feature', 'specify', '--about', 'about.md', '--agents', 'writer,codex', '--yes'];
  expect((await run(project, ...words)).code).toBe(1);
  const [id = ''] = runsOf(project);
  const home = path.join(project, '.charrette/runs', id, 'lanes/specify-spec-reviewer-1-1/home');
  rmSync(home, { recursive: true });
  const { code, stderr } = await run(project, 'resume', id);
  expect(code, stderr).toBe(0);
  const history = readFileSync(path.join(project, 'docs/features/001-search/.review-history.md'), 'utf8');
  expect(history.match(/^RESUME-FALLBACK: .*$/gm)).toEqual([
    expect.stringMatching(/^RESUME-FALLBACK: spec-reviewer iteration 2 — The conversation .* is gone/),
  ]);
  const prompt = promptOf(project, id, 'specify-spec-reviewer-2.2-1');
  expect(prompt).toContain('(Fresh dispatch — prior review session unavailable.)');
  expect(prompt).toContain('open in round 1');
  expect(dispatches(project)[1]).toMatchObject({ kind: 'fresh', iteration: 2 });
});

test.each(['claude', 'codex'])(
  'T-109, T-102: real %s implements, fixes twice in one session and validates at the end',
  async (agent) => {
    const project = makeProject();
    await run(project, 'feature', 'new', 'Search');
    const prepare = ['--agents', 'writer', '--yes'];
    await run(project, 'feature', 'specify', '--about', 'about.md', ...prepare);
    await run(project, 'feature', 'design', '--no-research', ...prepare);
    await run(project, 'feature', 'plan', '--combined', ...prepare);
    const words = ['feature', 'implement', '--agents', agent, '--yes', '--no-simplify', '--no-tests'];
    const { code, stderr } = await run(project, ...words);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/fix 1\.2: 1 file changed, session continued/);
    expect(stderr).not.toContain('RESUME-FALLBACK');
    const id = runsOf(project).at(-1) ?? '';
    expect(promptOf(project, id, 'fix-1.2-1')).toContain('## New Issues to Fix');
    expect(promptOf(project, id, 'implement-security-reviewer-4-1')).toContain(
      '## Changes Since Your Last Review',
    );
    expect(readdirSync(path.join(project, 'src')).sort()).toEqual(
      ['1.1.ts', '1.2.ts', '1.3.ts', 'fix-1.ts', 'fix-2.ts'].sort(),
    );
  },
);
