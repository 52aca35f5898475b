/** Where hosts look for skills, by scope. Paths are relative to the project or to the home directory. */
export const hostRoots = {
  agents: { project: '.agents/skills', user: '.agents/skills' },
  claude: { project: '.claude/skills', user: '.claude/skills' },
  cursor: { project: '.cursor/skills', user: '.cursor/skills' },
  codex: { project: '.codex/skills', user: '.codex/skills' },
  gemini: { project: '.gemini/skills', user: '.gemini/skills' },
} as const;

export type Host = keyof typeof hostRoots;
export type Scope = 'project' | 'user';

export const hosts = Object.keys(hostRoots) as Host[];

/** Frontmatter fields that only one host knows; elsewhere they move under `metadata` so that nothing is lost. */
export const hostOnlyFields: Readonly<Record<string, readonly Host[]>> = {
  'argument-hint': ['claude'],
  arguments: ['claude'],
  'disable-model-invocation': ['claude', 'cursor'],
  'user-invocable': ['claude'],
  model: ['claude'],
  effort: ['claude'],
  context: ['claude'],
  agent: ['claude'],
  hooks: ['claude'],
  paths: ['claude', 'cursor'],
  shell: ['claude'],
  when_to_use: ['claude'],
};
