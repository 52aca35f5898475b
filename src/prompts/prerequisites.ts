import { CharretteError } from '../base/errors.ts';
import { type ArtifactFiles, type ArtifactKey, artifactKeys, artifacts } from './artifacts.ts';
import type { CommandName, Dispatch } from './roles/dispatch.ts';

/** lean/C-11, lean/C-26: what a command cannot do without, with what its prerequisites need in turn, and what it produces itself. */
export const hardArtifacts: Readonly<Record<CommandName, readonly ArtifactKey[]>> = {
  brainstorm: ['prd'],
  specify: ['spec'],
  design: ['spec', 'design'],
  plan: ['spec', 'design', 'plan'],
  tasks: ['spec', 'design', 'plan', 'tasks'],
  implement: ['spec', 'tasks'],
  implementing: ['spec', 'tasks'],
};

/** Refuses a call whose prompt would point at nothing; artifacts it can do without come back as warnings. */
export function checkArtifacts(dispatch: Dispatch, files: ArtifactFiles): string[] {
  const needed = new Set([...dispatch.required, ...(dispatch.target === undefined ? [] : [dispatch.target])]);
  const hard = hardArtifacts[dispatch.command];
  const warnings: string[] = [];
  for (const key of needed) {
    const file = files[key];
    if (file.kind === 'present' || (key === 'prd' && dispatch.target !== 'prd')) continue;
    if (hard.includes(key)) throw missingArtifact(dispatch, key, files);
    warnings.push(`${artifacts[key].file} is ${file.kind === 'missing' ? 'missing' : file.reason}`);
  }
  return warnings;
}

function missingArtifact(dispatch: Dispatch, key: ArtifactKey, files: ArtifactFiles): CharretteError {
  const file = files[key];
  const outside = file.kind === 'unusable' && file.reason === 'a link out of the feature';
  const there = artifactKeys
    .filter((other) => files[other].kind === 'present')
    .map((other) => artifacts[other].file);
  const state = file.kind === 'unusable' ? file.reason : 'missing';
  return new CharretteError({
    code: outside ? 'path-unsafe' : 'artifact-missing',
    message: `${dispatch.command}/${dispatch.role} needs ${artifacts[key].file}, which is ${state}; the feature has ${there.join(', ') || 'no artifact'}.`,
    fix: outside
      ? `Replace ${artifacts[key].file} by a file inside the feature directory.`
      : `Write ${artifacts[key].file} first.`,
  });
}
