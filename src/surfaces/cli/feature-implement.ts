import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import type { FeatureImplementInputs } from '../../workflows/feature/inputs.ts';
import { refuseStatic } from './feature-phase.ts';
import { prepareFeature, reviewOptions, startFeatureRun } from './feature-run.ts';
import { wholeNumber } from './number-flag.ts';

export const featureImplementCommand: CommandSpec = {
  name: 'implement',
  summary: 'Carry out the tasks of a feature, deepen its tests, have the code reviewed and fixed',
  examples: [
    ['charrette feature implement', 'the active feature, on a branch of the run'],
    ['charrette feature implement --agents claude,codex', 'the first implements, the second reviews'],
    ['charrette feature implement --review-only', 'reviews what implementation-log.md names'],
  ],
  options: [
    ...reviewOptions,
    {
      flags: '--parallel <n>',
      description: 'tasks at the same time, where they say that they may',
      parse: wholeNumber('--parallel', 1, 16),
      default: 1,
    },
    { flags: '--review-only', description: 'carry out no task; review what the implementation log names' },
    { flags: '--no-simplify', description: 'nobody looks for simplifications first' },
    { flags: '--no-tests', description: 'no tests are outlined from the specification' },
    { flags: '--no-merge', description: 'leave a good result on its branch' },
  ],
  dryRun: 'says',
  run: runImplement,
};

async function runImplement(invocation: Invocation): Promise<CommandResult> {
  const { options, global } = invocation;
  const { inputs: common } = await prepareFeature('implement', invocation);
  refuseStatic(common);
  const inputs: FeatureImplementInputs = {
    ...common,
    autonomous: global.yes,
    reviewOnly: options['reviewOnly'] === true,
    tasksAtOnce: Number(options['parallel']),
    simplify: options['simplify'] !== false,
    deepen: options['tests'] !== false,
    merge: options['merge'] !== false,
  };
  if (global.dryRun) {
    const { author, reviewer } = inputs;
    return {
      exit: 0,
      text: `${author} would implement, ${reviewer} would review\n`,
      json: { dryRun: true, inputs },
    };
  }
  return startFeatureRun('feature-implement', inputs, invocation);
}
