import path from 'node:path';
import type { CommandSpec } from '../../service/command.ts';
import { printNotice, requireDirectory } from '../../service/command.ts';
import { findProject } from '../../service/project.ts';
import { type ImportReport, importBundle } from '../../workflows/refine/import/import-bundle.ts';

export const command: CommandSpec = {
  examples: [
    ['charrette import handoff.zip', 'tokens, components, assets and copy into .moai/design/'],
    ['charrette import page.html --dry-run', 'print what would be imported, write nothing'],
    ['charrette import handoff-2.zip --replace', 'in place of the bundle that was imported before'],
  ],
  arguments: [['<bundle>', 'a .zip or .html file']],
  options: [{ flags: '--replace', description: 'put the bundle in the place of an earlier one' }],
  dryRun: 'says',
  async run({ arguments: [bundle], options, global, terminal }) {
    requireDirectory(global.cwd);
    const report = await importBundle({
      root: findProject(global.cwd),
      file: path.resolve(global.cwd, String(bundle)),
      replace: options['replace'] === true,
      dryRun: global.dryRun,
    });
    if (!global.quiet) for (const line of warningLines(report)) printNotice(terminal, line);
    return { exit: 0, text: describe(report, global.dryRun), json: { dryRun: global.dryRun, ...report } };
  },
};

const shownWarnings = 30;

function warningLines({ warnings }: ImportReport): string[] {
  const lines = warnings.flatMap(({ entry, text, options = [] }) => [
    `warning: ${entry === undefined ? '' : `${entry}: `}${text}`,
    ...options.map((option) => `    or: ${option}`),
  ]);
  const more = lines.length - shownWarnings;
  return more > 0 ? [...lines.slice(0, shownWarnings), `and ${more} more, in import-warnings.json`] : lines;
}

function describe({ format, version, dir, counts, written }: ImportReport, dryRun: boolean): string {
  const what = `${format === 'zip' ? `bundle v${version ?? ''}` : 'page'}: ${counts.components} components, ${counts.assets} assets`;
  if (dryRun) return `would import the ${what} into ${dir}/\n`;
  const files = written.filter((name) => !name.startsWith('assets/')).sort();
  return `imported the ${what} into ${dir}/: ${[...files, ...(counts.assets > 0 ? ['assets/'] : [])].join(', ')}\n`;
}
