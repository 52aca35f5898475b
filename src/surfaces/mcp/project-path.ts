import path from 'node:path';
import { z } from 'zod';
import { containedPath } from '../../base/files/contained.ts';
import { findProject } from '../cli/project.ts';

export const pathInput = z.string().min(1).max(1_000);

/** A path that a client named, relative to the working directory; one that leads out of the project is refused. */
export async function projectPath(cwd: string, untrusted: string): Promise<string> {
  const project = findProject(cwd);
  const relative = path.relative(project, path.resolve(cwd, untrusted)) || '.';
  return path.relative(cwd, await containedPath(project, relative)) || '.';
}
