import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { isFinal } from '../../engine/run-record.ts';
import { exportRun, importRun } from '../../service/archive.ts';
import type { CommandSpec } from '../../service/command.ts';
import { unwritable } from '../../service/named-file.ts';
import { findRun, projectOf } from '../../service/project.ts';

export const exportCommand: CommandSpec = {
  name: 'export',
  summary: 'Write a run to one file, to go on with it elsewhere',
  examples: [
    ['charrette runs export latest', 'to <run>.tar.gz here'],
    ['charrette runs export 4f2a90c1 /tmp/run.tar.gz', 'to a file of your choice'],
  ],
  arguments: [
    ['<run>', 'run id, an unambiguous part of it, or latest'],
    ['[file]', 'the archive; an existing file is not replaced'],
  ],
  dryRun: 'says',
  async run(invocation) {
    const { arguments: words, global } = invocation;
    const project = projectOf(invocation);
    const directory = await findRun(project, words[0] as string);
    const { record, archive } = await exportRun(project, directory, { dryRun: global.dryRun });
    const target = path.resolve(global.cwd, (words[1] as string | undefined) ?? `${directory.id}.tar.gz`);
    if (global.dryRun)
      return { exit: 0, text: `Would write ${target}.\n`, json: { dryRun: true, file: target } };
    const { writeFile } = await import('node:fs/promises');
    await writeFile(target, archive, { flag: 'wx', mode: 0o600 }).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw unwritable(target, cause);
      throw new CharretteError({
        code: 'would-overwrite',
        message: `${target} is there already.`,
        fix: 'Name another file, or remove this one.',
      });
    });
    return {
      exit: 0,
      text: `${target}\n`,
      json: { run: directory.id, status: record.status, file: target, bytes: archive.length },
    };
  },
};

export const importCommand: CommandSpec = {
  name: 'import',
  summary: 'Take a run over from an archive',
  examples: [['charrette runs import run.tar.gz', 'then `charrette resume` goes on with it']],
  arguments: [['<file>', 'what `charrette runs export` wrote']],
  dryRun: 'says',
  async run(invocation) {
    const { arguments: words, global } = invocation;
    const { dryRun } = global;
    const source = path.resolve(global.cwd, words[0] as string);
    const record = await importRun(projectOf(invocation), source, { dryRun });
    if (dryRun)
      return {
        exit: 0,
        text: `Would import ${record.run} (${record.status}).\n`,
        json: { dryRun, run: record.run, status: record.status },
      };
    const ended = isFinal(record.status) && record.status !== 'failed';
    const next = ended ? `charrette show ${record.run}` : `charrette resume ${record.run}`;
    return {
      exit: 0,
      text: `Imported ${record.run}; go on with \`${next}\`.\n`,
      json: { run: record.run, status: record.status, next },
    };
  },
};
