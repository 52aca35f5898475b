import { CharretteError } from '../../base/errors.ts';
import type { ArtifactKey } from '../artifacts.ts';
import { type CommandName, commandAliases, commandNames, type Dispatch } from './dispatch.ts';
import { freshOnlyDispatches } from './fresh-only.ts';
import { implementDispatches, taskDispatch } from './implement.ts';
import { phaseDispatches } from './phases.ts';

/** Every role of every command. */
export const dispatches: readonly Dispatch[] = [
  ...freshOnlyDispatches,
  ...phaseDispatches,
  ...implementDispatches,
  taskDispatch,
];

/** The 14 calls that one pass through the five phases makes with references (T-077 without the per-task one). */
export const convertedSites: readonly Dispatch[] = dispatches.filter(
  ({ command, role, required }) =>
    command !== 'implementing' && required.length > 0 && role !== 'relevance-verifier',
);

/** T-034: a project's own list of artifacts for a role, by `<command>/<role>`. */
export type RoleOverrides = Readonly<Record<string, readonly ArtifactKey[]>>;

export function commandNamed(word: string): CommandName {
  const name = commandNames.find((candidate) => candidate === word) ?? commandAliases[word];
  if (name !== undefined && Object.values(commandNames).includes(name)) return name;
  throw new CharretteError({
    code: 'not-found',
    message: `There is no command ${JSON.stringify(word)}; there are ${commandNames.join(', ')}.`,
    fix: 'Name one of them, then a role.',
  });
}

/** T-032: looked up by command and role together. */
export function dispatchFor(command: string, role: string, overrides: RoleOverrides = {}): Dispatch {
  const name = commandNamed(command);
  const found = dispatches.find((dispatch) => dispatch.command === name && dispatch.role === role);
  if (found === undefined) {
    const roles = dispatches.filter((dispatch) => dispatch.command === name).map((dispatch) => dispatch.role);
    throw new CharretteError({
      code: 'not-found',
      message: `${name} has no role ${JSON.stringify(role)}; it has ${roles.join(', ')}.`,
    });
  }
  const required = Object.hasOwn(overrides, `${name}/${role}`) ? overrides[`${name}/${role}`] : undefined;
  return required === undefined ? found : { ...found, required };
}
