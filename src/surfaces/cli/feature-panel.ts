import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { isMissing } from '../../base/files/contained.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import type { FeatureFiles } from '../../prompts/feature-files.ts';
import type { CommandResult, Invocation, OptionSpec } from '../../service/command.ts';
import { findRun, projectOf } from '../../service/project.ts';

export const panelOptions: readonly OptionSpec[] = [
  { flags: '--panel', description: 'have the design panel argue the feature first' },
  { flags: '--from-panel <run>', description: 'take the result of a design run as material' },
];

/** What a panel leaves that helps to write a design, most telling first. */
const material = ['approach-synthesis.txt', 'dialectic-resolutions.md', 'plan.txt'] as const;
const mostCharacters = 36_000;

export type PanelMaterial = { run: string; text: string };

/** §2B: what a design panel came to. A panel that paused or failed stops here; its run can go on and be named. */
export async function panelMaterial(
  feature: FeatureFiles,
  project: string,
  invocation: Invocation,
): Promise<PanelMaterial | { stopped: CommandResult } | undefined> {
  const { options, global } = invocation;
  const named = options['fromPanel'];
  if (typeof named === 'string') return materialOf((await findRun(projectOf(invocation), named)).id, project);
  if (options['panel'] !== true || global.dryRun) return undefined;
  const { command } = await import('./design.ts');
  const agents = options['agents'];
  const result = await command.run?.({
    ...invocation,
    arguments: [[subjectOf(feature)]],
    options: { auto: true, branch: false, ...(typeof agents === 'string' ? { agents } : {}) },
  });
  const run = (result?.json as { run?: string } | undefined)?.run;
  if (result === undefined || run === undefined) throw noPanel('it gave no run');
  if (result.exit !== 0 && result.exit !== 6) {
    invocation.terminal.stderr.write(
      `The panel did not end. When it has: charrette feature design --from-panel ${run}\n`,
    );
    return { stopped: result };
  }
  return materialOf(run, project);
}

async function materialOf(run: string, project: string): Promise<PanelMaterial> {
  const { runDirectoryOf, homeOf } = await import('../../engine/run-directory.ts');
  const directory = runDirectoryOf(homeOf(project), run);
  const { workflow } = await readRunRecord(directory);
  if (workflow !== 'design') throw noPanel(`${run} is a run of ${workflow}`);
  const texts: string[] = [];
  for (const name of material) {
    const text = await readFile(path.join(directory.artifacts, name), 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return '';
      throw error;
    });
    if (text.trim() !== '') texts.push(`${name}:\n${text.trim()}`);
  }
  if (texts.length === 0) throw noPanel(`${run} has no synthesis and no plan yet`);
  const share = Math.floor(mostCharacters / texts.length);
  const cut = texts.map((text) =>
    text.length <= share ? text : `${text.slice(0, share).toWellFormed()}\n[cut at ${share} characters]`,
  );
  return { run, text: cut.join('\n\n') };
}

function subjectOf({ files: { spec }, directory }: FeatureFiles): string {
  const text = spec.kind === 'present' ? (spec.text ?? '') : '';
  return text.trim() === '' ? path.basename(directory) : text.slice(0, 12_000).toWellFormed();
}

function noPanel(reason: string): CharretteError {
  return new CharretteError({
    code: 'not-found',
    message: `No design panel can be used: ${reason}.`,
    fix: 'Name a run of `charrette design` with --from-panel, or leave it out.',
  });
}
