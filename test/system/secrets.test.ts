import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { charrette, makeProject } from '../support/program.ts';

const canaries = {
  given: 'canary-given-to-the-agent-7f3a',
  environment: 'canary-of-the-environment-91bc',
  file: 'canary-in-an-ignored-file-55de',
  home: 'canary-in-the-home-folder-c2a8',
};

test('keys in environment, files and an agent’s own words reach neither record, prompts, report nor output', async () => {
  const { project, calls } = await makeProject();
  const command = ['node', path.resolve('test/agents/leaky-agent.mjs'), calls, '0', 'none', 'plain'];
  const agent = { protocol: 'exec', command, env: { SHOP_API_KEY: canaries.given } };
  const config = path.join(project, '.charrette', 'config.json');
  writeFileSync(
    config,
    JSON.stringify({
      detect: false,
      agents: { one: { ...agent, family: 'one' }, two: { ...agent, family: 'two' } },
    }),
  );
  writeFileSync(path.join(project, '.git', 'info', 'exclude'), '.env\n.home\n');
  writeFileSync(path.join(project, '.env'), `PASSWORD=${canaries.file}\n`);
  mkdirSync(path.join(project, '.home'), { recursive: true });
  writeFileSync(path.join(project, '.home', '.netrc'), `password ${canaries.home}\n`);
  const env = { ANTHROPIC_API_KEY: canaries.environment, DATABASE_PASSWORD: canaries.environment };

  const run = await charrette(['design', '--auto', '--yes', 'let customers cancel an order'], {
    cwd: project,
    env,
  });
  const report = await charrette(['report', 'latest', '--md'], { cwd: project, env });

  expect(run.code, run.stderr).toBe(0);
  const heard = [...filesBelow(path.join(project, '.charrette'))].filter((file) => file !== config);
  const texts = [run.stdout, run.stderr, report.stdout, ...heard.map((file) => readFileSync(file, 'latin1'))];
  const streams = heard.filter((file) => file.endsWith('stderr.txt'));
  // The agent did speak, and the key it was given stands there as a blot.
  expect(streams.length).toBeGreaterThan(4);
  expect(readFileSync(streams[0] ?? '', 'utf8')).toContain('"SHOP_API_KEY":"[secret]"');
  for (const [name, canary] of Object.entries(canaries))
    expect(
      texts.findIndex((text) => text.includes(canary)),
      name,
    ).toBe(-1);
});

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(place);
    else if (entry.isFile()) yield place;
  }
}
