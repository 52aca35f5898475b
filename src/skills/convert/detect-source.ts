import type { SourceType } from '../config/workflow-config.ts';

/** S-020: what a source is, by its path. Commands and skills are looked for before the general document. */
export function detectSource(input: string, kind: 'file' | 'directory' | 'none'): SourceType {
  const path = input.replaceAll('\\', '/');
  if (/(?:^|\/)commands\/.+\.md$/i.test(path)) return 'command_set';
  if (/(?:^|\/)skills\//i.test(path) && (kind !== 'none' || /\.md$/i.test(path))) return 'existing_skill';
  if (/(?:^|\/)SKILL\.md$/.test(path)) return 'existing_skill';
  if (kind === 'directory') return 'existing_skill';
  if (/\.(?:md|json)$/i.test(path) && (kind === 'file' || !/\s/.test(path))) return 'requirements_doc';
  return 'text_description';
}

/** `~/x` as the shell reads it. */
export function expandHome(input: string, home: string | undefined): string {
  return home !== undefined && (input === '~' || input.startsWith('~/')) ? home + input.slice(1) : input;
}
