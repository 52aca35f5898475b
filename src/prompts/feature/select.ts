import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError, toCharretteError } from '../../base/errors.ts';
import { isMissing, readTextFile } from '../../base/files/bounded.ts';
import { artifactKeys, artifacts, sideFiles } from '../artifacts.ts';
import { readMeta } from './meta.ts';

export type Selection = {
  /** What was named: a directory, or the id or name of a feature. */
  named?: string;
  cwd: string;
  /** T-001: the folder of all features, absolute. */
  root: string;
  /** Unattended: takes the newest of several active features. */
  autonomous: boolean;
};

/** T-012: the feature directory to work on. */
export async function selectFeature({ named, cwd, root, autonomous }: Selection): Promise<string> {
  if (named !== undefined) return namedFeature(named, cwd, root);
  const features = await statesIn(root);
  const active = features.filter(({ status }) => status === 'active').map(({ name }) => name);
  const newest = active.at(-1);
  if (newest === undefined) throw noneActive(root, features);
  if (active.length === 1 || autonomous) return path.join(root, newest);
  throw new CharretteError({
    code: 'usage',
    message: `Several features are active: ${active.join(', ')}.`,
    fix: 'Name one with --feature, or take the newest with --yes.',
  });
}

async function namedFeature(named: string, cwd: string, root: string): Promise<string> {
  if (named.trim() === '') {
    throw new CharretteError({
      code: 'usage',
      message: '--feature is empty.',
      fix: 'Name a feature directory or the id of a feature.',
    });
  }
  const direct = path.resolve(cwd, named);
  if (isFeature(direct)) return direct;
  const names = (await directoriesIn(root)).filter((name) => isFeature(path.join(root, name)));
  const found = names.filter((name) => name === named || name.startsWith(`${named}-`));
  const [only] = found;
  if (only !== undefined && found.length === 1) return path.join(root, only);
  const fault = existsSync(direct) ? 'has neither a state nor a document of a feature' : 'does not exist';
  const available = names.length === 0 ? 'there are none' : `there are ${names.slice(0, 20).join(', ')}`;
  throw new CharretteError({
    code: 'not-found',
    message:
      found.length > 1
        ? `${JSON.stringify(named)} could be ${found.join(' or ')}.`
        : `${direct} ${fault}, and no feature is named ${JSON.stringify(named)} in ${root}; ${available}.`,
    fix: 'Name the feature directory with --feature.',
  });
}

type State = { name: string; exists: boolean; status?: string | undefined; problem?: string | undefined };

async function statesIn(root: string): Promise<State[]> {
  return Promise.all(
    (await directoriesIn(root)).map(async (name): Promise<State> => {
      try {
        const text = await readTextFile(path.join(root, name, sideFiles.state), 1024 * 1024);
        const { meta, problems } = readMeta(text);
        const [problem] = problems;
        return {
          name,
          exists: text !== undefined,
          status: meta.status,
          problem,
        };
      } catch (error) {
        return { name, exists: true, problem: toCharretteError(error).message };
      }
    }),
  );
}

/**
 * Names an unreadable state first, because --feature does not help with it. A folder without a state need not be a feature.
 */
function noneActive(root: string, features: readonly State[]): CharretteError {
  const faulty = features.filter(({ status, problem }) => status === undefined && problem !== undefined);
  const broken = faulty.find(({ exists }) => exists) ?? faulty[0];
  return new CharretteError({
    code: 'not-found',
    message: `No feature in ${root} is active${broken === undefined ? '' : `; of ${broken.name}, ${broken.problem}`}.`,
    fix: 'Name one with --feature DIR.',
  });
}

/** Feature directories by id, lowest first; those without a number come before. */
export async function directoriesIn(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort((one, other) => numberOf(one) - numberOf(other) || (one < other ? -1 : 1));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The id at the beginning of a feature's name. */
export function numberOf(name: string): number {
  return Number(/^(\d+)-/.exec(name)?.[1] ?? 0);
}

/** T-002, T-003: a folder is a feature by its state or one of its documents. */
function isFeature(directory: string): boolean {
  const names = [sideFiles.state, ...artifactKeys.map((key) => artifacts[key].file)];
  return names.some((name) => existsSync(path.join(directory, name)));
}
