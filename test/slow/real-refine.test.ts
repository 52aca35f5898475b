/** Real Claude Code builds a page, real Codex judges it, Chromium measures it. Less than a minute. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leaf, page } from '../agents/tea-page.mjs';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import type { RequestView } from '../model-server/view.ts';
import { agentCommand, installAgents } from '../real-agents/install.ts';
import { optionalProgram } from '../support/optional-programs.ts';
import { charrette, runsOf } from '../support/program.ts';
import { jsonArtifact, makeRefineProject, promptOf } from '../support/refine-project.ts';

const write = (text: string, file: string) =>
  `echo ${Buffer.from(text).toString('base64')} | base64 -d > ${file}`;
/** The first page has faults; the builder fixes those that are found. */
const build = [
  'mkdir -p assets',
  write(leaf, 'assets/leaf.svg'),
  `if [ -e index.html ]; then ${write(page(5), 'index.html')}; else ${write(page(1), 'index.html')}; fi`,
].join(' && ');

function reply(prompt: string, view: RequestView) {
  if (prompt.includes('You build one web page'))
    return {
      steps: [{ verb: 'shell' as const, argument: build }],
      json: { status: 'completed', summary: 'Built.', outputs: ['index.html'] },
    };
  if (!prompt.includes('You judge a web page')) return undefined;
  // What its own tool has read decides.
  const seen = /data-version=\\*"(\d)/.exec(JSON.stringify(view.turns.filter(({ role }) => role === 'tool')));
  const [score, anchor] = seen?.[1] === '5' ? [0.9, '1.00'] : [0.3, '0.25'];
  const ids = [...new Set([...prompt.matchAll(/^(C-\d\d) \[/gm)].map(([, id = '']) => id))].sort();
  return {
    steps: [{ verb: 'shell' as const, argument: 'cat index.html' }],
    json: {
      criteria: ids.map((id) => ({
        id,
        checks: [{ what: 'the page', score, anchor, evidence: 'index.html:15' }],
      })),
      advice: [],
    },
  };
}

describe.skipIf(optionalProgram('chromium') === undefined)('with real agent programs', () => {
  let server: ModelServer;

  beforeAll(async () => {
    await installAgents(['claude', 'codex']);
    server = await startModelServer({ rules: [{ when: /^## Answer$/m, reply }] });
  });
  afterAll(() => server?.close());

  test('RF-02 RF-05 RF-06 a page is built, measured, judged by another family, fixed and accepted', async () => {
    const agent = (protocol: 'claude' | 'codex', suffix: string, key: string) => ({
      protocol,
      command: agentCommand(protocol),
      model: 'scripted-model',
      baseUrl: `${server.url}${suffix}`,
      env: { [key]: 'key-of-the-test' },
    });
    const { project, git } = makeRefineProject({
      agents: {
        claude: agent('claude', '', 'ANTHROPIC_API_KEY'),
        codex: agent('codex', '/v1', 'OPENAI_API_KEY'),
      },
    });
    const ended = await charrette(['refine', '--yes', 'a page for the tea shop'], { cwd: project });
    expect(ended.stderr).toContain('done: accepted after 2 iterations');
    expect(ended.code).toBe(0);
    const [run = ''] = runsOf(project);
    const reports = [1, 2].map((iteration) =>
      jsonArtifact(project, run, `evaluation-report-${iteration}.json`),
    );
    expect(reports.map(({ passed }) => passed)).toEqual([false, true]);
    expect(reports[0].score.mustPassFailures).toContain('dead-element');
    expect(git('show', 'HEAD:index.html')).toContain('data-version="5"');
    const [first, second] = [1, 2].map((iteration) => promptOf(project, run, `evaluate-${iteration}-1`));
    expect(first).toContain('You judge a web page');
    expect(second?.split('\n').length).toBe(first?.split('\n').length);
  });
});
