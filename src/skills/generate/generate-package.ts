import type { WorkflowConfig } from '../config/workflow-config.ts';
import { phasePath, renderPhase, type Tools } from './phase-markdown.ts';
import { renderSkill, type SectionOverrides } from './skill-markdown.ts';

export const defaultTools: Tools = { agent: 'Task', todo: 'TodoWrite' };

/** The files of a package by path, made from its config alone. A skeleton has a placeholder in every phase without own steps. */
export function generatePackage(
  config: WorkflowConfig,
  tools: Tools = defaultTools,
  overrides: SectionOverrides = {},
  skeleton = false,
): Map<string, string> {
  return new Map([
    ['SKILL.md', renderSkill(config, tools, overrides)],
    ...config.phases.map((phase): [string, string] => [
      phasePath(phase),
      renderPhase(config, phase, tools, skeleton),
    ]),
  ]);
}
