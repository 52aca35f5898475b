import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import type { GlobalFlags, Invocation, OptionSpec } from '../../service/command.ts';
import type { Tools } from '../../skills/generate/phase-markdown.ts';
import type { PackageFiles } from '../../skills/model/package.ts';
import { skillName } from '../../skills/rules/frontmatter.ts';

/** Where and how a generated package is written. */
export const outputOptions: readonly OptionSpec[] = [
  {
    flags: '--out <root>',
    description: 'root under which the package directory is made',
    default: '.claude/skills',
  },
  { flags: '--force', description: 'replace other content; the old files are kept next to the package' },
  { flags: '--emit-config <file>', description: 'save the configuration as JSON' },
  {
    flags: '--agent-tool <name>',
    description: 'how the host calls agents',
    choices: ['Task', 'Agent'],
    default: 'Task',
  },
  {
    flags: '--todo-tool <name>',
    description: 'how the host keeps todos',
    choices: ['TodoWrite', 'TaskCreate'],
    default: 'TodoWrite',
  },
];

export function toolsOf(options: Invocation['options']): Tools {
  return {
    agent: options['agentTool'] === 'Agent' ? 'Agent' : 'Task',
    todo: options['todoTool'] === 'TaskCreate' ? 'TaskCreate' : 'TodoWrite',
  };
}

export function outputRoot(options: Invocation['options'], { cwd }: GlobalFlags): string {
  return path.resolve(cwd, String(options['out'] ?? '.claude/skills'));
}

/** A package that is not on disk yet. */
export function memoryFiles(
  where: string,
  directory: string,
  texts: ReadonlyMap<string, string>,
): PackageFiles {
  const folders = [...texts.keys()].flatMap((file) =>
    file.includes('/') ? [file.slice(0, file.lastIndexOf('/'))] : [],
  );
  return { path: where, directory, texts, listing: new Set([...texts.keys(), ...folders]), unreadable: [] };
}

/** The name, when it is one; it is also a folder. */
export function validName(name: string): string {
  if (skillName.test(name)) return name;
  throw new CharretteError({
    code: 'usage',
    message: `${JSON.stringify(name)} is not a skill name.`,
    fix: 'Use lower-case letters, digits and single hyphens, at most 64.',
  });
}
