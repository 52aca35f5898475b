import type { CommandSpec } from '../../service/command.ts';
import { profiles } from '../../workflows/refine/rules/profiles.ts';
import { harnessLevels } from '../../workflows/refine/rules/settings.ts';
import { givenAnswers } from './ask.ts';
import { startCommand } from './conduct.ts';
import { numberWithin, queueOptions, wholeNumber } from './options.ts';
import { type RefineFlags, refineInputs } from './refine-inputs.ts';

export const command: CommandSpec = {
  examples: [
    ['charrette refine "a landing page for the tea shop"', 'build index.html until it passes'],
    ['charrette refine --brief brief.md --artifact site/index.html', 'from a brief, another page'],
    ['charrette refine --strict --level thorough "…"', 'negotiated contract, every dimension must pass'],
    ['charrette refine --path import', 'build the design that was imported'],
  ],
  arguments: [['[goal...]', 'what to build; without it the last brief/BRIEF-*.md of the design folder']],
  options: [
    ...queueOptions,
    { flags: '--brief <file>', description: 'a brief with ## Goal, ## Audience, ## Brand' },
    { flags: '--artifact <page>', description: 'the page, below the project (default: index.html)' },
    {
      flags: '--path <path>',
      description: 'build from documents or from an imported bundle',
      choices: ['code', 'import'],
    },
    { flags: '--builder <agent>', description: 'who builds' },
    { flags: '--evaluator <agent>', description: 'who judges; of another family where possible' },
    { flags: '--agents <list>', description: 'agents by name, comma-separated, in order of preference' },
    {
      flags: '--profile <name>',
      description: `${Object.keys(profiles).join(', ')}, or a .json file (default: design)`,
    },
    {
      flags: '--level <level>',
      description: 'how thorough: decides about the contract',
      choices: harnessLevels,
    },
    { flags: '--contract', description: 'negotiate a contract at level standard' },
    {
      flags: '--threshold <number>',
      description: 'total to pass, from 0.60',
      parse: numberWithin('--threshold', 0, 1),
    },
    {
      flags: '--max-iterations <count>',
      description: 'then a person is asked',
      parse: wholeNumber('--max-iterations', 1, 100),
    },
    { flags: '--strict', description: 'every dimension must reach the threshold, and never at once' },
    { flags: '--no-brand', description: 'continue without brand files' },
    { flags: '--no-merge', description: 'leave the result on its own branch' },
    { flags: '--answers <file>', description: 'a JSON object of question → answer' },
  ],
  dryRun: 'says',
  async run(invocation) {
    const { options, global } = invocation;
    const goal = ((invocation.arguments[0] as string[] | undefined) ?? []).join(' ').trim();
    const given = await givenAnswers(invocation);
    const inputs = await refineInputs(goal, options as RefineFlags, invocation);
    if (global.dryRun) {
      const { title, artifact, path: route, settings, profile } = inputs;
      return {
        exit: 0,
        json: { dryRun: true, inputs },
        text: `Would refine ${artifact} (${title}) by path ${route}, profile ${profile.name}, at most ${settings.maxIterations} iterations, threshold ${settings.passThreshold}.\n`,
      };
    }
    const { title, baseCommit } = inputs;
    return startCommand(invocation, { workflow: 'refine', title, inputs, baseCommit }, given);
  },
};
