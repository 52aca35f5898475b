import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { parseJson } from '../../base/safe-json.ts';
import { problemList, readAs } from '../../base/schema/issue-words.ts';
import { refineProfileSchema } from '../../base/schema/refine-profile.ts';
import { type Profile, profiles } from '../../workflows/refine/rules/profiles.ts';

/** A profile of the table by name, or one of the project's own in a JSON file. */
export async function findProfile(cwd: string, name: string): Promise<Profile> {
  const known = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (known !== undefined) return known;
  const text = name.endsWith('.json') ? await readTextFile(path.resolve(cwd, name), 1_000_000) : undefined;
  if (text === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `There is no profile ${JSON.stringify(name)}; there are ${Object.keys(profiles).join(', ')}, or a .json file.`,
    });
  }
  const reading = readAs(refineProfileSchema, parseJson(text, name));
  if (reading.ok) {
    const { $schema: _, ...profile } = reading.value;
    return profile;
  }
  throw new CharretteError({
    code: 'config-invalid',
    message: `${name} is no profile: ${problemList(reading.problems, 'it')}.`,
  });
}
