import path from 'node:path';
import { exitCodes } from '../../base/error-table.ts';
import { parseJson } from '../../base/safe-json.ts';
import type { CommandResult, CommandSpec, GlobalFlags, Invocation } from '../../service/command.ts';
import { printNotice } from '../../service/command.ts';
import { textOfFile, writeNamedFile } from '../../service/named-file.ts';
import {
  configFromAnswers,
  type DesignAnswers,
  type NewSkillBasics,
  readAnswers,
} from '../../skills/config/answers.ts';
import { completeConfig, readConfig } from '../../skills/config/complete-config.ts';
import { generatePackage } from '../../skills/generate/skill-markdown.ts';
import { lintPackage } from '../../skills/lint/engine.ts';
import { buildPackage } from '../../skills/model/package.ts';
import { writePackage } from '../../skills/package-files.ts';
import { renderOutcome } from '../../skills/show.ts';
import { several } from './options.ts';
import { memoryFiles, outputOptions, outputRoot, toolsOf, validName } from './skill-common.ts';

export const skillNew: CommandSpec = {
  examples: [
    ['charrette skill new release-notes', 'asks ten questions on a terminal, else takes defaults'],
    ['charrette skill new audit --phases "Collect, Analyse, Report" --agents "2: Explore" -y', 'by flags'],
    [
      'charrette skill new plan --condition "3: risk >= medium" --data "2>3: risk" --phases 4',
      'a conditional phase',
    ],
    ['charrette skill new plan --answers answers.json --out .agents/skills', 'by a file, to another root'],
  ],
  arguments: [['<name>', 'kebab-case name, also the directory']],
  options: [
    { flags: '--description <text>', description: 'what the skill does' },
    { flags: '--trigger <phrase>', description: 'a phrase that starts it (repeat)', parse: several },
    {
      flags: '--profile <profile>',
      description: 'shape of the workflow',
      choices: ['pipeline', 'router', 'loop'],
      default: 'pipeline',
    },
    {
      flags: '--phases <list>',
      description: '1. a number, or names separated by commas; "Name: what it does"',
    },
    {
      flags: '--condition <n:expression>',
      description: '2. a condition for a phase (repeat)',
      parse: several,
    },
    {
      flags: '--data <edge>',
      description: '3. data between phases, "1>2: sessionId" (repeat)',
      parse: several,
    },
    { flags: '--agents <n:types>', description: '4. agents a phase uses (repeat)', parse: several },
    {
      flags: '--subtasks <n:names>',
      description: '5. sub-tasks of a phase in the todo list (repeat)',
      parse: several,
    },
    { flags: '--notes', description: '6. keep a notes document through the phases' },
    {
      flags: '--errors <recovery>',
      description: '7. what happens after an error',
      choices: ['retry', 'rollback', 'report'],
    },
    {
      flags: '--preference <spec>',
      description: '8. a question, "key: text: A | B" (repeat)',
      parse: several,
    },
    { flags: '--handoff <edge>', description: '9. a direct handoff, "1>2" (repeat)', parse: several },
    {
      flags: '--long-context <which>',
      description: '10. phases with a sentinel: auto, all, none or numbers',
    },
    { flags: '--no-auto-mode', description: 'no -y mode in the skill' },
    { flags: '--answers <file>', description: 'the ten answers as JSON' },
    { flags: '--from-config <file>', description: 'make it from a saved configuration' },
    ...outputOptions,
  ],
  dryRun: 'says',
  run: async (invocation) => {
    const { options, global } = invocation;
    const name = String(invocation.arguments[0]);
    const { config, warnings } = await readWishes(invocation, name);
    const files = generatePackage(config, toolsOf(options), {}, true);
    const root = outputRoot(options, global);
    const outcome = await writePackage(root, config.skillName, files, {
      force: options['force'] === true,
      dryRun: global.dryRun,
      now: new Date(),
    });
    await emitConfig(options['emitConfig'], config, global);
    const where = path.relative(global.cwd, outcome.directory) || '.';
    const lint = lintPackage(buildPackage(memoryFiles(where, config.skillName, files)));
    for (const warning of warnings) printNotice(invocation.terminal, `warning: ${warning}`);
    return result(config, outcome, lint, where);
  },
};

async function readWishes(invocation: Invocation, name: string): Promise<ReturnType<typeof completeConfig>> {
  const { options, global, terminal } = invocation;
  const saved = await textOfFile(options['fromConfig'], '--from-config', invocation);
  if (saved !== undefined) {
    const file = String(options['fromConfig']);
    const config = readConfig(parseJson(saved, file), file);
    return completeConfig({ ...config, skillName: name });
  }
  const basics: NewSkillBasics = {
    name: validName(name),
    description: text(options['description']),
    triggers: list(options['trigger']),
    profile: options['profile'] as NewSkillBasics['profile'],
    autoMode: options['autoMode'] !== false,
  };
  const file = String(options['answers']);
  const written = await textOfFile(options['answers'], '--answers', invocation);
  const fromFile = written === undefined ? {} : readAnswers(parseJson(written, file), file);
  const answers: DesignAnswers = { ...fromFile, ...flagAnswers(options) };
  const asks = global.input && !global.yes && Object.keys(answers).length === 0;
  if (asks) {
    const { askDesignQuestions } = await import('./skill-questions.ts');
    const asked = await askDesignQuestions(basics, terminal);
    return completeConfig(configFromAnswers(asked.basics, asked.answers));
  }
  return completeConfig(configFromAnswers(basics, answers));
}

function flagAnswers(options: Invocation['options']): DesignAnswers {
  const entries: [keyof DesignAnswers, unknown][] = [
    ['phases', options['phases']],
    ['conditions', options['condition']],
    ['data', options['data']],
    ['agents', options['agents']],
    ['subtasks', options['subtasks']],
    ['notes', options['notes']],
    ['errors', options['errors']],
    ['preferences', options['preference']],
    ['handoffs', options['handoff']],
    ['longContext', options['longContext']],
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as DesignAnswers;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function list(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}

/** S-030: the configuration can be saved and used again. */
async function emitConfig(target: unknown, config: unknown, global: GlobalFlags): Promise<void> {
  if (typeof target === 'string' && !global.dryRun)
    await writeNamedFile(path.resolve(global.cwd, target), `${JSON.stringify(config, null, 2)}\n`);
}

function result(
  config: Parameters<typeof renderOutcome>[0],
  outcome: Parameters<typeof renderOutcome>[1],
  lint: Parameters<typeof renderOutcome>[2],
  where: string,
): CommandResult {
  const diffs = outcome.changes.map(({ diff }) => diff).join('');
  return {
    exit: exitCodes.done,
    text: `${diffs}${renderOutcome(config, outcome, lint, where)}`,
    json: {
      skill: config.skillName,
      path: where,
      written: outcome.written,
      files: outcome.changes.map(({ path: file, kind }) => ({ path: file, kind })),
      backup: outcome.backup,
      gate: lint.gate,
      findings: lint.findings,
      config,
    },
  };
}
