import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseJson } from '../../src/base/safe-json.ts';
import { charrette } from './program.ts';

const agent = path.resolve(import.meta.dirname, '../agents/feature-agent.mjs');

/** A repository whose only agent is `test/agents/feature-agent.mjs` in a mode. */
export function makeProject(...mode: string[]): string {
  const project = mkdtempSync(path.join(tmpdir(), 'charrette-feature-'));
  setAgent(project, ...mode);
  writeFileSync(path.join(project, 'about.md'), 'Search by tag\n');
  writeFileSync(path.join(project, '.gitignore'), '.home/\n.charrette/\n');
  git(project, 'init', '--quiet', '--initial-branch=main');
  git(project, 'add', '--all');
  git(project, 'commit', '--quiet', '--message', 'Begin');
  return project;
}

export function setAgent(project: string, ...mode: string[]): void {
  const command = ['node', agent, ...mode];
  const agents = { writer: { protocol: 'exec', command, family: 'mine' } };
  writeFileSync(path.join(project, 'charrette.config.json'), JSON.stringify({ detect: false, agents }));
}

export const git = (cwd: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...words], {
    cwd,
    encoding: 'utf8',
  }).trim();

export const run = (cwd: string, ...words: string[]) => charrette(words, { cwd });
export const stateOf = (project: string) =>
  parseJson(readFileSync(path.join(project, 'docs/features/001-search/.meta.json'), 'utf8'), 'state');

export const directoryOf = (project: string) => path.join(project, 'docs/features/001-search');
export const readOf = (project: string, name: string) =>
  readFileSync(path.join(directoryOf(project), name), 'utf8');

const filler = 'These words fill the document so that it has something to say to its readers.\n'.repeat(4);
const taskText = (number: string, depends: string) =>
  `### Task ${number}: Store ${number}\n- **Why:** Plan Step 1.1 / Design C1\n- **Done when:** it stores\n- **Depends on:** ${depends}\n`;

/** A feature with hand-written documents, so that the next command is `implement`. */
export async function writtenProject(...mode: string[]): Promise<string> {
  const project = makeProject(...mode);
  await run(project, 'feature', 'new', 'Search');
  const documents = {
    'spec.md': `# Spec\n\n## Acceptance Criteria\n- AC-1 it works\n\n${filler}`,
    'design.md': `# Design\n\n## Components\n### C1: Store\n${filler}`,
    'plan.md': `# Plan\n\n## Implementation Order\n### Step 1.1: Store\n${filler}`,
    'tasks.md': `# Tasks\n\n${filler}\n## Phase 1\n${taskText('1.1', 'none')}${taskText('1.2', 'none')}${taskText('1.3', '1.1, 1.2')}`,
  };
  for (const [name, text] of Object.entries(documents))
    writeFileSync(path.join(directoryOf(project), name), text);
  return project;
}
