import { realpathSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { containedPath, isInside } from '../../base/files/contained.ts';
import { type ArtifactKey, artifactKeys, isArtifactKey, sideFiles } from '../../prompts/artifacts.ts';
import { selectFeature } from '../../prompts/feature/select.ts';
import { waiverFile } from '../../workflows/feature/rules/waiver-file.ts';
import type { Invocation, OptionSpec } from './command.ts';
import { findProject } from './project.ts';

export const rootOption: OptionSpec = {
  flags: '--root <dir>',
  description: 'where features/ lies (docs in the project)',
};

/** Flags that say which feature is meant; shared by the commands about features. */
export const featureOptions: readonly OptionSpec[] = [
  { flags: '--feature <dir>', description: 'feature directory, or the id of one below the artifacts root' },
  rootOption,
];

/** T-001: the folder of all features: below what --root names from here, else below `docs` of the project. */
export function featuresRoot({ options, global: { cwd } }: Pick<Invocation, 'options' | 'global'>): string {
  const given = options['root'];
  const root = typeof given === 'string' ? path.resolve(cwd, given) : path.join(findProject(cwd), 'docs');
  return path.join(root, 'features');
}

/** The feature directory that the flags mean, named as it lies below the project wherever it does. */
export async function featureOf(invocation: Pick<Invocation, 'options' | 'global'>): Promise<string> {
  const { options, global } = invocation;
  const named = options['feature'];
  const directory = await selectFeature({
    ...(typeof named === 'string' ? { named } : {}),
    cwd: global.cwd,
    root: featuresRoot(invocation),
    autonomous: global.yes,
  });
  const project = findProject(global.cwd);
  const [real, realProject] = [realpathSync(directory), realpathSync(project)];
  for (const name of [...Object.values(sideFiles), waiverFile]) await containedPath(directory, name);
  if (isInside(realProject, real)) return path.join(project, path.relative(realProject, real));
  const isNamed = typeof named === 'string' && path.resolve(global.cwd, named) === directory;
  if (!isNamed) refuseOutside(invocation, real);
  return directory;
}

/** Only a person's word leads out of the project; a link in a clone does not. */
function refuseOutside({ options }: Pick<Invocation, 'options'>, real: string): void {
  if (typeof options['root'] === 'string') return;
  throw new CharretteError({
    code: 'path-unsafe',
    message: `The features of the project lie in ${real}, outside of it.`,
    fix: 'Name the feature directory with --feature, or its folder with --root, if you mean them.',
  });
}

/** `design,spec` as artifact keys. */
export function artifactList(value: string): ArtifactKey[] {
  return value
    .split(',')
    .map((word) => word.trim().replace(/\.md$/, ''))
    .filter((word) => word !== '')
    .map((word) => {
      if (isArtifactKey(word)) return word;
      throw new CharretteError({
        code: 'usage',
        message: `--artifacts has ${JSON.stringify(word)}; artifacts are ${artifactKeys.join(', ')}.`,
      });
    });
}

/** Several values, given as several flags or with commas. */
export function collect(value: string, previous: unknown): string[] {
  const earlier = Array.isArray(previous) ? previous.map(String) : [];
  return [
    ...earlier,
    ...value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ];
}
