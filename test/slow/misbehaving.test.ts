import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeExampleRepository } from '../../scripts/example-repository.mjs';
import { artifactsOf, charrette, panelAgent, runsOf } from '../support/program.ts';

const misbehaving = path.resolve(import.meta.dirname, '..', 'agents', 'misbehaving-agent.mjs');

const endless: ReadonlySet<string> = new Set(['hangs', 'forks-children']);

function projectWith(mode: string, marker: string): string {
  const project = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-misbehaving-')), 'shop');
  makeExampleRepository(project);
  mkdirSync(path.join(project, '.charrette'));
  const calls = path.join(path.dirname(project), 'calls.txt');
  const config = {
    detect: false,
    // Only who never ends meets it: a busy machine gives the good agent its answer later than an idle one.
    limits: { agentSeconds: endless.has(mode) ? 15 : 300 },
    agents: {
      good: { protocol: 'exec', command: ['node', panelAgent, calls, '0', 'none'], family: 'good' },
      bad: { protocol: 'exec', command: ['node', misbehaving, mode, marker], family: 'bad' },
    },
  };
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify(config));
  return project;
}

/** What the panel says about the seat, and how the run ends. A read-only tree turns an edit into a crash of the agent. */
const cases = [
  ['hangs', /timeout|took too long|no output/i],
  ['floods', /limit|output/i],
  ['garbles', /bad_output|JSON/i],
  ['edits-the-tree', /denied|EROFS|read-only|changed/i],
  ['forks-children', /timeout|took too long|no output/i],
  ['dies', /crash|SIGKILL|signal/i],
  ['answers-in-another-language', /bad_output|words|JSON/i],
  ['echoes-the-prompt', /bad_output|JSON|words|approach/i],
  ['claims-success-with-nothing', /bad_output|no answer|empty/i],
] as const;

test.concurrent.each(cases)(
  'F-01, F-03, F-04, F-05, F-39: an agent that %s loses its seat to another; the run ends with a plan and says so',
  async (mode, said) => {
    const marker = `charrette-fork-${process.pid}-${mode}`;
    const project = projectWith(mode, marker);
    const readme = readFileSync(path.join(project, 'README.md'), 'utf8');
    const ended = await charrette(['design', '--auto', '--yes', '--no-branch', 'add rate limiting'], {
      cwd: project,
    });
    expect(ended.stderr).toMatch(said);
    expect(ended.stderr).toContain('failed');
    // Fewer families reviewed or voted than were announced.
    expect(ended.code).toBe(6);
    const [run = ''] = runsOf(project);
    const artifacts = artifactsOf(project, run);
    expect(artifacts['plan.txt']).toContain('Limit requests per client');
    expect(artifacts['voting-tally.md']).not.toContain('<plan nonce');
    expect(readFileSync(path.join(project, 'README.md'), 'utf8')).toBe(readme);
    const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    expect(processes.split('\n').filter((line) => line.includes(marker))).toEqual([]);
  },
);
