import { completeConfig, type RoughConfig } from '../../src/skills/config/complete-config.ts';
import { generatePackage } from '../../src/skills/generate/skill-markdown.ts';
import { lintPackage, type PackageResult } from '../../src/skills/lint/engine.ts';
import type { Surroundings } from '../../src/skills/lint/rule.ts';
import { buildPackage, type SkillPackage } from '../../src/skills/model/package.ts';

/** A package from texts in memory, for tests. */
export function packageOf(texts: Readonly<Record<string, string>>, directory = 'demo-flow'): SkillPackage {
  const files = Object.keys(texts);
  const folders = files.flatMap((file) => (file.includes('/') ? [file.slice(0, file.lastIndexOf('/'))] : []));
  return buildPackage({
    path: directory,
    directory,
    texts: new Map(Object.entries(texts)),
    listing: new Set([...files, ...folders]),
    unreadable: [],
  });
}

/** A generated pipeline that lints clean: four phases, the third conditional, the last two guarded. */
export function cleanTexts(rough: Partial<RoughConfig> = {}): Record<string, string> {
  const { config } = completeConfig({
    skillName: 'demo-flow',
    description: 'Shows a workflow from request to review',
    triggers: ['demo:flow', 'demo flow'],
    phases: [
      { name: 'Session Init', description: 'Open the session', outputVariables: ['sessionId'] },
      {
        name: 'Context Gather',
        description: 'Collect the context',
        outputVariables: ['contextPath', 'conflictRisk'],
        agentTypes: ['context-search-agent'],
        todoWriteSubTasks: ['collect', 'merge'],
      },
      {
        name: 'Conflict Resolution',
        description: 'Resolve conflicts',
        outputVariables: ['resolutionPath'],
        agentTypes: ['general-purpose'],
        condition: 'conflictRisk >= medium',
      },
      {
        name: 'Task Generation',
        description: 'Write the tasks',
        outputVariables: ['taskPath'],
        agentTypes: ['action-planning-agent'],
      },
    ],
    dataFlow: [
      { from: 'input', to: 'phase1', variables: ['task'] },
      { from: 'phase1', to: 'phase2', variables: ['sessionId'] },
      { from: 'phase2', to: 'phase3', variables: ['conflictRisk'] },
      { from: 'phase2', to: 'phase4', variables: ['contextPath'] },
      { from: 'phase3', to: 'phase4', variables: ['resolutionPath'] },
    ],
    preferenceQuestions: [
      {
        key: 'depth',
        question: 'How deep?',
        header: 'Depth',
        options: [
          { label: 'Quick', description: 'fast' },
          { label: 'Thorough', description: 'slow' },
        ],
      },
    ],
    ...rough,
  });
  return Object.fromEntries(generatePackage(config));
}

export function lintTexts(
  texts: Readonly<Record<string, string>>,
  directory?: string,
  surroundings?: Surroundings,
): PackageResult {
  return lintPackage(packageOf(texts, directory), surroundings);
}
