import { CharretteError } from '../../base/errors.ts';
import { type ArtifactKey, artifactKeys, isArtifactKey } from '../../prompts/artifacts.ts';
import type { Invocation, OptionSpec } from '../../service/command.ts';
import { projectOf } from '../../service/project.ts';
import { type FeatureName, findFeature } from '../../service/prompts.ts';

export const rootOption: OptionSpec = {
  flags: '--root <dir>',
  description: 'the folder with features/ (docs in the project)',
};

/** Flags that say which feature is meant; shared by the commands about features. */
export const featureOptions: readonly OptionSpec[] = [
  { flags: '--feature <dir>', description: 'feature directory, or the id of one below the artifacts root' },
  rootOption,
];

/** The feature that the flags name. */
export function featureName({ options, global }: Pick<Invocation, 'options' | 'global'>): FeatureName {
  const given = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined);
  return { feature: given('feature'), root: given('root'), autonomous: global.yes };
}

/** The directory of the feature that the flags name. */
export function featureOf(invocation: Invocation): Promise<string> {
  return findFeature(projectOf(invocation), featureName(invocation));
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
