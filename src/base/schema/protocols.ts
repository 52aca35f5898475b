/** How agents are spoken to; the values of `protocol` in the configuration. */
export const protocols = [
  'claude',
  'codex',
  'cursor',
  'gemini',
  'opencode',
  'qwen',
  'grok',
  'goose',
  'copilot',
  'pi',
  'acp',
  'model',
  'exec',
  'static',
] as const;

export type Protocol = (typeof protocols)[number];
