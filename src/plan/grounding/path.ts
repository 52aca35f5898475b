import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { CommandLookup } from './commands.ts';

/** Looks programs up on PATH without starting anything. */
export function pathLookup(env: NodeJS.ProcessEnv): CommandLookup {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const endings = process.platform === 'win32' ? (env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';') : [''];
  return {
    onPath: (program) =>
      /^[\w.+-]+$/.test(program) &&
      folders.some((folder) => endings.some((ending) => canRun(path.join(folder, program + ending)))),
  };
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
