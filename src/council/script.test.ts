import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scriptedAgent } from '../agents/index.ts';
import { homeOf, runDirectoryOf } from '../engine/run-directory.ts';
import { readRunRecordSync } from '../engine/run-record.ts';
import { words } from '../prompts/part.ts';
import { type CouncilRun, tryAuthor } from './council.ts';
import { runScript } from './script.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'charrette-script-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const seat = { id: 'author', label: 'Author', agents: ['ann', 'ben'] };
const drawing = { mermaid: 'flowchart TD\n  A-->B', reason: null };
const draw = (council: CouncilRun<undefined>) =>
  tryAuthor(council, seat, {
    key: 'draw',
    kind: 'draw',
    judgement: 'diagram',
    draft: (schema) => ({
      task: 'draw',
      fixed: [words('role', 'Draw the modules.')],
      answer: { kind: 'json', schema },
      changing: [],
    }),
  });

test('a script is a run of the project: its calls, events and artifacts are recorded', async () => {
  const ann = scriptedAgent('ann', () => undefined);
  const ben = scriptedAgent('ben', ({ prompt }) => (prompt.includes('Draw') ? drawing : undefined));
  const lines: string[] = [];
  const options = {
    name: 'drawing',
    title: 'draw',
    agents: [ann, ben],
    onEvent: ({ type }: { type: string }) => lines.push(type),
  };
  const { run, status, result } = await runScript(folder, options, async (council) => {
    const { value, agent, failures } = await draw(council);
    await council.artifact('drawing.md', value?.mermaid ?? '');
    return { agent, failed: failures.map((failure) => failure.agent) };
  });
  expect(result).toEqual({ agent: 'ben', failed: ['ann', 'ann'] });
  expect(status).toBe('done');
  expect(lines).toEqual(expect.arrayContaining(['run-start', 'lane-retry', 'artifact-write', 'run-end']));
  const directory = runDirectoryOf(homeOf(folder), run);
  expect(readRunRecordSync(directory)).toMatchObject({ workflow: 'drawing', title: 'draw', status: 'done' });
  expect(readFileSync(path.join(directory.artifacts, 'drawing.md'), 'utf8')).toBe(drawing.mermaid);
});

test('an error of a script is thrown, and its resumed run repeats no finished call', async () => {
  let asked = 0;
  const ann = scriptedAgent('ann', () => {
    asked += 1;
    return drawing;
  });
  const options = { name: 'drawing', title: 'draw', agents: [ann, scriptedAgent('ben', () => undefined)] };
  let run = '';
  const broken = runScript(folder, options, async (council) => {
    run = council.context.live.directory.id;
    await draw(council);
    throw new TypeError('no paper');
  });
  await expect(broken).rejects.toThrow('no paper');
  expect(readRunRecordSync(runDirectoryOf(homeOf(folder), run)).status).toBe('failed');
  const again = await runScript(folder, { ...options, resume: run }, async (council) => {
    const { value } = await draw(council);
    return value?.mermaid;
  });
  expect(again).toEqual({ run, status: 'done', result: drawing.mermaid });
  expect(asked).toBe(1);
});

test('a question that no one answers pauses the run of a script', async () => {
  const options = { name: 'asking', title: 'ask', agents: [] };
  const ended = await runScript(folder, options, async ({ context }) => {
    await context.ask([{ id: 'colour', text: 'Which colour?' }]);
    return 'asked';
  });
  expect(ended).toMatchObject({ status: 'paused' });
  expect('result' in ended).toBe(false);
});
