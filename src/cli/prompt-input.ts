import { CharretteError } from '../errors.ts';
import { selectFeature } from '../feature/select.ts';
import { type ArtifactKey, artifactKeys, isArtifactKey } from '../prompts/artifacts.ts';
import type { Invocation, OptionSpec } from './command.ts';

/** Flags that say which feature is meant; shared by the commands about features. */
export const featureOptions: readonly OptionSpec[] = [
  { flags: '--feature <dir>', description: 'feature directory, or the id of one below the artifacts root' },
  { flags: '--root <dir>', description: 'where features/ lies', default: 'docs' },
];

/** The feature directory that the flags mean. */
export function featureOf({ options, global }: Pick<Invocation, 'options' | 'global'>): Promise<string> {
  const named = options['feature'];
  return selectFeature({
    ...(typeof named === 'string' ? { named } : {}),
    cwd: global.cwd,
    artifactsRoot: String(options['root'] ?? 'docs'),
    autonomous: global.yes,
  });
}

/** A whole number from 1. */
export function wholeNumber(name: string, most: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= 1 && number <= most && /^\d+$/.test(value)) return number;
    throw new CharretteError({
      code: 'usage',
      message: `--${name} was ${JSON.stringify(value)}; it takes a whole number from 1 to ${most}.`,
    });
  };
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
