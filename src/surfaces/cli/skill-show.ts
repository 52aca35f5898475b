import path from 'node:path';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import type { CommandSpec } from '../../service/command.ts';
import { writeNamedFile } from '../../service/named-file.ts';
import { packageDirectories } from '../../skills/lint/lint-paths.ts';
import { buildPackage } from '../../skills/model/package.ts';
import { readPackageFiles } from '../../skills/package-files.ts';
import { renderMermaid, renderTree, type SkillGraph, skillGraph } from '../../skills/show.ts';

const renderers: Readonly<Record<string, (graph: SkillGraph) => string>> = {
  tree: renderTree,
  mermaid: renderMermaid,
};

export const skillShow: CommandSpec = {
  name: 'show',
  summary: 'The phases and data flow of a package as a tree or a Mermaid chart.',
  examples: [
    ['charrette skill show my-skill', 'a tree on the terminal'],
    ['charrette skill show my-skill --format mermaid', 'for a document'],
    ['charrette skill show my-skill --format mermaid --to flow.mmd', 'to a file'],
  ],
  arguments: [['[path]', 'package directory']],
  options: [
    {
      flags: '--format <form>',
      description: 'output form',
      choices: Object.keys(renderers),
      default: 'tree',
    },
    { flags: '--to <file>', description: 'write to a file instead of stdout' },
  ],
  dryRun: 'says',
  run: async ({ arguments: [given], options, global }) => {
    const [directory, ...more] = packageDirectories(
      [typeof given === 'string' ? given : '.'],
      [],
      global.cwd,
    );
    if (directory === undefined || more.length > 0) {
      throw new CharretteError({
        code: 'usage',
        message: `There are ${more.length + 1} packages; name one of them.`,
      });
    }
    const graph = skillGraph(buildPackage(readPackageFiles(directory)));
    const text = (renderers[String(options['format'])] ?? renderTree)(graph);
    const target = options['to'];
    if (typeof target !== 'string') return { exit: exitCodes.done, text, json: graph };
    if (!global.dryRun) await writeNamedFile(path.resolve(global.cwd, target), text);
    return {
      exit: exitCodes.done,
      text: `${global.dryRun ? 'would write ' : ''}${target}\n`,
      json: { ...graph, file: target },
    };
  },
};
