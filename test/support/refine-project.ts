import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fixed } from './program.ts';

const agent = path.resolve(import.meta.dirname, '..', 'agents', 'refine-agent.mjs');

/** Fixed ids, times and commit dates: two runs of the same story are the same to the byte. */
export const sameEveryTime = {
  ...fixed,
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
};

export const brandFiles: Readonly<Record<string, string>> = {
  'brand-voice.md': '# Voice\n\nPlain, exact, friendly.\n',
  'visual-identity.md': '# Look\n\n- **Primary**: #0b5fff\n- **Ink**: #222222\n\nHeading font: Georgia\n',
  'target-audience.md': '# Audience\n\nPeople who drink tea and want to know where it comes from.\n',
};

export const designFiles: Readonly<Record<string, string>> = {
  '.moai/design/spec.md':
    '# Spec\n\nThe shop sells tea. Score: this word must not trip anything.\n\n## Acceptance Criteria\n\n- The page names the garden\n- [ ] The page has one button\n',
  '.moai/design/system.md': '# System\n\n| Token | Value |\n| --- | --- |\n| Primary | #00aa00 |\n',
  '.moai/design/copy.json': JSON.stringify({
    page_type: 'landing',
    sections: [
      { primary: 'Tea that tells where it grew', variant_a: 'Tea' },
      { primary: 'Put in the basket' },
    ],
  }),
};

export type RefineProject = { project: string; calls: string; git: (...args: string[]) => string };

/** A small shop with brand files, design documents, a builder and an evaluator of different families. */
export function makeRefineProject(
  options: {
    bend?: string;
    files?: Record<string, string | undefined>;
    agents?: Record<string, unknown>;
  } = {},
): RefineProject {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-refine-'));
  const project = path.join(folder, 'shop');
  const calls = path.join(folder, 'calls.txt');
  writeFileSync(calls, '');
  const brand = Object.entries(brandFiles).map(
    ([name, text]) => [`.moai/project/brand/${name}`, text] as const,
  );
  const command = ['node', agent, calls, options.bend ?? 'none'];
  const config = {
    detect: false,
    agents: options.agents ?? {
      hand: { protocol: 'exec', command, family: 'one' },
      eye: { protocol: 'exec', command, family: 'two' },
    },
  };
  const files: Record<string, string | undefined> = {
    '.gitignore': '.home/\n',
    'README.md': '# Shop\n',
    ...Object.fromEntries(brand),
    ...designFiles,
    '.charrette/.gitignore': '*\n',
    '.charrette/config.json': JSON.stringify(config),
    ...options.files,
  };
  for (const [name, text] of Object.entries(files)) {
    if (text === undefined) continue;
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    writeFileSync(path.join(project, name), text);
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...sameEveryTime },
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.com');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  return { project, calls, git };
}

export function artifactPath(project: string, run: string, name = ''): string {
  return path.join(project, '.charrette', 'runs', run, 'artifacts', name);
}

export function jsonArtifact(project: string, run: string, name: string) {
  return JSON.parse(readFileSync(artifactPath(project, run, name), 'utf8'));
}

/** Text artifacts, with what rightly differs from machine to machine and run to run taken out. */
export function comparableArtifacts(project: string, run: string): Record<string, string> {
  const folder = artifactPath(project, run);
  const names = readdirSync(folder)
    .filter((name) => !name.endsWith('.png'))
    .sort();
  return Object.fromEntries(
    names.map((name) => [
      name,
      readFileSync(path.join(folder, name), 'utf8').replaceAll(path.dirname(project), '<folder>'),
    ]),
  );
}

export function promptOf(project: string, run: string, lane: string): string | undefined {
  const file = path.join(project, '.charrette', 'runs', run, 'lanes', lane, 'prompt.md');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
