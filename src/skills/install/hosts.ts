/** Where hosts look for skills, in a project and, under the same name, in the home directory of a user. */
export const skillFolders = {
  agents: '.agents/skills',
  claude: '.claude/skills',
  cursor: '.cursor/skills',
  codex: '.agents/skills',
  gemini: '.gemini/skills',
} as const;

export type Host = keyof typeof skillFolders;
export type Scope = 'project' | 'user';

export const hosts = Object.keys(skillFolders) as Host[];

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
