/** The rooms of the house and which floor each is on. Imports go downward, or stay in their own room. */
export const floors = {
  kernel: ['errors.ts', 'error-table.ts', 'safe-json.ts', 'text', 'schema'],
  drivers: ['agents', 'engine', 'git', 'files', 'config', 'browser'],
  domains: [
    'evidence',
    'panel',
    'dialectic',
    'review',
    'compare',
    'plan',
    'prompts',
    'context',
    'skills',
    'refine',
    'brand',
    'imports',
    'feature',
    'lite',
  ],
  workflows: ['workflows'],
  surfaces: ['cli', 'telemetry', 'web', 'mcp', 'acp', 'hosts', 'report'],
} as const;
