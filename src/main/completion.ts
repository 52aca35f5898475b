import type { CommandSpec } from '../service/command.ts';
import { bashCompletion } from '../surfaces/cli/completion/bash.ts';
import { fishCompletion } from '../surfaces/cli/completion/fish.ts';
import { type CompletionModel, completionModel } from '../surfaces/cli/completion/model.ts';
import { zshCompletion } from '../surfaces/cli/completion/zsh.ts';
import { commands } from './commands.ts';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } satisfies Record<
  string,
  (model: CompletionModel) => string
>;

export const command: CommandSpec = {
  examples: [
    [`echo 'eval "$(charrette completion bash)"' >> ~/.bashrc`, 'bash'],
    [`echo 'eval "$(charrette completion zsh)"' >> ~/.zshrc`, 'zsh, after compinit'],
    ['charrette completion fish > ~/.config/fish/completions/charrette.fish', 'fish'],
  ],
  subcommands: Object.fromEntries(
    Object.entries(shells).map(([shell, render]) => {
      const spec: CommandSpec = {
        examples: [[`charrette completion ${shell}`, 'the script on stdout']],
        dryRun: 'reads',
        async run() {
          const script = render(await completionModel(commands));
          return { exit: 0, text: script, json: { shell, script } };
        },
      };
      return [shell, { summary: `Print the script for ${shell}`, load: async () => spec }];
    }),
  ),
};
