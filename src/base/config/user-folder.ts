import { homedir } from 'node:os';
import path from 'node:path';

/** The user's own directory. */
export function userHome(env: NodeJS.ProcessEnv): string {
  return env['HOME'] ?? homedir();
}

/** Where the user's own configuration stands: `$XDG_CONFIG_HOME/charrette`. One that is not absolute does not count. */
export function userFolder(env: NodeJS.ProcessEnv): string {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  return path.join(path.isAbsolute(given) ? given : path.join(userHome(env), '.config'), 'charrette');
}
