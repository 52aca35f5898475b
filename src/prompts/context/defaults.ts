/** M-040, A-20: consumers find the block by this exact line, whatever the folder. */
export const blockHeader = '## Design Context (from .moai/design/)';

/** M-004: the built-in settings. */
export const defaultSettings = {
  dir: '.moai/design',
  autoLoad: true,
  budget: 20_000,
  priority: ['spec', 'system', 'research', 'pencil-plan'],
} as const;

/** M-003: where a project keeps its settings, below its root. */
export const settingsFile = '.moai/config/sections/design.yaml';

/** M-035: never dropped. */
export const protectedToken = 'spec';

/** an operation script whose first half looks complete, so it is dropped rather than cut. */
export const dropOnlyToken = 'pencil-plan';

/** M-048: the log lines that others test to the letter. The dash is U+2014. */
export const logLines = {
  notConfigured: 'design_docs not configured — using defaults',
  notInitialized: 'design docs not initialized — run /moai init or SPEC-DESIGN-DOCS-001 to create',
  allPlaceholders: 'design docs present but all are _TBD_ — no content loaded',
  skipped: (token: string) => `skip: ${token} — _TBD_ only`,
  outside: (dir: string, real: string) =>
    `design docs: ${dir} lies outside of the project (${real}) and is not read — --dir reads it on your word`,
  noCandidates: (dir: string) => `design docs: no candidate files in ${dir}`,
} as const;

/** M-005: the settings file that set-up writes. */
export const settingsTemplate = `design:
  design_docs:
    dir: ${defaultSettings.dir}
    auto_load_on_design_command: ${defaultSettings.autoLoad}
    token_budget: ${defaultSettings.budget}
    priority: [${defaultSettings.priority.join(', ')}]
`;
