import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { parseJson } from '../../src/base/safe-json.ts';
import { agentCommand, installAgents } from '../real-agents/install.ts';
import { systemPath } from '../support/optional-programs.ts';
import { charrette, makeProject, program, runsOf } from '../support/program.ts';

beforeAll(() => installAgents(['mcp-inspector']));

/** One request of the official inspector's command line to the built server. */
async function inspect(project: string, ...request: string[]): Promise<Record<string, unknown>> {
  const [node = '', ...inspector] = agentCommand('mcp-inspector');
  const server = [process.execPath, program, 'mcp'];
  const { stdout } = await promisify(execFile)(node, [...inspector, '--cli', ...server, ...request], {
    cwd: project,
    env: { PATH: systemPath, HOME: path.join(project, '.home') },
  });
  return parseJson(stdout, 'the answer of the inspector') as Record<string, unknown>;
}

test('the official inspector lists and calls tools and reads artifacts', async () => {
  const { project } = await makeProject();
  const design = ['design', '--auto', '--yes', '--solo', '--no-branch', 'add limits'];
  expect(await charrette(design, { cwd: project })).toMatchObject({ code: 0 });
  const [run = ''] = runsOf(project);

  const { tools } = await inspect(project, '--method', 'tools/list');
  expect(tools).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'design_start', title: 'Start a design run' })]),
  );
  const listed = await inspect(project, '--method', 'tools/call', '--tool-name', 'run_list');
  expect(listed).toMatchObject({ structuredContent: { total: 1, runs: [{ run, status: 'done' }] } });
  const uri = `charrette://runs/${run}/plan.txt`;
  const { contents } = await inspect(project, '--method', 'resources/read', '--uri', uri);
  expect(contents).toMatchObject([{ uri, text: expect.stringContaining('# Plan:') }]);
});
